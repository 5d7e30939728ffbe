"""What players, viewers and operators do, and what must hold then."""
