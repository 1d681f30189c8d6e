"""The worker processes of a DataLoader, as the process that iterates sees them."""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from fcntl import F_SETPIPE_SZ, fcntl
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any

from lazygrad.data.messages import unpacked
from lazygrad.data.slots import SlotFile, SlotReader
from lazygrad.data.worker import Answer, Task, Work, serve
from lazygrad.ops.creation.filled import full

_SECONDS_TO_END = 5.0  # for a worker to finish its batch, before it is ended
_PIPE_BYTES = 1 << 20
_BYTES_AHEAD = 1 << 14  # of tasks that wait in a worker's pipe, of which the smallest holds 64 KiB


class WorkerDiedError(RuntimeError):
    """A worker process ended before its work did."""


class Worker:
    """One worker process.

    Tasks are sent as long as they fit into its pipe, so that neither process ever waits for the other to read what it
    is sent while that one waits too.

    Attributes:
        has_ended: its iterable dataset has no more samples in this epoch.
        unanswered: how many tasks it was given and has not answered.
    """

    def __init__(self, context: Any, work: Work, others: Sequence[Worker]) -> None:
        self.has_ended, self.unanswered = False, 0
        self.file = SlotFile()
        self._slots = SlotReader(self.file)
        self._held_back: deque[bytes] = deque()
        self._bytes_ahead: deque[int] = deque()
        tasks, self.tasks = context.Pipe(duplex=False)
        self.answers, answers = context.Pipe(duplex=False)
        with suppress(OSError):  # only so that a worker need not wait while others are read
            fcntl(answers.fileno(), F_SETPIPE_SZ, _PIPE_BYTES)
        ours = [end for worker in (*others, self) for end in (worker.tasks, worker.answers)]
        inherited = ours if context.get_start_method() == "fork" else []
        self.process: BaseProcess = context.Process(
            target=serve, args=(work, tasks, answers, self.file, inherited), daemon=True
        )
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until the child ignores it
        try:
            self.process.start()
        except BaseException:
            self.close()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            tasks.close()
            answers.close()
        self._poll = select.poll()
        self._poll.register(self.answers.fileno(), select.POLLIN)
        self._poll.register(self.process.sentinel, select.POLLIN)

    def give(self, task: Task) -> None:
        """Sends a task, at once or when others have been answered."""
        self.unanswered += 1
        self._held_back.append(pickle.dumps(task, protocol=5))
        self._send_on()

    def _send_on(self) -> None:
        while self._held_back:
            message = self._held_back[0]
            if self._bytes_ahead and sum(self._bytes_ahead) + len(message) > _BYTES_AHEAD:
                return
            self._held_back.popleft()
            self._bytes_ahead.append(len(message))
            with suppress(BrokenPipeError, ConnectionResetError):  # it died; whoever asks for its next batch is told
                self.tasks.send_bytes(message)

    def start_epoch(self, epoch: int) -> None:
        """Forgets what an earlier epoch left undone: the worker passes over it."""
        self.file.epoch[0] = epoch
        self._held_back.clear()
        self.has_ended, self.unanswered = False, 0

    def receive(self, epoch: int, seconds: float | None) -> tuple[int, Any] | None:
        """The number and the result of a task of this epoch; None when ``seconds`` have passed.

        Raises:
            WorkerDiedError: the process has ended.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
            ready = [descriptor for descriptor, _ in self._poll.poll(left)]
            if not ready:
                return None
            if self.answers.fileno() not in ready:
                raise self._death()
            try:
                answer: Answer = pickle.loads(self.answers.recv_bytes())
            except (EOFError, ConnectionResetError):
                raise self._death() from None
            value = unpacked(answer.pickled, answer.sent, self._slots)
            self._bytes_ahead.popleft()
            self._send_on()
            if answer.epoch == epoch:
                self.unanswered -= 1
                return answer.number, value

    def _death(self) -> WorkerDiedError:
        self.process.join(_SECONDS_TO_END)
        code = self.process.exitcode
        how = f"with status {code}"
        if code is not None and code < 0:
            how = f"killed by {signal.Signals(-code).name}" + (", perhaps for want of memory" if code == -9 else "")
        return WorkerDiedError(f"DataLoader worker (pid(s) {self.process.pid}) exited unexpectedly, {how}")

    def close(self) -> None:
        """Closes the pipes, at whose end the process ends."""
        self.tasks.close()
        self.answers.close()


class Crew:
    """All workers of a loader; they end when this object is closed or forgotten."""

    def __init__(self, context: BaseContext, works: Sequence[Work]) -> None:
        full((100, 100), 0.5).realize()  # loads what computes, which each worker would have to load otherwise
        self.workers: list[Worker] = []
        self._end = weakref.finalize(self, _end, self.workers, os.getpid())
        try:
            for work in works:
                self.workers.append(Worker(context, work, self.workers))
        except BaseException:
            self.close()
            raise

    @property
    def is_closed(self) -> bool:
        return not self._end.alive

    def close(self) -> None:
        """Ends the processes: each finishes the batch that it is making, if that does not take long."""
        self._end()


def _end(workers: list[Worker], owner: int) -> None:
    if os.getpid() != owner:  # a forked child has a copy of this object, and drops it
        return
    for worker in workers:
        worker.file.end[0] = 1
        worker.close()
    deadline = time.monotonic() + _SECONDS_TO_END
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
    for worker in workers:
        if worker.process.is_alive():
            worker.process.terminate()
            worker.process.join(_SECONDS_TO_END)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.process.close()
