"""Make a live broker as the definition wants it, and see that it stays so."""
