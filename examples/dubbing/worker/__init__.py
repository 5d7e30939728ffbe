"""dubbing-worker: the pipeline and what its steps do."""
