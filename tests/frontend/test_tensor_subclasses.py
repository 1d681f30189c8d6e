"""Classes of tensors with ``__torch_function__``, and modes: whom functions ask, and what for, as in PyTorch."""

from __future__ import annotations

import subprocess
import sys
from types import FunctionType
from typing import Any

import pytest

import lazygrad as lg

from . import programs_of_subclasses as programs


@pytest.mark.parametrize("name", programs.CALLS)
def test_what_a_call_asks_for(name: str, torch: Any, candidate: Any) -> None:
    ours, theirs = programs.call(name, candidate), programs.call(name, torch)
    assert _alike(ours[0], theirs[0]) and ours[1] == theirs[1]


@pytest.mark.parametrize("name", programs.WRITES)
def test_what_a_write_asks_for(name: str, torch: Any, candidate: Any) -> None:
    assert programs.write(name, candidate) == programs.write(name, torch)


_PRINTS = pytest.mark.host_memory("prints tensors, and those of other devices name them")
_PROGRAMS = [pytest.param(name, marks=[_PRINTS] if name == "made_and_printed" else []) for name in programs.PROGRAMS]


@pytest.mark.parametrize("name", _PROGRAMS)
def test_a_program_runs_as_with_torch(name: str, torch: Any, candidate: Any) -> None:
    program = programs.PROGRAMS[name]
    ours, theirs = program(candidate), program(torch)
    assert _alike(_named(ours), _named(theirs))


def _named(value: Any) -> Any:
    """Results, in which names of the framework are PyTorch's."""
    if isinstance(value, (list, tuple)):
        return [_named(part) for part in value]
    return value.replace("lazygrad.", "torch.") if isinstance(value, str) else value


def _alike(first: Any, second: Any) -> bool:
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(_alike, first, second))
    if isinstance(first, float) and isinstance(second, float):
        return first == pytest.approx(second, rel=1e-6)
    return bool(first == second)


def test_functions_are_ordinary_until_there_is_a_tensor_to_ask() -> None:
    """And names that functions were imported under before are put right."""
    program = """
import sys
import lazygrad as lg
from lazygrad.nn.functional import relu, dropout
ordinary = type(lg.add)
assert ordinary.__name__ != "Dispatching" and isinstance(vars(lg.Tensor)["add"], ordinary)
lg.nn.Linear(2, 2)(lg.ones(2)).sum().backward()
lg.sparse_coo_tensor([[0]], [1.0], (2,)).to_dense()
assert not [name for name in sys.modules if name.startswith("lazygrad.overrides")]
kept = [relu]
class Named(lg.Tensor): pass
class Other(lg.Tensor): pass
assert relu is kept[0] and isinstance(vars(lg.Tensor)["add"], ordinary)
lg.ones(1).as_subclass(lg.nn.Parameter)
assert relu is kept[0]
given = lg.ones(1)
given.__class__ = Other
assert type(given + 1) is Other and type(given.exp()) is Other and isinstance(lg.add, ordinary)
Named([1.0])
assert relu is lg.nn.functional.relu and relu is not kept[0] and relu == kept[0]
assert type(relu(given)) is Other and type(relu(lg.ones(1).as_subclass(Named))) is Named
assert {kept[0]: 1}[relu] == 1 and {relu: 1}[kept[0]] == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_result_keeps_the_memory_of_a_view(candidate: Any) -> None:
    class Named(candidate.Tensor):  # type: ignore[name-defined, misc]
        """A class of its own."""

    x = candidate.zeros(4).as_subclass(Named)
    x.view(2, 2)[1] = 3
    assert x.tolist() == [0, 0, 3, 3] and type(x[1:]) is Named


def test_provenance_is_the_users_line() -> None:
    class Named(lg.Tensor):
        """A class of its own."""

    y = lg.ones(2).as_subclass(Named).exp()
    assert "test_tensor_subclasses.py" in str(y.graph())


def test_compiled_functions_of_plain_tensors_are_replayed() -> None:
    class Named(lg.Tensor):
        """A class of its own."""

    @lg.compile
    def step(x: lg.Tensor) -> lg.Tensor:
        return lg.nn.functional.relu(x * 2 + 1).sum()

    assert [float(step(lg.ones(3) * i)) for i in range(4)] == [3, 9, 15, 21]
    assert "replayed" in step.explain()
    named = step(lg.ones(3).as_subclass(Named))
    assert type(named) is Named and float(named) == 9


def test_functions_in_modules_are_functions_again() -> None:
    """Other tests find them as they were; see `conftest`."""
    assert isinstance(lg.add, FunctionType) or lg.add.__class__.__name__ == "cython_function_or_method"
