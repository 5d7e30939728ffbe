"""Tasks, their steps and their segments, in the application's own database."""
