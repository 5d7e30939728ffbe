"""chat-api: takes messages over HTTP, says where their answers can be watched, and serves the page."""
