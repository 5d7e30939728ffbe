"""What happens: one behaviour to a file, speaking to ports only."""
