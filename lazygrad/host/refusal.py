"""How compiled code says that it met an operand it cannot compute with."""

from __future__ import annotations


class Refused(Exception):
    """An operand is out of range; nothing was overwritten, and running the plan on numpy says which it is."""
