"""Every graph any test plans is checked after every pass; every kind of node survives being printed and parsed.

Whatever is recorded from a trace is recorded by the function too, and compared.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from lazygrad import Tensor, set_default_device
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.text import parse, same_graph
from lazygrad.ir.verify import verify
from lazygrad.ops.arguments import tracing
from lazygrad.passes.pipeline import PRIMITIVE_KINDS, observing
from lazygrad.runtime import precedents, tape
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from lazygrad.targets.c import build as c_build
from lazygrad.targets.cuda import drivers
from lazygrad.targets.cuda.dialect import NoCudaForm
from tests import selection, simulated_device, simulated_target
from tests.cuda_emulator import device as emulated_device
from tests.selection import (
    can_run_again,
    depends_on_backend,
    is_about_values,
    is_deeper,
    runs_in_each_way,
    sampled,
)
from tests.ways import MODES, WAYS_OF_MODE

_LARGEST_CHECKED = 2000
_WITHOUT_GRADIENTS = frozenset(Kind) - {Kind.GRADIENT}
_ALLOWED = {"recorded": frozenset(Kind), "recognize_attention": frozenset(Kind), "differentiate": _WITHOUT_GRADIENTS,
            "reuse_realized": _WITHOUT_GRADIENTS}  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backend",
        choices=("numpy", "c"),
        default="numpy",
        help="what runs the plans; with c each test waits for the compiler, and what does not depend on it is left out",
    )
    parser.addoption(
        "--whole",
        action="store_true",
        help="run all cases and all samples of PyTorch's database, where by default each operation has a few",
    )
    parser.addoption("--rest", action="store_true", help="run what a run without --whole leaves out, and nothing else")

    parser.addoption(
        "--mode",
        choices=MODES,
        default="default",
        help="how tests that compare values run their programs: as users have it, and one of twenty of them four times "
        "(met first, met again, by its tape, planned), or all of them; or with everything planned, or nothing. All "
        "other tests plan everything",
    )
    parser.addoption(
        "--device",
        default=None,
        help="where tests create tensors that name no device; 'simulated' needs no hardware, nor does 'cuda', whose "
        "source is emulated where there is no GPU",
    )


def pytest_configure(config: pytest.Config) -> None:
    os.environ["LAZYGRAD_BACKEND"] = config.getoption("--backend")
    os.environ["LAZYGRAD_WAIT_FOR_COMPILER"] = "1"
    os.environ["LAZYGRAD_KEEP_PLANS"] = "0"  # what a test finds would depend on those that ran before
    tracing.checking.enabled = True
    precedents.checking.enabled = True
    tape.checking.enabled = True
    selection.takes_all = config.getoption("--whole") or config.getoption("--rest")
    config.addinivalue_line("markers", "gpu: needs a GPU; skipped without one, with the piece that is missing")
    config.addinivalue_line("markers", "host_memory(reason): needs the CPU's memory; left out with --device")
    if config.getoption("--device") == simulated_device.NAME:
        simulated_device.install()
        simulated_target.install()
    elif config.getoption("--device") == "cuda" and drivers.missing_piece() is not None:
        emulated_device.install()
    config.addinivalue_line("markers", "whole: a case beyond the sample; it runs with --whole or --rest")
    config.addinivalue_line("markers", "deeper: compares more with --whole or --rest")


def pytest_report_header(config: pytest.Config) -> list[str]:
    whole, rest, backend = (config.getoption(option) for option in ("--whole", "--rest", "--backend"))
    cases = "what the sample leaves out" if rest else "all" if whole else "a sample of each operation; --whole runs all"
    lines = [f"cases: {cases}"]
    if emulated_device.is_installed():
        lines.append("device: cuda, emulated; without --whole one of four of these cases runs")
    if backend == "c":
        lines.append("backend: c; what does not depend on it (tests/selection.py) is left out, and runs with numpy")
    return lines


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Of a million objects that it makes, few become garbage: the collector never looks at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = set(items)
    if config.getoption("--rest"):
        chosen = chosen - sampled(items) | set(filter(is_deeper, items))
    elif not config.getoption("--whole"):
        chosen = sampled(items)
    if emulated_device.is_installed() and not config.getoption("--whole"):
        chosen = selection.one_of_four(chosen)
    if config.getoption("--backend") == "c":
        chosen = {item for item in chosen if depends_on_backend(item)}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


_checked: tuple[frozenset[Kind], list[Node]] = (frozenset(), [])
_read_back: set[Hashable] = set()


def check_graph(pass_name: str, graph: Graph) -> None:
    """`verify` with the kinds of op this stage may hold, and print → parse → equal if it holds a node of a new form."""
    global _checked
    allowed = _ALLOWED.get(pass_name, PRIMITIVE_KINDS)
    if len(graph) > _LARGEST_CHECKED or _checked == (allowed, [*graph.nodes, *graph.roots]):
        return
    verify(graph, allowed)
    forms = {_form(node) for node in graph.nodes if node.op.kind is not Kind.CALLBACK}
    if not forms <= _read_back or any(node.op.kind is Kind.CALLBACK for node in graph.nodes):
        assert same_graph(parse(str(graph)), graph), f"after {pass_name} the text does not read back:\n{graph}"
        _read_back.update(forms)
    _checked = (allowed, [*graph.nodes, *graph.roots])


def _form(node: Node) -> Hashable:
    """What a node's line in a text depends on, but for the numbers of nodes and the place it was recorded at."""
    return node.op.name, node.attrs, tuple(map(type, node.attrs)), node.dtype, len(node.inputs)


