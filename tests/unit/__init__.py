"""Parts for themselves; the folders mirror src/goatherd."""
