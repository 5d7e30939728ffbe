"""Tell people of what needs them: look, decide by the board that all processes share, and tell."""
