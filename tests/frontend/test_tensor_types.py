"""Types named after dtypes, `Tensor` as a constructor, and storages as objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.oracle.comparing import assert_alike, dtype_name, raised

_KINDS = "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()


_EQUAL: dict[str, Callable[[Any], Any]] = {
    **{f"{kind}Tensor": lambda t, kind=kind: getattr(t, f"{kind}Tensor")([1, 0, 3]) for kind in _KINDS},
    "sizes": lambda t: [tuple(x.shape) for x in (t.FloatTensor(2, 3), t.Tensor(2, 0), t.Tensor(t.Size([2])))],
    "nothing": lambda t: [t.Tensor(), t.LongTensor()],
    "lists": lambda t: [t.Tensor([1, 2]), t.Tensor([[1.5], [2]]), t.Tensor((1, 2)), t.DoubleTensor([True])],
    "arrays": lambda t: [t.Tensor(np.arange(3.0)), t.FloatTensor(np.ones((1, 2), np.float32))],
    "a tensor": lambda t: t.Tensor(t.tensor([1.0, 2.0])),
    "new": lambda t: [t.ones(1, dtype=t.int64).new([1, 2]), tuple(t.ones(1).new(2, 3).shape)],
    "instances": lambda t: [
        isinstance(t.ones(1), t.FloatTensor),
        isinstance(t.ones(1), t.DoubleTensor),
        isinstance(t.ones(1, dtype=t.int64), t.LongTensor),
        isinstance(3, t.FloatTensor),
        isinstance(t.FloatTensor([1]), t.Tensor),
    ],
    "type": lambda t: [t.ones(1).type(t.LongTensor), t.ones(1).type(t.HalfTensor), t.ones(1).type().partition(".")[2]],
    "typename": lambda t: [t.typename(t.ones(1)).partition(".")[2], t.typename(3), t.typename([])],
    "dtype of a type": lambda t: [dtype_name(t.FloatTensor.dtype), dtype_name(t.LongTensor.dtype)],
    "untyped": lambda t: [
        (len(s), s.nbytes(), s.size(), s.tolist(), s[4], t.is_storage(s), t.is_storage(x))
        for x in [t.arange(3, dtype=t.int32)[1:]]
        for s in [x.untyped_storage()]
    ],
    "typed": lambda t: [
        (s.size(), len(s), s.nbytes(), s.tolist(), s[1], s.element_size(), t.is_storage(s))
        for s in [t.arange(6.0).reshape(2, 3).t().storage()]
    ],
    "shared by views": lambda t: [
        x.t().storage().data_ptr() == x.storage().data_ptr() == x[1:].untyped_storage().data_ptr()
        for x in [t.ones(2, 3)]
    ],
    "written": lambda t: [x for x in [t.zeros(2, 2)] for s in [x.storage()] for _ in [s.__setitem__(1, 5.0), s.fill_]],
    "filled": lambda t: [x for x in [t.zeros(2, 2)] for _ in [x[0].untyped_storage().fill_(0), x.storage().fill_(3)]],
    "set_": lambda t: t.tensor([]).set_(t.arange(6.0).storage(), 1, (2, 2), (1, 2)),
    "made": lambda t: [t.FloatStorage([1, 2]).tolist(), t.UntypedStorage(3).size(), t.LongStorage([1, 2, 3])[1]],
    "own memory": lambda t: [
        (c.data_ptr() == s.data_ptr(), c.tolist()) for s in [t.arange(2.0).untyped_storage()] for c in [s.clone()]
    ],
}


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("program", _EQUAL.values(), ids=_EQUAL)
def test_equals_torch(program: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    assert_alike(program, torch, candidate, slack=0)


_ERRORS: dict[str, Callable[[Any], Any]] = {
    "a float as a size": lambda t: t.Tensor(3.5),
    "a string": lambda t: t.Tensor("abc"),
    "another dtype": lambda t: t.FloatTensor(t.ones(2, dtype=t.int64)),
    "an unknown type": lambda t: t.ones(1).type("torch.ColourTensor"),
    "default of integers": lambda t: t.set_default_tensor_type(t.LongTensor),
    "an index that is none": lambda t: t.ones(1).untyped_storage()["a"],
}


@pytest.mark.parametrize("program", _ERRORS.values(), ids=_ERRORS)
def test_errors_are_those_of_torch(program: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    assert raised(lambda: program(candidate)) == raised(lambda: program(torch))


def test_default_tensor_type(candidate: Any) -> None:
    candidate.set_default_tensor_type(candidate.DoubleTensor)
    try:
        assert candidate.ones(1).dtype is candidate.float64 and candidate.Tensor([1]).dtype is candidate.float64
    finally:
        candidate.set_default_tensor_type("lazygrad.FloatTensor")
    assert candidate.Tensor([1]).dtype is candidate.float32


def test_subclasses_are_made_like_tensors(candidate: Any) -> None:
    class Named(candidate.Tensor):  # type: ignore[name-defined, misc]
        """A user's tensor."""

    x = Named([1, 2])
    assert type(x) is Named and x.tolist() == [1, 2] and not x.requires_grad
    y = candidate.ones(2).as_subclass(Named)
    assert type(y) is Named and (y + 1).tolist() == [2, 2]


def test_gradients_flow_through_a_subclass(torch: Any, candidate: Any) -> None:
    for t in (torch, candidate):

        class Named(t.Tensor):  # type: ignore[name-defined, misc]
            """A user's tensor."""

        x = t.ones(2, requires_grad=True)
        for source, gradient in ((x, [3, 3]), (x * 2, [9, 9]), (x[:1], [12, 9])):
            named = source.as_subclass(Named)
            assert type(named) is Named and named.requires_grad and not named.is_leaf
            (named * 3).sum().backward()
            assert x.grad.tolist() == gradient
        assert not t.ones(2).as_subclass(Named).requires_grad
        with pytest.raises(TypeError, match="inherits from Tensor"):
            x.as_subclass(int)
