"""The HTTP API: what the dashboard shows and does, for programs; one file to a subject."""
