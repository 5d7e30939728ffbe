"""comments-api: takes comments over HTTP, shows them as they are written, and serves the page."""
