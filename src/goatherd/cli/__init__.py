"""The command line: one file to a command group."""
