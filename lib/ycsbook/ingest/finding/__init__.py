"""Which files belong together, what format they are, and what the user says of them."""
