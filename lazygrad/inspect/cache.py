"""The plan cache in numbers."""

from __future__ import annotations

from typing import NamedTuple

from lazygrad.runtime.realize import cache


class CacheInfo(NamedTuple):
    """How the plan cache did so far.

    Attributes:
        hits: realizations whose plan was there already.
        misses: realizations that had to plan; `explain_cache_miss` says why the last one did.
        size: plans it holds now.
        capacity: the most it keeps; the least recently used go first.
    """

    hits: int
    misses: int
    size: int
    capacity: int


def cache_info() -> CacheInfo:
    """Hits and misses since the start of the program, and how full the plan cache is."""
    return CacheInfo(cache.hits, cache.misses, len(cache), cache.capacity)
