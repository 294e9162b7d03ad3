"""Pictures of the tables: data frames in, matplotlib Axes out. Nothing here shows or saves."""
