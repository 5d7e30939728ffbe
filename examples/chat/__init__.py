"""Chat: ask over HTTP, a worker answers in stages and words, the browser sees them as they come."""
