"""Runs: the only code that starts a load generator."""
