"""The one exception of this package that users see only as a warning or inside a RuntimeError."""


class Unguardable(Exception):
    """A call does something that a replay could not repeat faithfully; as a string, what it does."""
