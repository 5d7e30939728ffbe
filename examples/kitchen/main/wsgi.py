"""For web servers that load an application, in each of their processes.

gunicorn --workers 4 --threads 50 examples.kitchen.main.wsgi:web
"""

from examples.kitchen.main.opening import Opening
from examples.kitchen.main.web import make_web

web = make_web()
Opening().start()
