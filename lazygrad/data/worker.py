"""What a worker process of a DataLoader does: it makes the batches it is asked for and sends them, or says why not."""

from __future__ import annotations

import os
import pickle
import random
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NoReturn

import numpy as np

from lazygrad.data.dataset import Dataset, IterableDataset
from lazygrad.data.fetch import CollateFunction, Fetch, choose_fetch
from lazygrad.data.messages import Message
from lazygrad.data.slots import Sent, SlotFile, SlotWriter
from lazygrad.data.worker_info import WorkerInfo, this_process
from lazygrad.host.threads import set_num_threads
from lazygrad.ops.random.generator import manual_seed
from lazygrad.runtime.backend_choice import set_backend
from lazygrad.runtime.tiers import set_interpreted_runs

_SECONDS_BETWEEN_LOOKS = 5.0  # at whether the process that iterates is still there


@dataclass(frozen=True)
class Work:
    """What a worker needs to know, for all its life.

    Attributes:
        dataset, batched, collate_fn, drop_last: see `choose_fetch`.
        base_seed: the loader's; each worker adds its number.
        worker_init_fn: called first, with the worker's number.
        id, num_workers: the worker's number, from 0, and how many there are.
    """

    dataset: Dataset[Any]
    batched: bool
    collate_fn: CollateFunction
    drop_last: bool
    base_seed: int
    worker_init_fn: Callable[[int], None] | None
    id: int
    num_workers: int


@dataclass(frozen=True)
class Task:
    """A batch to make: in which epoch, the how manieth, of which entry of the sampler."""

    epoch: int
    number: int
    entry: Any


@dataclass(frozen=True)
class Answer:
    """What became of a task: a pickle of a batch, a `Failure` or an `End`, and the slots it reads."""

    epoch: int
    number: int
    pickled: bytes
    sent: list[Sent]


class End:
    """The worker's copy of an iterable dataset has no more samples."""


@dataclass(frozen=True)
class Failure:
    """An error of a worker, to be raised where the batch was asked for."""

    kind: type[BaseException]
    text: str

    def reraise(self) -> NoReturn:
        """Raises it, with the worker's traceback in its text; as RuntimeError where the class wants more arguments."""
        if issubclass(self.kind, KeyError):
            raise self.kind(_Verbatim(self.text))
        try:
            error = self.kind(self.text)
        except Exception:
            raise RuntimeError(self.text) from None
        raise error


class _Verbatim(str):
    """Text whose repr is itself: a KeyError shows the repr of what it was given."""

    def __repr__(self) -> str:
        return str(self)


def serve(work: Work, tasks: Connection, answers: Connection, file: SlotFile, inherited: list[Connection]) -> None:
    """The life of a worker: answers tasks until there are no more.

    Args:
        work: what to do.
        tasks: where they come from; its end is the end.
        answers: where they go.
        file: where large arrays go.
        inherited: the other process' ends, which a forked child has too and must not keep open.
    """
    for connection in inherited:
        connection.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that iterates gets Ctrl-C too, and ends this one
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    parent = os.getppid()
    slots = SlotWriter(file)
    _prepare(work, slots)
    maker = _Maker(work)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the other process wants no more, or is gone
        while os.getppid() == parent:
            if tasks.poll(_SECONDS_BETWEEN_LOOKS):
                task = tasks.recv()
                if not file.end[0]:
                    answers.send_bytes(_answer(maker, task, slots))


def _prepare(work: Work, slots: SlotWriter) -> None:
    """One thread, nothing planned or compiled, and random numbers of its own for each of the generators."""
    set_num_threads(1)
    set_backend("numpy")
    set_interpreted_runs(sys.maxsize)  # what makes plans would be loaded by each worker
    seed = work.base_seed + work.id
    random.seed(seed)
    manual_seed(seed)
    words = [work.id, work.base_seed & 0xFFFFFFFF, work.base_seed >> 32, 0]
    np.random.seed(np.random.SeedSequence(words).generate_state(4))
    this_process.info = WorkerInfo(work.id, work.num_workers, seed, work.dataset)
    this_process.new_array = slots.empty


class _Maker:
    """Makes batches; what goes wrong is a `Failure`."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._is_stream = isinstance(work.dataset, IterableDataset)
        self._fetch: Fetch | None = None
        self._epoch = -1
        self._broken: Failure | None = None
        if work.worker_init_fn is not None:
            try:
                work.worker_init_fn(work.id)
            except Exception as error:
                self._broken = self.failure(error)

    def make(self, task: Task) -> Any:
        """The batch of a task, or what there is in its place."""
        if self._broken is not None:
            return self._broken
        try:
            return self._fetched(task)
        except StopIteration as error:
            return End() if self._is_stream else self.failure(error)
        except Exception as error:
            return self.failure(error)

    def failure(self, error: BaseException) -> Failure:
        """An error, with its traceback, as it can be sent."""
        where = f"DataLoader worker process {self._work.id}"
        trace = "".join(traceback.format_exception(error))
        kind = type(error)
        return Failure(
            kind if _can_be_sent(kind) and kind is not StopIteration else RuntimeError,
            f"Caught {kind.__name__} in {where}.\nOriginal {trace}",
        )

    def _fetched(self, task: Task) -> Any:
        if self._fetch is None or self._epoch != task.epoch:
            work = self._work
            self._fetch = choose_fetch(work.dataset, work.batched, work.collate_fn, work.drop_last)
            self._epoch = task.epoch
        return self._fetch(task.entry)


def _answer(maker: _Maker, task: Task, slots: SlotWriter) -> bytes:
    # What an epoch that is over asked for is answered too, so that the other process can count what waits in the pipe.
    batch = maker.make(task) if task.epoch == slots.file.epoch[0] else None
    try:
        message = Message(batch, slots)
        del batch
        sent = slots.send(message.packed)
    except Exception as error:
        message, sent = Message(maker.failure(error), slots), []
    return pickle.dumps(Answer(task.epoch, task.number, message.pickled, sent), protocol=5)


def _can_be_sent(kind: type) -> bool:
    """Whether the other process finds the class: not one that was defined in a function."""
    try:
        return pickle.loads(pickle.dumps(kind)) is kind
    except Exception:
        return False
