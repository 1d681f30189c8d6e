"""``torch.multiprocessing.spawn``: one function in several processes, whose first error ends them all."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from multiprocessing import connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, cast

from lazygrad.ir.user_warning import warn_user

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "spawn",
    "start_processes",
]

_SECONDS_TO_TERMINATE = 30.0


class ProcessException(Exception):
    """That a process failed.

    Attributes:
        msg: what is said of it.
        error_index: which of several processes it was.
        error_pid: its number in the system.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """That code in a process raised an error, whose traceback is in the message."""


class ProcessExitedException(ProcessException):
    """That a process ended by a signal or with a code.

    Attributes:
        exit_code: the code; of a signal, its negative number.
        signal_name: of the signal, None for none.
    """

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


class ProcessContext:
    """Processes that run one function, and that end together.

    Attributes:
        processes: in the order of the numbers that they were called with.
        sentinels: what is ready once a process has ended, with the process's number, of those not yet seen to end.
    """

    def __init__(self, processes: list[BaseProcess], folder: tempfile.TemporaryDirectory[str]) -> None:
        self.processes = processes
        self._folder = folder  # of the files that they write what went wrong to; it is removed with this object
        self.sentinels: dict[int, int] = {process.sentinel: i for i, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The processes' numbers in the system."""
        return [int(process.pid or 0) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until one or more processes end. Where one has failed, end the others and raise what is known of it.

        Args:
            timeout: in seconds; without one, as long as it takes.
            grace_period: seconds in which the others may end by themselves after one has failed.

        Returns:
            Whether all have ended.

        Raises:
            ProcessRaisedException: a process raised an error.
            ProcessExitedException: a process ended by a signal or with another code than 0.
        """
        if not self.sentinels:
            return True
        for sentinel in connection.wait(list(self.sentinels), timeout):
            index = self.sentinels.pop(cast(int, sentinel))
            self.processes[index].join()
            if self.processes[index].exitcode:
                self._end_all(grace_period)
                raise self._error_of(index)
        return not self.sentinels

    def _end_all(self, grace_period: float | None) -> None:
        if grace_period is not None:
            self._wait(grace_period)
        for process in self.processes:
            process.terminate()
        self._wait(_SECONDS_TO_TERMINATE)
        for process in self.processes:
            process.kill()
            process.join()

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))

    def _error_of(self, index: int) -> ProcessException:
        pid, code = self.pids()[index], int(self.processes[index].exitcode or 0)
        trace = _error_file(self._folder, index).read_text(encoding="utf-8")
        if trace:
            said = f"\n\n-- Process {index} terminated with the following error:\n{trace}"
            return ProcessRaisedException(said, index, pid)
        if code > 0:
            return ProcessExitedException(f"process {index} terminated with exit code {code}", index, pid, code)
        name = _name_of_signal(-code)
        return ProcessExitedException(f"process {index} terminated with signal {name}", index, pid, code, name)


class SpawnContext(ProcessContext):
    """PyTorch's name of the context that `spawn` returns."""


def _name_of_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"<Unknown signal {number}>"


def start_processes(
    fn: Callable[..., object],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Call ``fn(i, *args)`` in ``nprocs`` processes, ``i`` from 0 on.

    Args:
        fn: where processes are spawned, a function that can be imported.
        args: handed over as `multiprocessing` does.
        nprocs: how many.
        join: whether to wait until all have ended.
        daemon: whether the processes end with this one.
        start_method: a name of `multiprocessing.get_all_start_methods`.

    Returns:
        None, or the context to wait with if ``join`` is False.

    Raises:
        ProcessRaisedException: ``fn`` raised an error in a process; the other processes are ended.
        ProcessExitedException: a process ended by a signal or with another code than 0; so are the others.
    """
    starting: BaseContext = multiprocessing.get_context(start_method)
    folder = tempfile.TemporaryDirectory(prefix="lazygrad-processes-")
    processes: list[BaseProcess] = []
    for i in range(nprocs):
        file = _error_file(folder, i)
        file.touch()
        process = starting.Process(target=_call, args=(fn, i, args, file), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        processes.append(process)
    context = SpawnContext(processes, folder)
    if not join:
        return context
    while not context.join():
        pass
    return None


def spawn(
    fn: Callable[..., object],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`start_processes` by spawning; another method is warned of, as in PyTorch."""
    if start_method != "spawn":
        warn_user(
            f"This method only supports start_method=spawn (got: {start_method}). To use a different start_method use "
            "torch.multiprocessing.start_processes(...)",
            FutureWarning,
        )
    return start_processes(fn, args, nprocs, join, daemon, "spawn")


def _error_file(folder: tempfile.TemporaryDirectory[str], number: int) -> Path:
    return Path(folder.name) / str(number)


def _call(fn: Callable[..., object], number: int, args: tuple[Any, ...], error_file: Path) -> None:
    """The main function of a process."""
    try:
        fn(number, *args)
    except KeyboardInterrupt:
        pass  # the parent has it too
    except Exception:
        error_file.write_text(traceback.format_exc(), encoding="utf-8")
        sys.exit(1)
