"""Who may see and do what on the dashboard and through its HTTP API, and that what they did is on record."""
