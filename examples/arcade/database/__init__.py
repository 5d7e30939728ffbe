"""The game: settings, machines, players and what is theirs, in the application's own database."""
