"""How: each adapter translates one port to one technology and decides nothing."""
