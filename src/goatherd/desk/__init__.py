"""What operators ask an app, and do to it: the same for the command line, the dashboard and the HTTP API.

One file to a subject. All functions work on an app that is open; what they give is frozen and plain, so that it can be
shown, and written as JSON, as it is.
"""
