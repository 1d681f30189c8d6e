"""compare: one program run in several ways; what it counts, says and refuses. No test asks how long something took."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.inspect.comparing.comparison import Comparison
from lazygrad.inspect.comparing.differences import Difference, difference
from lazygrad.inspect.comparing.roofline import Roofline
from lazygrad.inspect.costs import Cost, flops_of
from lazygrad.inspect.timing import Timing, ratio, timed_in_turn
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.contraction import conv, matmul
from lazygrad.nn import functional as F
from lazygrad.targets.numpy.code import NumpyCode
from lazygrad.tensor import Tensor
from tests.passes.programs import leaf, realized

LIMITS = Roofline(1e10, 1e11)


def compared(x: Tensor | Callable[..., object], *args: object, repeats: int = 2, **options: object) -> Comparison:
    with lg.backend("numpy"):
        return lg.compare(x, *args, repeats=repeats, limits=LIMITS, **options)


def test_softmax_fused_and_unfused() -> None:
    x = lg.softmax(realized(64, 128), 1)
    comparison = compared(x)
    full, row = 64 * 128 * 4, 64 * 4
    maximum, shifted, exponential, total, quotient = full + row, 2 * full + row, 2 * full, full + row, 2 * full + row
    flops = 5 * 64 * 128
    assert comparison["fused"].cost == Cost(1, 0, 2, 2 * full, flops)
    unfused_bytes = maximum + shifted + exponential + total + quotient
    assert comparison["unfused"].cost == Cost(5, 0, 12, unfused_bytes, flops)
    assert comparison.differences == (Difference(0.0, 0),)
    assert x.node().value is None, "the tensor stays pending"


def test_rows_add_up_to_the_totals() -> None:
    weight = realized(8, 8, requires_grad=True)
    loss = F.cross_entropy(F.gelu(realized(4, 8) @ weight), lg.tensor([0, 1, 2, 3]))
    loss.backward()
    comparison = compared(lambda: [loss, weight.grad])
    assert len(comparison.rows) > 2
    for number, side in enumerate(comparison.sides):
        parts = [row.parts[number].cost for row in comparison.rows]
        assert sum(parts, Cost()) == side.cost


def test_results_that_differ_say_where() -> None:
    """float32 sums in another order: numpy adds pairwise, C in lanes."""
    x = realized(4, 4096)
    comparison = lg.compare(lambda: lg.exp(x).sum(1) * 2, backends=("numpy", "c"), repeats=1, limits=LIMITS)
    assert [side.target for side in comparison.sides] == ["numpy", "c"]
    (total,) = comparison.differences
    assert total is not None
    assert len(comparison.rows[0].differences) == (1 if total.absolute else 0)
    assert comparison.sides[0].cost == comparison.sides[1].cost


def test_two_versions_of_a_function() -> None:
    x = realized(16, 16)

    def twice(x: Tensor) -> Tensor:
        return x + x

    def shifted(x: Tensor) -> Tensor:
        return x * 2 + 0.5

    comparison = compared(twice, x, against=shifted)
    assert [side.name for side in comparison.sides] == ["twice", "shifted"]
    assert comparison.max_difference == 0.5
    assert comparison.rows == (), "they do not compute the same primitives"
    other_shape = compared(twice, x, against=lambda x: x[0] * 2)
    assert other_shape.differences == (None,)
    assert "their results have other shapes or dtypes" in str(other_shape)


def test_versions_are_compared_result_by_result() -> None:
    x = realized(4, 6)

    def first(x: Tensor) -> list[Tensor]:
        loss = lg.exp(x).mean()
        return [loss, lg.exp(x)]

    def second(x: Tensor) -> list[Tensor]:
        """What is a view here is none there, and is recorded in another order."""
        turned = lg.exp(x.T)
        rows = turned.T
        return [rows.sum() / 24, rows]

    comparison = compared(first, x, against=second)
    assert comparison.max_difference < 1e-6
    (difference,) = comparison.differences
    assert difference is not None, "the same number of results of the same shapes"


GOLDEN = """\
fused on numpy, unfused on numpy; # rounds in turn; this machine: copy # GB/s, float32 product # GFLOP/s
group from side kernels calls passes bytes FLOPs ms ms low ms high GB/s % of roofline max |Δ| ulp
matmul walk.py:# fused # # # # # # # # # # – –
unfused # # # # # # # # # # – –
reduce_max sub exp … div walk.py:# fused # # # # # # # # # # – –
unfused # # # # # # # # # # – –
total fused # # # # # # # # # # – –
unfused # # # # # # # # # # # #"""


