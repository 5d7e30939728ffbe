"""The applications in examples/, tested as programs of their own."""
