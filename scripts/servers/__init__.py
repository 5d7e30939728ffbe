"""Private servers for tests, examples and benchmarks: on free ports, in temporary folders, stopped at the end."""
