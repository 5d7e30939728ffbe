"""The broker port on RabbitMQ, over a lean AMQP 0-9-1 client of our own."""
