"""The AI service of the Kitchen."""
