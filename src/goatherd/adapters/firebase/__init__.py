"""Firebase Realtime Database: commands from its REST streaming protocol.

Written to the documented protocol and checked against a double of it, which the official client drives as well; it
was never run against Google's own servers.
"""
