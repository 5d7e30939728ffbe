"""Contenders that ask and wait for the answer, on one RabbitMQ.

For all of them: one durable classic queue of requests, which are persistent; a server that takes up to 200 of them and
acks each after it has answered; one connection's worth of callbacks, tasks or threads that ask.
"""
