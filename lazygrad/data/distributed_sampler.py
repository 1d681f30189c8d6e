"""A sampler for several processes, of which each reads its share; with PyTorch's order for the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import Any

from lazygrad import distributed
from lazygrad.data.sampler import Sampler
from lazygrad.ops.random.tensors import Generator, randperm

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every ``num_replicas``-th index of the dataset, beginning with that of ``rank``.

    Args:
        dataset: anything with a length.
        num_replicas: into how many shares it is divided.
        rank: which of them this is, from 0.
        shuffle: another order in each epoch; tell the sampler with `set_epoch` which one it is.
        seed: of that order; the same for all ranks.
        drop_last: leave out what does not divide evenly; otherwise the first indices come again.

    Raises:
        NotImplementedError: no ``num_replicas`` or no ``rank``: lazygrad knows of no other processes.
        ValueError: ``rank`` is not in [0, num_replicas).
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        replicas: Any = distributed.get_world_size() if num_replicas is None else num_replicas
        own: Any = distributed.get_rank() if rank is None else rank
        if not 0 <= own < replicas:
            raise ValueError(f"Invalid rank {own}, rank should be in the interval [0, {replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, replicas, own
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        length = len(dataset)
        uneven = drop_last and length % replicas != 0
        self.num_samples = length // replicas if uneven else -(-length // replicas)
        self.total_size = self.num_samples * replicas

    def __iter__(self) -> Iterator[int]:
        order = list(range(len(self.dataset)))
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            order = randperm(len(self.dataset), generator=generator).tolist()
        if order and len(order) < self.total_size:
            order = (order * -(-self.total_size // len(order)))[: self.total_size]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch follows, so that it has an order of its own."""
        self.epoch = epoch
