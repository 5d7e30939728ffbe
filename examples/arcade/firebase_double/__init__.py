"""Stands in for a Firebase Realtime Database: REST and streams on loopback, with faults on demand.

Written to the documented protocol; the official client works with it, which a test of this project shows.
"""

from examples.arcade.firebase_double.server import FirebaseDouble

__all__ = ["FirebaseDouble"]
