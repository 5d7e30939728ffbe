"""All that Dubbing says to Goatherd, and where its tables and its files are."""

import os

from examples.dubbing.contract import describe_queues
from examples.dubbing.database.tables import tasks_at
from examples.dubbing.objects import Objects
from examples.dubbing.providers.choosing import chosen
from examples.dubbing.settings import read_settings
from goatherd import Goatherd

settings = read_settings(os.environ)

#: One message at a time for each worker and queue.
dubbing = Goatherd("dubbing", prefetch=1, **settings.of_dubbing())
describe_queues(dubbing)
#: The application's own; each program opens it for itself.
database = tasks_at(settings.database_url)
objects = Objects(settings)
providers = chosen(settings)
