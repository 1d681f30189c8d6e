"""How many plans are kept, and how much memory they may take."""

from __future__ import annotations

from lazygrad.runtime.realize import cache, realize_lock


def set_plan_cache_limits(*, plans: int | None = None, megabytes: float | None = None) -> None:
    """Choose how much the plan cache keeps; what is too much now goes at once, the least recently used plan first.

    A plan keeps its graphs, its sources and its code; `lazygrad.cache_info` says how many bytes all plans hold, as
    estimated from the number of their operations. A plan that is needed again after it went is made again. The newest
    plan stays, however large it is.

    Args:
        plans: the most plans, at first 512; None leaves the limit as it is.
        megabytes: the most memory, in units of 2²⁰ bytes, at first 256; None leaves the limit as it is.

    Raises:
        ValueError: a limit is not positive.
    """
    for limit in (plans, megabytes):
        if limit is not None and limit <= 0:
            raise ValueError(f"set_plan_cache_limits: a limit must be positive, not {limit}")
    with realize_lock:
        if plans is not None:
            cache.capacity = plans
        if megabytes is not None:
            cache.byte_capacity = int(megabytes * 2**20)
        cache.shrink()
