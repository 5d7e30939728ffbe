"""All that Arcade says to Goatherd, and where the game is."""

import os

from examples.arcade.database.tables import game_at
from examples.arcade.settings import read_settings
from goatherd import Goatherd

settings = read_settings(os.environ)

arcade = Goatherd("arcade", **settings.of_arcade())
#: The application's own; each program opens it for itself.
database = game_at(settings.database_url)
