"""Parts of the command line."""
