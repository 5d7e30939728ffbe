"""The events of tracked jobs on Redis or Valkey."""
