"""What is kept on disk: the run store under data/ and the tables beside a report."""
