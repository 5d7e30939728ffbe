"""The dashboard as people see it."""
