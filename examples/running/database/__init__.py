"""A database of an example's own: one SQLite file, or PostgreSQL, behind one face."""
