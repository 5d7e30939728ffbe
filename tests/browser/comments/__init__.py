"""The page of the comments in a real browser, with the real programs behind it."""
