"""Clients of RabbitMQ without a framework around them: ours, and a C program as the floor."""
