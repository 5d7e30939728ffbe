"""Contenders that keep their jobs in one SQLite file."""
