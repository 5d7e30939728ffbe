"""chat-worker: answers questions in stages, from documents, with or without a language model."""