def test_the_text() -> None:
    names: dict[str, object] = {"lg": lg, "a": realized(8, 8), "b": realized(8, 8)}
    exec(compile("def program():\n    c = a @ b\n    return lg.softmax(c, 1)", "walk.py", "exec"), names)
    program = names["program"]
    assert callable(program)
    lines = [re.sub(r"(?<=[ :])(?:\d[\d.,e+-]*)", "#", line) for line in str(compared(program)).splitlines()]
    table = [" ".join(line.split()) for line in lines]
    assert "\n".join(table[:8]) == GOLDEN
    assert table[8].startswith("unfused and fused: not distinguishable")
    assert "fewer than six rounds" in table[8]


def test_other_forms(tmp_path: Path) -> None:
    comparison = compared(lg.softmax(realized(8, 8), 1), repeats=6)
    file = tmp_path / "table.csv"
    text = comparison.to_csv(file)
    assert file.read_text(encoding="utf-8") == text
    records = list(csv.DictReader(text.splitlines()))
    assert [record["side"] for record in records] == ["fused", "unfused"] * 2
    assert records[-1]["group"] == "total" and int(records[-1]["bytes"]) == comparison["unfused"].cost.bytes
    assert comparison.to_html().count("<tr>") == 1 + len(records)
    assert comparison.figure().axes[0].get_xlabel() == "ms"
    assert repr(comparison) == str(comparison)


def test_a_device_that_is_still_at_it_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[NumpyCode] = []
    monkeypatch.setattr(NumpyCode, "wait", lambda code: waits.append(code))
    compared(lg.exp(realized(64, 64)))
    assert len(set(waits)) == 2, "of either side"


def test_what_cannot_be_compared() -> None:
    with pytest.raises(RuntimeError, match="realized already"):
        lg.compare(realized(3))
    with pytest.raises(TypeError, match="returns no tensor"):
        lg.compare(lambda: 3)
    with pytest.raises(ValueError, match="has no backend 'fpga', only numpy, c"):
        lg.compare(lg.exp(realized(3)), backends=("numpy", "fpga"))
    with pytest.raises(ValueError, match="either several backends"):
        lg.compare(lg.exp, realized(3), backends=("numpy", "c"), against=lg.sin)


# Statistics.


def test_a_difference_within_the_noise_is_none() -> None:
    same = Timing(tuple([1.0, 2.0] * 8))
    swapped = Timing(tuple([2.0, 1.0] * 8))
    assert not ratio(same, swapped).is_distinguishable
    assert not ratio(Timing((2.0,) * 5), Timing((1.0,) * 5)).is_distinguishable, "five rounds prove nothing"
    found = ratio(Timing((2.0,) * 6), Timing((1.0,) * 6))
    assert found.is_distinguishable and (found.low, found.value, found.high) == (2, 2, 2)


def test_the_interval_is_that_of_order_statistics() -> None:
    """For 15 samples, the fourth from either end bound the median with at least 95 %."""
    ratios = [float(value) for value in range(1, 16)]
    found = ratio(Timing(tuple(ratios)), Timing((1.0,) * 15))
    assert (found.low, found.value, found.high) == (4, 8, 12)


def test_contenders_take_turns() -> None:
    order: list[str] = []
    timed_in_turn([lambda: order.append("a"), lambda: order.append("b"), lambda: order.append("c")], 2)
    turns = [name for name, before in zip(order, ["", *order], strict=False) if name != before]
    assert turns[-6:] == ["a", "b", "c", "b", "c", "a"]


def test_a_busy_machine_is_named() -> None:
    quiet = compared(lg.exp(realized(3)))
    busy = Comparison(quiet.sides, quiet.rows, quiet.differences, 0.5, LIMITS)
    assert "busy machine: other programs used 50 % of the processors" in str(busy)


# Costs.

_CONV = {"stride": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1), "groups": 1}


@pytest.mark.parametrize(
    ("node", "flops"),
    [
        (matmul(leaf((4, 5)), leaf((5, 6), slot=1)), 2 * 4 * 5 * 6),
        (conv(leaf((2, 3, 8, 8)), leaf((4, 3, 3, 3), slot=1), **_CONV), 2 * 2 * 4 * 36 * 27),
    ],
    ids=lambda value: value.op.name if isinstance(value, Node) else "",
)
def test_arithmetic(node: Node, flops: int) -> None:
    assert flops_of(node) == flops


def test_units_in_the_last_place() -> None:
    one = np.float32(1)
    pairs = {
        (1.0, np.nextafter(one, np.float32(2))): 1,
        (-1.0, 1.0): 2 * int(one.view(np.int32)),
        (0.0, -0.0): 0,
        (np.nan, np.nan): 0,
    }
    for (a, b), ulp in pairs.items():
        assert difference(np.array([a], np.float32), np.array([b], np.float32)).ulp == ulp
    assert difference(np.array([np.nan]), np.array([1.0])).absolute == np.inf
    assert difference(np.array([1.0, 1e-9]), np.array([1.0, -1e-9])) == Difference(2e-9, 0), "it cancelled"
    assert difference(np.array([1, 5]), np.array([2, 5])) == Difference(1.0, None)
