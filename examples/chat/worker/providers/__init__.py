"""Who writes the answers."""
