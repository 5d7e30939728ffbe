"""A user's story, from a question to a language model that is gone, with every outcome checked."""
