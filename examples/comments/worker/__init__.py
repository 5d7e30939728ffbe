"""comments-worker: writes comments, edits and likes."""
