"""``torch.multiprocessing.spawn``: processes that compute together are not started; what programs name is here."""

from __future__ import annotations

from lazygrad.left_out import stand_in, stand_in_class

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "spawn",
    "start_processes",
]

_INSTEAD = (
    "lazygrad computes in one process, on all cores of its CPU; multiprocessing.Process starts others for other work"
)
spawn = stand_in("multiprocessing.spawn", _INSTEAD)
start_processes = stand_in("multiprocessing.start_processes", _INSTEAD)
ProcessContext = stand_in_class("multiprocessing.ProcessContext", _INSTEAD)
SpawnContext = stand_in_class("multiprocessing.SpawnContext", _INSTEAD)


class ProcessException(Exception):
    """That a process failed; raised nowhere.

    Attributes:
        msg: what is said of it.
        error_index: which of several processes it was.
        error_pid: its number in the system.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid


class ProcessRaisedException(ProcessException):
    """That code in a process raised an error; raised nowhere."""


class ProcessExitedException(ProcessException):
    """That a process ended by a signal or with a code; raised nowhere.

    Attributes:
        exit_code: the code.
        signal_name: of the signal, None for none.
    """

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name
