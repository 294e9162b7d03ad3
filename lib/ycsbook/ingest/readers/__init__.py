"""One module per format: bytes to what a log says."""
