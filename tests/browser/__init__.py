"""Web pages that follow jobs, in a real browser, through a real gateway."""
