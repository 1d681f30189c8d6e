"""What each program may do; those that are not named do the usual."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """What a run of a program must keep to.

    Attributes:
        steps: how many are run. The first half warms up, the second is held to the rest.
        misses: realizations of the second half that may have to plan.
        tolerance: of what is yielded, relative, beside 1e-5 absolute.
    """

    steps: int = 10
    misses: int = 0
    tolerance: float = 1e-4


EXCEPTIONS: dict[str, Expected] = {}
USUAL = Expected()


def expected(name: str) -> Expected:
    """For the program ``family/name``."""
    return EXCEPTIONS.get(name, USUAL)
