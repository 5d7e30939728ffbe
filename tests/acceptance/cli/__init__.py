"""The command line, as a user has it: real processes, real signals, a real file."""
