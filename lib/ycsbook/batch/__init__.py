"""The notebooks of reports, one study at a time or many, executed in processes that start with everything loaded."""
