"""What an allocator counts, under PyTorch's names (``cuda.memory_stats``)."""

from __future__ import annotations

from collections.abc import Iterator

_POOLS = ("all", "small_pool", "large_pool")


class Statistic:
    """How much there is of something, the most there was, and how much came and went.

    Attributes:
        current, peak: now, and at most since `Statistic.reset_peak`.
        allocated, freed: came and went since `reset_accumulated`.
    """

    __slots__ = ("allocated", "current", "freed", "peak")

    def __init__(self) -> None:
        self.current = self.peak = self.allocated = self.freed = 0

    def add(self, amount: int) -> None:
        self.current += amount
        self.allocated += amount
        if self.current > self.peak:
            self.peak = self.current

    def take(self, amount: int) -> None:
        self.current -= amount
        self.freed += amount


class Counted:
    """One kind of thing, of which there are some in each pool."""

    __slots__ = ("large", "small", "total")

    def __init__(self) -> None:
        self.total, self.small, self.large = Statistic(), Statistic(), Statistic()

    def add(self, is_small: bool, amount: int) -> None:
        self.total.add(amount)
        (self.small if is_small else self.large).add(amount)

    def take(self, is_small: bool, amount: int) -> None:
        self.total.take(amount)
        (self.small if is_small else self.large).take(amount)

    def named(self) -> Iterator[tuple[str, Statistic]]:
        yield from zip(_POOLS, (self.total, self.small, self.large), strict=True)


class Statistics:
    """Of one device.

    Attributes:
        allocation, allocated_bytes: what values and arenas take, rounded up.
        requested_bytes: what was asked for.
        segment, reserved_bytes: what was taken from the device.
        inactive_split, inactive_split_bytes: free parts of segments of which other parts are in use.
        num_alloc_retries: how often memory had to be given back to the device to serve a request.
        num_ooms: how often that was not enough.
        num_device_alloc, num_device_free: how often the device was asked.
    """

    _KINDS = (
        "allocation",
        "segment",
        "inactive_split",
        "allocated_bytes",
        "reserved_bytes",
        "inactive_split_bytes",
        "requested_bytes",
    )
    _COUNTERS = ("num_alloc_retries", "num_ooms", "num_device_alloc", "num_device_free")

    def __init__(self) -> None:
        self.allocation, self.segment, self.inactive_split = Counted(), Counted(), Counted()
        self.allocated_bytes, self.reserved_bytes = Counted(), Counted()
        self.inactive_split_bytes, self.requested_bytes = Counted(), Counted()
        self.num_alloc_retries = self.num_ooms = self.num_device_alloc = self.num_device_free = 0

    def as_dictionary(self) -> dict[str, int]:
        """All figures by PyTorch's names, in alphabetical order; "active" is what is allocated."""
        found = {name: int(getattr(self, name)) for name in self._COUNTERS}
        for kind, statistic in self._all():
            for part in Statistic.__slots__:
                found[f"{kind}.{part}"] = getattr(statistic, part)
        for key in [key for key in found if key.startswith(("allocation.", "allocated_bytes."))]:
            found["active" + key.removeprefix("allocation").removeprefix("allocated")] = found[key]
        return dict(sorted(found.items()))

    def reset_peak(self) -> None:
        """Forget what there was at most."""
        for _, statistic in self._all():
            statistic.peak = statistic.current

    def reset_accumulated(self) -> None:
        """Forget what came and went."""
        for _, statistic in self._all():
            statistic.allocated = statistic.freed = 0
        for name in self._COUNTERS:
            setattr(self, name, 0)

    def _all(self) -> Iterator[tuple[str, Statistic]]:
        for kind in self._KINDS:
            for pool, statistic in getattr(self, kind).named():
                yield f"{kind}.{pool}", statistic
