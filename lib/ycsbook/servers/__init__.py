"""Servers under test: started or found, given their cores, probed. A new server kind is one new file here."""

from ycsbook.servers.mongod import Mongod

__all__ = ["Mongod"]
