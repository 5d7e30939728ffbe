"""Contenders on one RabbitMQ, with quorum queues."""
