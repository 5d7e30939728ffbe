"""All that Chat says to Goatherd: two domains, and the queue that other programs know too."""

import os
from pathlib import Path

from examples.chat.settings import read_settings
from goatherd import Goatherd

settings = read_settings(os.environ)

#: Questions and their answers.
chat = Goatherd("chat", **settings.of_chat())
#: Texts that users add to the documents.
scan = Goatherd("scan", **settings.of_scan())

#: What operators have made on RabbitMQ, in the virtual host `eco2`; elsewhere the same is wanted in another.
chat.topology.load(Path(__file__).parent / "topology" / "chat.yaml", vhost="eco2")
#: Where questions wait, in TaskIQ's layout: its producers and workers may stand in for ours, one at a time.
questions = chat.queue(
    "chat.process",
    format="taskiq",
    type="classic",
    exchange="chat_tasks",
    ttl=3600,
    dead_letter=("dlx", "dlq.chat.process"),
)
#: Where those go that nobody could answer, for seven days.
chat.queue("dlq.chat.process", format="taskiq", type="classic", exchange="dlx", ttl=7 * 24 * 3600)
