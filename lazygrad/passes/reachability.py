"""Which groups wait for which, kept exact for the groups that can still grow.

At most `WINDOW` groups are open, those that grew last; each stores, as a bit mask over the window's slots, the open
groups it depends on. That bounds the work per merge, so that planning stays linear in the number of nodes. What a
closing group depends on closes with it, so no closed group waits for an open one and paths between open groups
never lead through closed ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

WINDOW = 64


class Reachability:
    """Dependencies among groups (integers handed out by `open`)."""

    def __init__(self) -> None:
        self._ancestors: list[int] = []
        self._inputs: list[set[int]] = []
        self._slot_owner: list[int | None] = [None] * WINDOW
        self._free_slots = list(range(WINDOW))
        self._merged_into: dict[int, int] = {}
        self._slot_of: dict[int, int] = {}  # in the order in which groups grew last

    def find(self, group: int) -> int:
        """The group that ``group`` was merged into, or itself."""
        while group in self._merged_into:
            group = self._merged_into[group]
        return group

    def is_open(self, group: int) -> bool:
        return group in self._slot_of

    def open(self, inputs: Iterable[int]) -> int:
        """A new group that reads the results of ``inputs``."""
        if not self._free_slots:
            self._close(next(iter(self._slot_of)))
        group = len(self._ancestors)
        direct = {self.find(i) for i in inputs}
        self._inputs.append(direct)
        self._ancestors.append(self._mask(direct))
        slot = self._free_slots.pop()
        self._slot_owner[slot] = group
        self._slot_of[group] = slot
        return group

    def _close(self, group: int) -> None:
        mask = self._ancestors[group] | 1 << self._slot_of[group]
        for member in list(self._owners(mask)):
            self._free(member)
        for other in self._slot_of:
            self._ancestors[other] &= ~mask

    def _free(self, group: int) -> None:
        slot = self._slot_of.pop(group)
        self._slot_owner[slot] = None
        self._free_slots.append(slot)

    def _mask(self, groups: Iterable[int]) -> int:
        mask = 0
        for group in groups:
            if group in self._slot_of:
                mask |= self._ancestors[group] | 1 << self._slot_of[group]
        return mask

    def _owners(self, mask: int) -> Iterator[int]:
        while mask:
            owner = self._slot_owner[(mask & -mask).bit_length() - 1]
            assert owner is not None
            yield owner
            mask &= mask - 1

    def would_cycle(self, first: int, second: int) -> bool:
        """Whether one open group waits for the other through a third one."""
        return self._through_third(first, second) or self._through_third(second, first)

    def _through_third(self, below: int, above: int) -> bool:
        bit = 1 << self._slot_of[above]
        if not self._ancestors[below] & bit:
            return False
        for read in self._inputs[below]:
            group = self.find(read)
            if group != above and group != below and group in self._slot_of and self._ancestors[group] & bit:
                return True
        return False

    def merge(self, kept: int, absorbed: int) -> None:
        """Both open groups become ``kept``; everything that waits for either waits for both."""
        kept_bit, absorbed_bit = 1 << self._slot_of[kept], 1 << self._slot_of[absorbed]
        joined = (self._ancestors[kept] | self._ancestors[absorbed]) & ~(kept_bit | absorbed_bit)
        self._ancestors[kept] = joined
        inputs = {self.find(group) for group in self._inputs[kept] | self._inputs[absorbed]}
        self._inputs[kept] = inputs - {kept, absorbed}
        self._free(absorbed)
        self._merged_into[absorbed] = kept
        self._slot_of[kept] = self._slot_of.pop(kept)
        either = kept_bit | absorbed_bit
        for group in [group for group in self._slot_of if self._ancestors[group] & either]:
            self._ancestors[group] = (self._ancestors[group] & ~absorbed_bit) | kept_bit | joined
