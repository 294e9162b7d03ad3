"""Servers under test: started or found, given their cores, locked, probed. Each kind is one module of `kinds`."""
