"""What the log of one run says, as data, whichever load generator wrote it."""
