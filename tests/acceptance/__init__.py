"""Stories, told through the real command line."""
