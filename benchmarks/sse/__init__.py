"""Gateways that send the events of jobs to browsers, as server-sent events.

For all of them: HTTP/1.1 on loopback, one server process on uvloop, and a client process that holds all other ends.
An event is one frame, written to each client by one send; the next one comes when every client has the one before.
"""
