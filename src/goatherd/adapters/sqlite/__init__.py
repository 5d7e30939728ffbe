"""The embedded store: every port on one SQLite file, for the processes of one machine."""