@pytest.fixture(autouse=True)
def verified_passes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where everything is planned, which what is observed is.

    Not with C: its plans are made of the same graphs, and checking them is half of the time.
    """
    observes = mode_of(request.node) == "planned" and request.config.getoption("--backend") == "numpy"
    with observing(check_graph) if observes else nullcontext():
        yield


@pytest.fixture(autouse=True)
def default_device(request: pytest.FixtureRequest) -> Iterator[None]:
    """The device of ``--device``, for tests that are not about the host's memory.

    `Tensor.numpy` and `Tensor.__array__` copy a tensor to the CPU first, where without the option they raise, so that
    tests read results in the words of the CPU's tests. What numpy says of a device's tensor is tested without it, by
    `tests.devices.test_programs.test_numpy_asks_for_a_copy_first`.
    """
    name = request.config.getoption("--device")
    if name is None:
        yield
        return
    marker = request.node.get_closest_marker("host_memory")
    if marker is not None:
        pytest.skip(f"on {name}: {marker.args[0]}")
    set_default_device(name)
    try:
        with pytest.MonkeyPatch.context() as patch:
            for method in ("numpy", "__array__"):
                patch.setattr(Tensor, method, _of_a_copy(getattr(Tensor, method)))
            yield
    finally:
        set_default_device(None)


def _of_a_copy(method: Callable[..., Any]) -> Callable[..., Any]:
    def read(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
        return method(tensor.cpu() if tensor.device.computes else tensor, *args, **kwargs)

    return read


@pytest.fixture(autouse=True)
def ordinary_functions(default_device: None) -> Iterator[None]:
    """A test that defines a class of tensors leaves functions that ask behind: what follows gets ordinary ones."""
    yield
    placing = sys.modules.get("lazygrad.overrides.placing")
    if placing is not None:
        placing.put_back()


@pytest.fixture(autouse=True)
def settings_stay() -> Iterator[None]:
    """A test that leaves other settings behind fails itself, rather than those that run after it."""
    before = get_interpreted_runs(), os.environ["LAZYGRAD_WAIT_FOR_COMPILER"]
    yield
    after = get_interpreted_runs(), os.environ["LAZYGRAD_WAIT_FOR_COMPILER"]
    set_interpreted_runs(before[0])
    os.environ["LAZYGRAD_WAIT_FOR_COMPILER"] = before[1]
    assert after == before


def mode_of(item: pytest.Item) -> str:
    """Of what compares values the chosen mode; runs on a device, on C, and of what a sample leaves out plan all."""
    config = item.config
    plans = config.getoption("--backend") == "c" or any(map(config.getoption, ("--rest", "--whole", "--device")))
    if plans or not is_about_values(item):
        return "planned"
    mode = str(config.getoption("--mode"))
    return "each" if mode == "default" and runs_in_each_way(item) else mode


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test in the ways of its mode, one after the other; its fixtures are set up once."""
    ways = WAYS_OF_MODE[mode_of(pyfuncitem)]
    if not can_run_again(pyfuncitem):
        ways = ways[:1]
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    for name, way in ways:
        with way():
            try:
                pyfuncitem.obj(**arguments)
            except Exception as error:
                error.add_note(f"in this way of running it: {name}")
                raise
            finally:
                if "monkeypatch" in arguments:  # what it put back later would be what holds in this way
                    arguments["monkeypatch"].undo()
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """With ``--device cuda`` a test of what CUDA does not compute is left out; the reason is what a user reads.

    Such a test may have caught the error itself, and compared it with what it wanted.
    """
    refused: list[NoCudaForm] = []
    with pytest.MonkeyPatch.context() as patch:
        if item.config.getoption("--device") == "cuda":
            patch.setattr(NoCudaForm, "__init__", lambda error, *_: refused.append(error))
        try:
            return (yield)
        except Exception:
            if not refused:
                raise
    pytest.skip(str(refused[0]))


@pytest.fixture(autouse=True)
def compiler_that_ends(pytestconfig: pytest.Config) -> Iterator[None]:
    """A compiler that hung once is not asked again: the tests that follow would pass, on numpy."""
    yield
    if pytestconfig.getoption("--backend") == "c":
        assert not c_build._hung, f"what follows would not run as C: {c_build._hung}"


@pytest.fixture(scope="session")
def torch() -> Any:
    """The oracle; on one thread, because the tensors are small."""
    module = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    module.set_num_threads(1)
    return module


@pytest.fixture(scope="session")
def candidate() -> Any:
    """The framework under test: lazygrad, or what CONFORMANCE_CANDIDATE names (torch checks the cases themselves)."""
    return importlib.import_module(os.environ.get("CONFORMANCE_CANDIDATE", "lazygrad"))
