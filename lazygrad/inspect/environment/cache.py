"""The plan cache in numbers."""

from __future__ import annotations

from typing import NamedTuple

from lazygrad.runtime.dynamic.families import families
from lazygrad.runtime.realize import cache
from lazygrad.runtime.tiers import runs


class CacheInfo(NamedTuple):
    """How programs were run so far, and how full the plan cache is.

    Attributes:
        hits: realizations whose plan was there already.
        misses: realizations that had to plan; `explain_cache_miss` says why the last one did.
        interpreted: realizations of programs too new for a plan, which were computed node by node.
        restored: programs whose compiled plan an earlier process had kept on disk.
        size: plans it holds now.
        capacity: the most it keeps; the least recently used go first.
        planned_runs: how often plans ran without a compiler, on numpy; replays of `compile` count, too.
        compiled_runs: how often compiled plans ran.
        bytes: what the plans hold, about.
        byte_capacity: the most they may hold; `set_plan_cache_limits` changes both limits.
        dynamic_plans: plans that serve a range of sizes; see `mark_dynamic`. They are not among the others.
        dynamic_runs: how often they ran.
    """

    hits: int
    misses: int
    interpreted: int
    restored: int
    size: int
    capacity: int
    planned_runs: int
    compiled_runs: int
    bytes: int
    byte_capacity: int
    dynamic_plans: int
    dynamic_runs: int


def cache_info() -> CacheInfo:
    """How programs were run since the start of the process, and how full the plan cache is."""
    counts = cache.hits, cache.misses, cache.interpreted, cache.restored, len(cache), cache.capacity
    many = families.plans, runs.dynamic
    return CacheInfo(*counts, runs.planned, runs.compiled, cache.bytes_held, cache.byte_capacity, *many)
