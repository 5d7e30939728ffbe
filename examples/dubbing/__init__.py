"""Dubbing: a video gets the same words in another language, by five steps that are each done once."""
