"""Running a compiler as a child process that cannot hang, outlive the program, or take the terminal's Ctrl-C."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lazygrad.host.background import program_ends, stop_at_exit, while_waiting
from lazygrad.host.processors import free_processors
from lazygrad.targets.executable import LoadError


class BuildError(LoadError):
    """Something could not be compiled or loaded. As a string it is one line.

    Attributes:
        reason: what went wrong.
        output: all that the compiler printed; may be empty.
    """

    def __init__(self, reason: str, output: str = "") -> None:
        super().__init__(reason, output)
        self.reason, self.output = reason, output

    def __str__(self) -> str:
        lines = self.output.splitlines()
        faults = [line for line in lines if "error:" in line.lower()]  # a path may hold the word alone
        telling = next(iter([*faults, *[line for line in lines if "error" in line.lower()], *lines]), "")
        return f"{self.reason}: {telling}" if telling else self.reason


class CompilerHung(BuildError):
    """The compiler did not end in time and was killed. It is no use asking it again."""


class CompilerProcess:
    """A compiler at work. Its temporary files go into ``folder``, so that one who is killed leaves nothing elsewhere.

    What it prints goes into a file there, too: a pipe that nobody reads would stop it once it is full.

    Raises:
        BuildError: it cannot be started.
        OSError: nothing can be written to the folder.
    """

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        import subprocess  # not needed by a program that finds all objects in the cache
        import tempfile

        self.name = command[0]
        self._printed = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115, `kill` closes it
        try:
            # In a session of its own, it can be killed together with the programs that it starts itself.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._printed,
                stderr=subprocess.STDOUT,
                env=os.environ | {"TMPDIR": str(folder), "LC_ALL": "C"},
                start_new_session=True,
            )
        except OSError as error:
            self._printed.close()
            raise BuildError(f"{self.name} cannot be run ({error.strerror})") from error
        _running.add(self)
        if program_ends():  # asked once it can be seen running: either we end it now, or `_kill_all` will
            self.kill()
            raise BuildError("the program is ending")

    def output(self, timeout: float) -> str:
        """Wait until it has succeeded; returns what it printed.

        Args:
            timeout: seconds from now.

        Raises:
            CompilerHung: it took longer.
            BuildError: it failed.
        """
        from subprocess import TimeoutExpired

        try:
            with while_waiting():
                self._process.wait(timeout)
            self._printed.seek(0)
            text = self._printed.read().decode(errors="replace").strip()
        except TimeoutExpired as error:
            raise CompilerHung(f"{self.name} did not end within {timeout:g} s") from error
        finally:
            self.kill()
        if self._process.returncode != 0:
            raise BuildError(f"{self.name} failed with exit status {self._process.returncode}", text)
        return text

    def is_at_work(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it now, and what it started; nothing happens if it has ended. Its output is gone."""
        self.end()
        self._printed.close()

    def end(self) -> None:
        """End it now, while another thread may wait for its output."""
        _running.discard(self)
        if self._process.poll() is None:
            with suppress(ProcessLookupError):  # the thread that waits for it was faster
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def can_start_compiler() -> bool:
    """Whether fewer compilers of this process are at work than it may use processors."""
    return sum([process.is_at_work() for process in list(_running)]) < free_processors()


def run_compiler(command: Sequence[str], folder: Path, timeout: float) -> str:
    """What ``command`` prints; `CompilerProcess` has the errors."""
    return CompilerProcess(command, folder).output(timeout)


_running: set[CompilerProcess] = set()


def _kill_all() -> None:
    for process in list(_running):
        process.end()


stop_at_exit(_kill_all)
os.register_at_fork(after_in_child=_running.clear)  # the parent's compilers are not the child's to kill
