"""What it takes to find a job among a million: the history as the dashboard searches it."""
