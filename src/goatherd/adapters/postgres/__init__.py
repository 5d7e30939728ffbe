"""The lanes port, and more to come, on PostgreSQL."""
