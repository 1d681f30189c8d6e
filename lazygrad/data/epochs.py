"""One pass over a loader's batches: what is counted in it, and the pass whose batches are made in this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from lazygrad.data.fetch import choose_fetch
from lazygrad.data.pinning import pinned
from lazygrad.data.seeding import draw_seed
from lazygrad.host.allocator import is_available
from lazygrad.ir.device import Device
from lazygrad.ir.user_warning import warn_user
from lazygrad.runtime.profiling import Activity, span


class Pass(Iterator[Any]):
    """What passes without and with workers have in common: the seed of the workers, and what is counted."""

    def __init__(self, loader: Any) -> None:
        self._pins = loader.pin_memory and is_available(Device("cuda").place)
        if loader.pin_memory and not self._pins:
            warn_user("pin_memory=True has no effect: no accelerator is found.")
        # The loader itself is not kept: it keeps a pass of persistent workers, which end when it is forgotten.
        self._dataset, self._index_sampler, self._workers = loader.dataset, loader._index_sampler, loader.num_workers
        self._entries = iter(self._index_sampler)
        self._reported_length: int | None = loader._reported_length
        # Drawn before the sampler's first draw; without workers too, so that the stream goes on equally.
        self._base_seed = draw_seed(loader.generator)
        self._yielded = 0

    def __iter__(self) -> Self:
        return self

    def __len__(self) -> int:
        return len(self._index_sampler)

    def _count(self) -> None:
        self._yielded += 1
        reported = self._reported_length
        if reported is not None and self._yielded > reported:
            warn_user(
                f"{self._dataset} reported a length of {reported}, but {self._yielded} samples were fetched."
                + (" Each worker has a copy of it, and yields all of that." if self._workers else ""),
            )


class Epoch(Pass):
    """A pass that makes each batch when it is asked for."""

    def __init__(self, loader: Any) -> None:
        if loader.timeout != 0:
            raise AssertionError(f"timeout={loader.timeout} needs worker processes; without them it must be 0")
        super().__init__(loader)
        batched = loader._auto_collation
        self._fetch = choose_fetch(loader.dataset, batched, loader.collate_fn, drop_last=loader.drop_last)
        self._ended = False

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        try:
            with span(Activity.LOADING):
                batch = self._fetch(next(self._entries))
        except StopIteration:
            self._ended = True
            raise
        self._count()
        return pinned(batch) if self._pins else batch
