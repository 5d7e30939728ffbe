"""A program with the official client of Firebase, which knows nothing of Goatherd.

    FIREBASE_DATABASE_EMULATOR_HOST=127.0.0.1:9000 python -m tests.interop.firebase_program PATH

It listens to a path and prints each event as a line of JSON. Each line that it reads, `["push", {…}]`, is done with the
client, and what that gives is printed as well.
"""

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

#: The client comes without types, and is not there when types are checked.
admin: Any = import_module("firebase_admin")
db: Any = import_module("firebase_admin.db")


def tell(kind: str, told: object) -> None:
    """In one write, for it is done from two threads."""
    sys.stdout.write(json.dumps([kind, told]) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Listen and do what is asked, until there is nothing more to read."""
    host = os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]
    admin.initialize_app(options={"databaseURL": f"http://{host}/?ns=games", "projectId": "games"})
    place = db.reference(sys.argv[1])
    verbs: dict[str, Callable[..., object]] = {
        "push": lambda value: place.push(value).key,
        "set": lambda key, value: place.child(key).set(value),
        "update": place.update,
        "delete": lambda key: place.child(key).delete(),
        "get": place.get,
        "first": lambda count: place.order_by_key().limit_to_first(count).get(),
        "shallow": lambda: place.get(shallow=True),
    }
    place.listen(lambda event: tell("heard", [event.event_type, event.path, event.data]))
    for line in sys.stdin:
        verb, *arguments = json.loads(line)
        tell("did", verbs[verb](*arguments))
    # The client's own thread cannot be ended in good order.
    os._exit(0)


if __name__ == "__main__":
    main()
