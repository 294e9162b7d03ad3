"""Writes through a failover: the client's ledger of them, and what became of each."""
