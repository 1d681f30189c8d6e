"""The plan cache in numbers."""

from __future__ import annotations

from typing import NamedTuple

from lazygrad.runtime.realize import cache


class CacheInfo(NamedTuple):
    """How the plan cache did so far.

    Attributes:
        hits: realizations whose plan was there already.
        misses: realizations that had to plan; `explain_cache_miss` says why the last one did.
        interpreted: realizations of programs too new for a plan, which were computed node by node.
        size: plans it holds now.
        capacity: the most it keeps; the least recently used go first.
    """

    hits: int
    misses: int
    interpreted: int
    size: int
    capacity: int


def cache_info() -> CacheInfo:
    """How programs were run since the start of the process, and how full the plan cache is."""
    return CacheInfo(cache.hits, cache.misses, cache.interpreted, len(cache), cache.capacity)
