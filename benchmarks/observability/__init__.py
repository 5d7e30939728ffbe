"""What metrics and traces cost a worker: Goatherd beside itself, with everything off and with everything on."""
