"""dubbing-api: takes videos over HTTP, tells how far they are, and gives them back dubbed."""
