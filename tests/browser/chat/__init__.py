"""The page of the chat in a real browser, with the real programs behind it."""
