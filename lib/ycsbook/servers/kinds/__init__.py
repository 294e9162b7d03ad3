"""The kinds of server, one module each: servers/kind.py says what it holds."""
