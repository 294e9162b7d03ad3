"""Tables that vendors published: pages and this repository's own copies."""
