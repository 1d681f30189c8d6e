"""``torch._higher_order_ops`` beside PyTorch's, which runs them through its compiler."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg


def function_of(framework: Any, name: str) -> Any:
    return getattr(importlib.import_module(f"{framework.__name__}._higher_order_ops.{name}"), name)


def rows(framework: Any) -> Any:
    return framework.arange(6.0).reshape(2, 3)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "scan": lambda t: function_of(t, "scan")(lambda c, x: (c + x, c * 2), t.zeros(3), rows(t)),
    "scan along the last dimension": lambda t: function_of(t, "scan")(
        lambda c, x: (c + x, c * 2), t.zeros(2), rows(t), dim=-1
    ),
    "scan backwards": lambda t: function_of(t, "scan")(lambda c, x: (c + x, c * 2), t.zeros(3), rows(t), reverse=True),
    "scan of containers": lambda t: function_of(t, "scan")(
        lambda c, x: ({"sum": c["sum"] + x[0] * x[1]}, [c["sum"] * 2]),
        {"sum": t.zeros(3)},
        (rows(t), rows(t) + 1),
    ),
    "associative_scan": lambda t: function_of(t, "associative_scan")(
        lambda a, b: a * b, rows(t) + 1, 1, combine_mode="generic"
    ),
    "associative_scan backwards": lambda t: function_of(t, "associative_scan")(
        lambda a, b: a + b, rows(t), 0, reverse=True, combine_mode="generic"
    ),
    "associative_scan of a recurrence": lambda t: function_of(t, "associative_scan")(
        lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]),
        (t.linspace(0.5, 1.5, 7), t.linspace(-1.0, 2.0, 7)),
        0,
        combine_mode="generic",
    ),
    "map": lambda t: function_of(t, "map")(lambda x, y: x**y, rows(t), t.tensor(2.0)),
    "map of containers": lambda t: function_of(t, "map")(
        lambda x: {"a": x["a"] + 1, "b": x["b"].sum()}, {"a": rows(t), "b": rows(t)}
    ),
    "foreach_map": lambda t: function_of(t, "foreach_map")(
        t.lerp, [rows(t), t.ones(2)], [rows(t) + 1, t.zeros(2)], 0.5
    ),
    "foreach_map of one list": lambda t: function_of(t, "foreach_map")(lambda x: x + 1, [rows(t), t.ones(2)]),
    "cond": lambda t: function_of(t, "cond")(t.tensor(True), lambda x: x + 1, lambda x: x - 1, (rows(t),)),
}


def plain(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: plain(each) for key, each in found.items()}
    return [plain(each) for each in found] if isinstance(found, (tuple, list)) else found.tolist()


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_results_are_pytorchs(program: Callable[[Any], Any], torch: Any) -> None:
    lg.testing.assert_close(plain(program(lg)), plain(program(torch)))


def test_gradients_flow_through_a_scan() -> None:
    x = lg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    carry, seen = function_of(lg, "scan")(lambda c, x: (c * x, c + x), lg.tensor(1.0), x)
    (carry + seen.sum()).backward()
    y = lg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (y[0] * y[1] * y[2] + (1 + y[0]) + (y[0] + y[1]) + (y[0] * y[1] + y[2])).backward()
    assert x.grad.tolist() == y.grad.tolist()


@pytest.mark.parametrize(
    "program",
    [
        lambda t: function_of(t, "scan")(3, t.zeros(3), rows(t)),
        lambda t: function_of(t, "associative_scan")(lambda a, b: a, rows(t), 0, combine_mode="other"),
        lambda t: function_of(t, "map")(lambda x: x, 3),
    ],
    ids="scan associative_scan map".split(),
)
@pytest.mark.filterwarnings("ignore")
def test_what_is_refused(program: Callable[[Any], Any], torch: Any) -> None:
    with pytest.raises((RuntimeError, ValueError)) as expected:
        program(torch)
    with pytest.raises(type(expected.value)):
        program(lg)


def test_the_paths_of_the_functions_leave_the_package_its_functions() -> None:
    code = (
        "import lazygrad; lazygrad.as_torch(); import torch;"
        "from torch._higher_order_ops.map import map; from torch._higher_order_ops import map as same, cond;"
        "from functorch.experimental.control_flow import map as third;"
        "assert map is same is third and cond is torch.cond and callable(torch._higher_order_ops.map)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
