"""One file to a page."""
