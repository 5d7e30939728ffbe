"""Arcade: the batch side of a game platform."""
