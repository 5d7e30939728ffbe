"""All that Comments says to Goatherd, and where its posts are."""

import os

from examples.comments.database.opening import database_at
from examples.comments.settings import read_settings
from goatherd import Goatherd

settings = read_settings(os.environ)

#: Comments, edits, likes, and what moderators do.
comments = Goatherd("comments", **settings.of_comments())
#: The application's own; each program opens it for itself.
database = database_at(settings.database_url)
