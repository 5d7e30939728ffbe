"""What the engine needs from the world: small Protocols whose docstrings are the contracts."""
