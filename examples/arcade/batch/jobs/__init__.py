"""The scheduled jobs, by families."""
