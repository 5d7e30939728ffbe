"""The plain way to stream a job's events, written down as it is usually drawn, to see how much it loses.

A worker adds events to a sharded Redis stream; a router reads them as a consumer group, marks each as published and
publishes it; a gateway shows the state that it finds, subscribes, and passes on what it hears through a queue for each
client. It is a baseline for fault runs and nothing else: never use it, and the package never imports it.

It is not made worse than it must be: stages and tokens of an attempt share one counter, so that no event is dropped
because of its kind, and a silent job's state is looked at again and again, so that its end is seen.
"""
