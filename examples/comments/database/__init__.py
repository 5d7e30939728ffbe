"""The application's own database, in which comments are written: one SQLite file, or PostgreSQL."""
