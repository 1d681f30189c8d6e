"""Every batching rule against one evaluation per example, for every choice of which inputs are stacks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from lazygrad.autodiff.batching.registry import Unneeded, batching_entry
from lazygrad.autograd.vmapping import VmapLevel
from lazygrad.ir.build import swap_last
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.composites.loss import cross_entropy
from lazygrad.ir.composites.random import philox_dropout, philox_uniform
from lazygrad.ir.dtype import float64, int64
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, registry
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import factorization as fz
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.contraction import pool_argmax
from lazygrad.passes.decompose import decompose
from tests.reference import buffer_node, run

from .case import Case, integers, uniform
from .cases_structural import FIXED
from .test_gradcheck import CASES

EXAMPLES = 3
TIES = np.round(uniform(2, 3, 4))
INDEX = integers(1, 0, 1, 1, 0, 0, shape=(2, 3))
LDL_PIVOTS = FIXED(integers(1, 2, 3))
PLACES = integers(0, 1, 2, 0, shape=(2, 2))

# Ops without a gradient, and indices that differ from example to example.
OTHERS: dict[str, list[Case]] = {
    "argmax": [Case(lambda x: rd.argmax(x, axis=1), (TIES,))],
    "argmin": [Case(lambda x: rd.argmin(x, axis=0), (TIES,))],
    "argsort": [Case(lambda x: rd.argsort(x, axis=2, descending=True), (TIES,))],
    "cummax_index": [Case(lambda x: rd.cummax_index(x, axis=1), (TIES,))],
    "pool_argmax": [
        Case(
            lambda x: pool_argmax(x, size=(2, 2), stride=(1, 2), padding=((0, 1), (1, 0)), dilation=(1, 1)),
            (uniform(2, 3, 4, 5),),
        )
    ],
    "take": [Case(ix.take, (uniform(2, 3, 4), INDEX)), Case(ix.take, (uniform(2, 2, 4), INDEX, INDEX[:1]))],
    "put": [Case(lambda x, v, i: ix.put(x, v, i, accumulate=True), (uniform(2, 4), uniform(2, 3, 4, seed=1), INDEX))],
    "gather": [
        Case(lambda x, i: ix.gather(x, i, axis=1, wraps=False), (uniform(2, 3), PLACES)),
        Case(lambda x, i: ix.gather(x, i - 3, axis=1, wraps=True), (uniform(2, 3), PLACES)),
    ],
    "scatter": [
        Case(lambda x, s, i: ix.scatter(x, s, i, axis=1, reduce="sum"), (uniform(2, 3), uniform(2, 2, seed=1), PLACES))
    ],
    "cross_entropy": [
        Case(
            lambda x, t, *w: cross_entropy(x, t, *w, axis=1, ignore_index=-100, label_smoothing=0.1),
            (uniform(4, 3), integers(0, 2, 1, 1), uniform(3, low=0.5)),
        ),
        Case(
            lambda x, t: cross_entropy(x, t, axis=0, ignore_index=1, label_smoothing=0.0),
            (uniform(3), np.array(1)),
        ),
    ],
    "where": [Case(lambda c, x: ew.where(ew.gt(c, c.like(0)), x, x.like(1)), (uniform(3, 1), uniform(2, 1, 4)))],
    "clamp_min": [Case(registry["clamp_min"], (uniform(2, 3), uniform(3, seed=1)))],
    "ldl": [Case(lambda x: fz.ldl(x + swap_last(x), hermitian=False, check=""), (uniform(2, 3, 3),))],
    "ldl_solve": [
        Case(lambda x, b: fz.ldl_solve(x, LDL_PIVOTS, b, hermitian=False), (uniform(3, 3, low=1), uniform(3, 2)))
    ],
    "geqrf": [Case(fz.geqrf, (uniform(4, 2),))],
    "lstsq": [
        Case(
            lambda x, b: fz.lstsq(x, b, rcond=1e-12, driver="gelsd"),
            (uniform(2, 4, 2), uniform(2, 4, 1, seed=1)),
        )
    ],
    "pivot_order": [Case(lambda x: fz.pivot_order(x, rows=4), (integers(2, 4, 3, 4, 1, 3, shape=(2, 3)),))],
    "pad": [
        Case(lambda x, v: ix.pad(x, v, before=(1, 0), after=(-1, 2)), (uniform(3, 2), uniform(seed=1))),
    ],
}
ALL = {name: [*CASES.get(name, ()), *OTHERS.get(name, ())] for name in {**CASES, **OTHERS}}

# What is said about them elsewhere.
WITHOUT_CASE = {
    "detach": "test_markers", "straight_through": "test_markers", "moving_with": "test_markers", "philox": "test_draws",
    "checkpoint": "tests/func/test_checkpoint.py", "copy": "tests/devices/test_programs.py",
    "philox_uniform": "test_draws", "philox_dropout": "test_draws",
    "cast_float8": "tests/frontend/test_storage_dtypes.py",
}  # fmt: skip


def _examples(array: np.ndarray) -> np.ndarray:
    """A stack of different examples like ``array``."""
    if array.dtype == np.int64:
        return np.stack([np.roll(array, i) for i in range(EXAMPLES)])
    return np.stack([array * (1 + 0.1 * i) for i in range(EXAMPLES)])


def _check(build: Callable[..., Node], arrays: tuple[np.ndarray, ...], mapped: tuple[bool, ...]) -> None:
    level = VmapLevel(EXAMPLES)
    given = [_examples(np.asarray(a)) if m else np.asarray(a) for a, m in zip(arrays, mapped, strict=True)]
    leaves = [buffer_node(array) for array in given]
    output = build(*[level.one_of(node) if m else node for node, m in zip(leaves, mapped, strict=True)])
    stack = level.stack(output)
    assert stack is not None
    assert not any(node.op is leaf.placeholder for node in Graph([stack]).nodes)
    (computed,) = run([stack], {**FIXED.values, **dict(zip(leaves, given, strict=True))})
    for number in range(EXAMPLES):
        singles = [array[number] if m else array for array, m in zip(given, mapped, strict=True)]
        nodes = [buffer_node(single) for single in singles]
        (expected,) = run([build(*nodes)], {**FIXED.values, **dict(zip(nodes, singles, strict=True))})
        np.testing.assert_allclose(computed[number], expected, rtol=1e-9, atol=1e-12, err_msg=f"{mapped}, {number}")


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_stack_is_computed_as_its_examples(name: str) -> None:
    for case in ALL[name]:
        for mapped in product((False, True), repeat=len(case.arrays)):
            if any(mapped):
                _check(case.build, case.arrays, mapped)


@pytest.mark.parametrize("name", sorted(name for name in ALL if isinstance(registry[name], Composite)))
def test_the_decomposition_is_batched_alike(name: str) -> None:
    def decomposed(case: Case) -> Callable[..., Node]:
        def build(*inputs: Node) -> Node:
            node = case.build(*inputs)
            return node.op.decompose(node) if isinstance(node.op, Composite) else node

        return build

    for case in ALL[name]:
        _check(decomposed(case), case.arrays, (True,) * len(case.arrays))


def test_every_op_has_a_rule_or_a_reason() -> None:
    without = [op.name for op in registry.values() if not isinstance(op, Composite) and batching_entry(op) is None]
    assert without == []


def test_every_rule_has_a_case() -> None:
    ruled = [op for op in registry.values() if batching_entry(op) and not isinstance(batching_entry(op), Unneeded)]
    generic = {op.name for op in registry.values() if op.kind is Kind.ELEMENTWISE}
    assert {op.name for op in ruled} - generic - set(ALL) - set(WITHOUT_CASE) == set()


@pytest.mark.parametrize("mapped", [(True, True), (True, False), (False, True)])
def test_markers(mapped: tuple[bool, bool]) -> None:
    _check(lambda x, y: leaf.straight_through(leaf.detach(x), y * 1), (uniform(2, 3), uniform(2, 3, seed=1)), mapped)
    _check(lambda x, y: leaf.moving_with(leaf.detach(x), y * 1, x), (uniform(2, 3), uniform(2, 3, seed=1)), mapped)


@pytest.mark.parametrize("draw", [philox_uniform, philox_dropout])
def test_draws(draw: object) -> None:
    """With a counter per example each draws its own numbers; with one for all, the same."""
    seed, counter = (leaf.runtime_number(word, int64) for word in (7, 100))
    for randomness, distinct in (("different", EXAMPLES), ("same", 1)):
        level = VmapLevel(EXAMPLES, randomness)
        at = level.one_of(registry["expand"](counter, shape=(EXAMPLES,))) if randomness == "different" else counter
        x = level.one_of(buffer_node(np.ones((EXAMPLES, 50))))
        if draw is philox_dropout:
            output = philox_dropout(x, seed, at, p=0.5)
        else:
            output = x + philox_uniform(seed, at, shape=(50,), dtype=float64.name)
        stack = level.stack(output)
        assert stack is not None
        words = [node for node in decompose(Graph([stack])).nodes if node.op.name == "philox"]
        assert [node.shape for node in words] == [(EXAMPLES, 50) if distinct > 1 else (50,)]
