"""arcade-api: what game servers and viewers speak to, and a page that shows how everything stands."""
