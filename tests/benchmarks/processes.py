"""The parent's side of a worker process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.benchmarks.case import Case, Contender, Scale
from tests.benchmarks.frameworks import THREADS, Missing

ROOT = Path(__file__).resolve().parents[2]
_SHARED_CACHE = Path(tempfile.gettempdir()) / f"lazygrad-benchmarks-{os.getuid()}"
"""Kept between runs: what torch.compile compiled, so that only its first process waits for the compiler; and bytecode,
which any installation has, even where the environment forbids writing it beside the modules."""


class ContenderFailed(Exception):
    """A worker raised or died."""


def environment(cold_caches: Path | None = None, wait_for_compiler: bool = False) -> dict[str, str]:
    """For a worker: `THREADS` threads, caches of compiled code, bytecode.

    Args:
        cold_caches: an empty folder for all caches; None for those that earlier workers filled.
        wait_for_compiler: lazygrad's first call waits for its C compiler instead of starting with numpy.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    torch_cache = (cold_caches or _SHARED_CACHE) / "torchinductor"
    variables = dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NPROC"), str(THREADS)
    )  # NPROC is XLA's
    variables |= {
        "PYTHONPYCACHEPREFIX": str(_SHARED_CACHE / "bytecode"),
        "TORCHINDUCTOR_CACHE_DIR": str(torch_cache),
        "JAX_PLATFORMS": "cpu",
    }
    if cold_caches is not None:
        variables |= {"LAZYGRAD_CACHE_DIR": str(cold_caches / "lazygrad"), "XDG_CACHE_HOME": str(cold_caches / "xdg")}
    if wait_for_compiler:
        variables["LAZYGRAD_WAIT_FOR_COMPILER"] = "1"
    return kept | variables


class WorkerProcess:
    """One contender of one case; a context manager that ends the process."""

    def __init__(self, case: Case, contender: Contender, variables: dict[str, str], scale: Scale = "full") -> None:
        self.contender, self.processor_seconds = contender, 0.0
        self._complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by `close`
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.worker", case.name, contender.label, scale],
            cwd=ROOT,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
        )

    def ask(self, action: str, **arguments: Any) -> dict[str, Any]:
        """The reply to a request.

        Raises:
            Missing: the contender cannot take part.
            ContenderFailed: it raised or died.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"action": action, **arguments}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ContenderFailed(self._last_words()) from None
        line = self._process.stdout.readline()
        if not line:
            raise ContenderFailed(self._last_words())
        reply: dict[str, Any] = json.loads(line)
        self.processor_seconds = reply.pop("processor_seconds")
        if "missing" in reply:
            raise Missing(reply["missing"])
        if "error" in reply:
            raise ContenderFailed(reply["error"])
        return reply

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the process: it stops when it can read no more requests."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(timeout=5)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._complaints.close()

    def _last_words(self) -> str:
        self._process.wait()
        self._complaints.seek(0)
        return f"exit status {self._process.returncode}\n" + self._complaints.read()[-2000:]
