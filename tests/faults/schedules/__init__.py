"""Processes that tick are killed and frozen, and their clocks differ."""
