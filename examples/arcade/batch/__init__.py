"""What runs without being asked: listeners, scheduled jobs, gifts, commands, dead letters."""
