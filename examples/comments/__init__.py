"""Comments: many write at once; each post takes its comments in the order in which they were submitted."""
