"""Applications built on Goatherd."""
