"""A user's story, from a recipe to a service that is down, with every outcome checked."""
