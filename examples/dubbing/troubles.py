"""What can go wrong, in two kinds: what is worth another try, and what is not."""


class Passing(Exception):
    """May be well a moment later: a server that is away or busy, a store that cannot be reached."""


class Lasting(Exception):
    """Will not be well by itself: a file that is no video, a program that is not installed, a refused request."""
