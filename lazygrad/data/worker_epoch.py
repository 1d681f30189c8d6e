"""Passes over a loader's batches that worker processes make ahead of time, in the order PyTorch yields them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import Any

from lazygrad.data.crew import Crew, Worker
from lazygrad.data.worker import End, Failure, Task, Work


class WorkerEpochs:
    """The workers of a loader, and the passes that they serve, one at a time.

    Args:
        crew: the processes.
        prefetch_factor: how many batches each of them makes ahead.
        in_order: whether batches come in the sampler's order, or in that in which they are ready.
        timeout: how many seconds to wait for a batch; 0 for as long as it takes.
    """

    def __init__(self, crew: Crew, prefetch_factor: int, in_order: bool, timeout: float) -> None:
        self.crew = crew
        self._ahead = prefetch_factor * len(crew.workers)
        self._in_order, self._timeout = in_order, timeout
        self._epoch = -1
        self._entries: Iterator[Any] = iter(())

    def start(self, entries: Iterator[Any]) -> None:
        """Begins a pass over the entries of a sampler; what is left of the one before is dropped."""
        self._epoch += 1
        self._entries = entries
        self._numbers = itertools.count()
        self._turns = itertools.cycle(self.crew.workers)
        self._tasks: dict[int, Worker] = {}  # those that are not answered, in the sampler's order
        for worker in self.crew.workers:
            worker.start_epoch(self._epoch)
        for _ in range(self._ahead):
            self._give_next()

    def next(self) -> Any:
        """The next batch.

        Raises:
            StopIteration: there are no more.
            RuntimeError: a worker died, or took longer than the loader's timeout. The processes are ended then.
        """
        try:
            result = self._next_result()
        except BaseException:  # Ctrl-C too: a message may be half read
            self.crew.close()
            raise
        if result is None:
            raise StopIteration
        (value,) = result
        if isinstance(value, Failure):
            value.reraise()
        return value

    def _next_result(self) -> tuple[Any] | None:
        while worker := self._worker_to_ask():
            received = worker.receive(self._epoch, self._timeout or None)
            if received is None:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            number, value = received
            del self._tasks[number]
            worker.has_ended |= isinstance(value, End)
            self._give_next()
            if not isinstance(value, End):
                return (value,)
        return None

    def _worker_to_ask(self) -> Worker | None:
        """Who has the next batch, or will have it; None when nobody has any."""
        for number in [number for number, worker in self._tasks.items() if worker.has_ended]:
            del self._tasks[number]  # an iterable dataset ended: nobody answers what it was asked for after that
        if not self._tasks:
            return None
        if self._in_order:
            return next(iter(self._tasks.values()))
        # Whoever answers first, or has ended; when the time is over anyone, who will not answer in time either.
        sources: dict[Any, Worker] = {}
        for worker in self._tasks.values():
            sources[worker.answers] = sources[worker.process.sentinel] = worker
        ready = wait(list(sources), self._timeout or None)
        return sources[min(ready, key=lambda source: isinstance(source, int)) if ready else next(iter(sources))]

    def _give_next(self) -> None:
        """Gives the sampler's next entry to the worker whose turn it is."""
        try:
            entry = next(self._entries)
        except StopIteration:
            return
        worker = self._next_worker()
        if worker is not None:
            task = Task(self._epoch, next(self._numbers), entry)
            self._tasks[task.number] = worker
            worker.give(task)

    def _next_worker(self) -> Worker | None:
        working = [worker for worker in self.crew.workers if not worker.has_ended]
        for worker in itertools.islice(self._turns, len(self.crew.workers)):
            if not worker.has_ended and (self._in_order or worker.unanswered < self._ahead // len(working)):
                return worker
        return None


def works_of(loader: Any, base_seed: int) -> list[Work]:
    """What each worker of a DataLoader is to do."""
    return [
        Work(
            loader.dataset,
            loader._auto_collation,
            loader.collate_fn,
            loader.drop_last,
            base_seed,
            loader.worker_init_fn,
            number,
            loader.num_workers,
        )
        for number in range(loader.num_workers)
    ]
