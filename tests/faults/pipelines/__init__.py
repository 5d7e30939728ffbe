"""Workers of pipelines are killed and frozen, and their messages repeated and wiped."""
