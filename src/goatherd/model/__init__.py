"""What things are: frozen values and pure decisions; standard library and msgspec only."""
