"""What may stand beside a tensor, and what tensors in nested sequences mean."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

torch = pytest.importorskip("torch")


class _Equal:
    """Says that it equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    "other",
    [None, "x", [1.0, 2.0], {}, ..., int, object(), _Equal()],
    ids="None text list dict ellipsis type object equal-to-all".split(),
)
def test_what_is_no_operand_equals_no_tensor(other: Any) -> None:
    """``==`` and ``!=`` leave it to the other side, and then to identity; their functions refuse."""
    for t in (torch, lg):
        x = t.tensor([1.0, 2.0])
        expected = isinstance(other, _Equal)
        assert (x == other) is expected and (other == x) is expected
        assert (x != other) is not expected and (other != x) is not expected
        for compare in (t.eq, t.ne, x.eq, x.ne, t.lt):
            with pytest.raises(TypeError):
                compare(x, other) if compare in (t.eq, t.ne, t.lt) else compare(other)
    assert None not in [lg.tensor([1.0])]


_LEAVES = {
    "number": lambda t: t.tensor(3.0),
    "one": lambda t: t.ones(1),
    "matrix of one": lambda t: t.ones(1, 1),
    "int": lambda t: t.tensor([4]),
    "bool": lambda t: t.tensor([True]),
    "half": lambda t: t.ones(1, dtype=t.float16),
    "bfloat16": lambda t: t.ones(1, dtype=t.bfloat16),
    "double": lambda t: t.ones(1, dtype=t.float64),
    "complex": lambda t: t.ones(1, dtype=t.complex64),
    "leaf": lambda t: t.ones(1, requires_grad=True),
    "two": lambda t: t.ones(2),
    "none": lambda t: t.ones(0),
    "2.5": lambda t: 2.5,
    "7": lambda t: 7,
    "True": lambda t: True,
    "numpy": lambda t: np.float64(1.5),
    "row": lambda t: [1.0],
    "row of one": lambda t: [t.ones(1)],
}
_NESTS = (lambda a, b: [a, b], lambda a, b: (a, b), lambda a, b: [[a], [b]], lambda a, b: [[a, b]], lambda a, b: [a])


@pytest.mark.filterwarnings("ignore:Converting a tensor:UserWarning")
@pytest.mark.parametrize("first", _LEAVES)
def test_tensors_in_sequences_are_numbers(first: str) -> None:
    """A tensor of one element stands for that number, however many dimensions it has; any other is refused."""
    for second, nest, dtype in product(_LEAVES, _NESTS, (None, "float32", "int64")):
        found = []
        for t in (torch, lg):
            data = nest(_LEAVES[first](t), _LEAVES[second](t))
            try:
                made = t.tensor(data, dtype=dtype and getattr(t, dtype))
                found.append((list(made.shape), str(made.dtype).rpartition(".")[2], made.tolist()))
            except Exception as error:
                found.append(type(error))
        refused = all(isinstance(each, type) for each in found)  # of several faults each may name another
        assert refused or found[0] == found[1], (first, second, dtype)


_NUMBERS = (7, -7, 2.5, True, False, 0, np.float32(0.5), np.int64(3))


@pytest.mark.parametrize("name", "add sub subtract mul multiply div divide true_divide floor_divide".split())
def test_arithmetic_of_two_numbers(name: str) -> None:
    """It gives a tensor without axes, of the dtype that the numbers have together."""
    options: list[dict[str, Any]] = [{}]
    if name in ("div", "divide"):
        options += [{"rounding_mode": "trunc"}, {"rounding_mode": "floor"}]
    if name in ("add", "sub"):
        options += [{"alpha": 2}]
    numbers = _NUMBERS if "div" in name else (*_NUMBERS, 3 - 1j)
    for first, second, keywords in product(numbers, numbers, options):
        found: list[Any] = []
        for t in (torch, lg):
            try:
                made = getattr(t, name)(first, second, **keywords)
                found.append((list(made.shape), str(made.dtype).rpartition(".")[2], repr(made.tolist())))
            except RuntimeError:  # a NotImplementedError is one, too
                found.append(RuntimeError)
        assert found[0] == found[1], (first, second, keywords)


@pytest.mark.parametrize("name", "remainder fmod pow eq lt maximum bitwise_and atan2".split())
def test_other_functions_refuse_two_numbers(name: str) -> None:
    for t in (torch, lg):
        with pytest.raises(TypeError):
            getattr(t, name)(7, 2)


def functions_in_classes(t: Any) -> list[Any]:
    class Operator:
        binary = t.add
        unary = t.tanh
        activation = t.relu
        reduction = t.sum

        def method(self, x: Any) -> Any:
            return self.unary(x)

    class Below(Operator):
        unary = t.exp

    x = t.arange(4.0).reshape(2, 2)
    operator = Below()
    results = [operator.binary(x, x, alpha=2), operator.binary(x, 1), operator.unary(x), operator.method(x)]
    results += [operator.activation(-x), operator.reduction(x), operator.reduction(x, dim=1), Operator.binary(x, x)]
    with pytest.raises(TypeError):
        t.sub(operator, x)
    with pytest.raises(TypeError):
        operator.binary(x, object())
    return [each.tolist() for each in results]


def test_a_function_in_a_class_is_no_method_of_it() -> None:
    ours, theirs = functions_in_classes(lg), functions_in_classes(torch)
    assert len(ours) == len(theirs)
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(our, their, rtol=1e-6)
