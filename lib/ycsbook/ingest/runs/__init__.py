"""What logs are worth, and their rows in the tidy tables."""
