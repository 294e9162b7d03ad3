"""Pictures of the tables: data frames in, matplotlib Axes out. Nothing here shows or saves.

Every picture takes `title`, the finding that stands above it, and `lang`, the language of the words in it.
"""
