"""Which backend runs: environment, process, thread; with a compiler and without."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import lazygrad as lg
from lazygrad.runtime.backend_choice import (
    are_deterministic_algorithms_enabled,
    backend,
    current_backend,
    get_backend,
    is_deterministic_algorithms_warn_only_enabled,
    set_backend,
    use_deterministic_algorithms,
    waits_for_compiler,
)
from lazygrad.targets.c.toolchain import search
from lazygrad.targets.devices import target_names
from tests.runtime.toolchains import compiler_script, fresh_process, needs_compiler


def choices() -> str:
    """What an error lists; other tests may have registered targets."""
    return ", ".join(("auto", *target_names()))


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    with fresh_process(monkeypatch, tmp_path / "cache"), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@needs_compiler
def test_c_is_the_default_where_there_is_a_compiler() -> None:
    assert get_backend() == "auto" and current_backend() == "c"


def test_numpy_is_the_default_where_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert current_backend() == "numpy"


@pytest.mark.parametrize("compiler", ["missing", "exit 1", "garbage"])
def test_a_compiler_that_does_not_work_is_warned_of_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compiler: str
) -> None:
    if compiler != "missing":
        compiler_script(tmp_path / "cc", compiler)
    monkeypatch.setenv("CC", str(tmp_path / "cc"))
    with pytest.warns(RuntimeWarning, match="everything runs on numpy .*install gcc.*doctor") as warned:
        assert [current_backend(), current_backend()] == ["numpy", "numpy"]
    assert len(warned) == 1


def test_c_without_a_compiler_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    monkeypatch.setenv("LAZYGRAD_BACKEND", "c")
    with pytest.raises(RuntimeError, match=r"/nowhere/cc: not found.*install gcc"):
        current_backend()


@pytest.mark.parametrize("name", ["numpy", "auto", ""])
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("LAZYGRAD_BACKEND", name)
    assert get_backend() == (name or "auto")


def test_a_bad_environment_is_refused_at_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYGRAD_BACKEND", "fortran")
    with pytest.raises(ValueError, match=f"LAZYGRAD_BACKEND must be one of {choices()}, not 'fortran'"):
        current_backend()
    with backend("numpy"):
        assert current_backend() == "numpy"


def test_a_bad_name_is_refused() -> None:
    for refused in (backend, set_backend):
        with pytest.raises(ValueError, match=f"must be one of {choices()}, not 'C'"):
            refused("C")


def test_what_a_device_runs_anyway_is_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    says = r"one of auto, numpy, c.*, not 'cuda'; tensors choose the device: device=\"cuda\", or set_default_device"
    monkeypatch.setenv("LAZYGRAD_BACKEND", "cuda")
    for choose in (get_backend, lambda: set_backend("cuda"), lambda: backend("cuda")):
        with pytest.raises(ValueError, match=says):
            choose()


def test_the_process_choice_replaces_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYGRAD_BACKEND", "c")
    set_backend("numpy")
    assert current_backend() == "numpy"


def test_contexts_nest_and_end_with_an_error() -> None:
    set_backend("auto")
    context = backend("numpy")
    with context:
        with pytest.raises(KeyError), backend("c"):
            raise KeyError
        assert get_backend() == "numpy"
        with context:
            set_backend("c")
            assert get_backend() == "numpy"
        assert get_backend() == "numpy"
    assert get_backend() == "c"


def test_a_context_holds_in_its_thread_only() -> None:
    seen = []
    with backend("numpy"):
        thread = threading.Thread(target=lambda: seen.append(get_backend()))
        thread.start()
        thread.join()
    assert seen == ["auto"]


def test_numpy_does_not_look_for_a_compiler() -> None:
    with backend("numpy"):
        assert current_backend() == "numpy"
    assert search.cache_info().misses == 0


def test_a_plans_first_run_does_not_look_for_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazygrad.runtime.tiers._Process.interpreted_runs", 0)
    monkeypatch.setattr("lazygrad.runtime.tiers._Process.is_known", True)
    (lg.ones(3) + 5).realize()
    assert search.cache_info().misses == 0
    (lg.ones(3) + 5).realize()
    assert search.cache_info().misses == 1


def test_deterministic_mode_waits() -> None:
    assert not waits_for_compiler() and not are_deterministic_algorithms_enabled()
    use_deterministic_algorithms(True, warn_only=True)
    assert waits_for_compiler() and are_deterministic_algorithms_enabled()
    assert is_deterministic_algorithms_warn_only_enabled()
    use_deterministic_algorithms(False)
    assert not waits_for_compiler() and not is_deterministic_algorithms_warn_only_enabled()


@pytest.mark.parametrize(("value", "waits"), [("1", True), ("0", False), ("", False)])
def test_the_environment_makes_plans_wait(monkeypatch: pytest.MonkeyPatch, value: str, waits: bool) -> None:
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", value)
    assert waits_for_compiler() == waits
    assert not are_deterministic_algorithms_enabled()


def test_importing_the_package_loads_nothing_for_compilers() -> None:
    program = """if True:
        import sys
        import lazygrad, lazygrad.runtime.backend_choice, lazygrad.host.background
        print(sorted({"subprocess", "fcntl", "tempfile"} & set(sys.modules)))
        """
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
