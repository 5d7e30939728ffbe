"""What all examples share that consist of several programs: starting them, their servers, and checking a story."""
