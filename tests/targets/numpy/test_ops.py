"""Every op of the registry can be rendered: a walk that fails when a new op has no numpy spelling."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import lazygrad.ops  # noqa: F401 - registers every op
from lazygrad.host import calls as numpy_calls
from lazygrad.host import numpy_support
from lazygrad.ir.dtype import ALL_DTYPES, DType, float64
from lazygrad.ir.op import Kind, Op, registry
from lazygrad.ir.primitives import reduction as rd
from lazygrad.targets.numpy.ops import COPIES, PARTS, SELECT, UFUNCS, literal, reduction_identity, reduction_ufunc


def of_kind(kind: Kind) -> list[str]:
    return sorted(name for name, op in registry.items() if op.kind is kind)


def spelled(text: str) -> object:
    """What a spelling such as ``np.exp`` or ``special.erf`` names."""
    module, _, name = text.rpartition(".")
    return getattr({"np": np, "special": scipy.special, "": numpy_support}[module], name)


@pytest.mark.parametrize("name", of_kind(Kind.ELEMENTWISE))
def test_every_elementwise_primitive_has_a_numpy_spelling(name: str) -> None:
    op = registry[name]
    if op in COPIES or op in PARTS or op is SELECT:
        return
    assert callable(spelled(UFUNCS[op]))


def test_the_ufunc_table_holds_nothing_else() -> None:
    assert {op.kind for op in UFUNCS} == {Kind.ELEMENTWISE}
    assert not COPIES & set(UFUNCS)


@pytest.mark.parametrize("name", of_kind(Kind.REDUCTION))
def test_every_reduction_has_a_ufunc_with_reduce(name: str) -> None:
    assert isinstance(spelled(reduction_ufunc(registry[name])), np.ufunc)


@pytest.mark.parametrize("name", of_kind(Kind.LIBRARY))
def test_every_library_op_has_a_numpy_call(name: str) -> None:
    assert callable(getattr(numpy_calls, name))


@pytest.mark.parametrize("op", [rd.reduce_sum, rd.reduce_prod, rd.reduce_max, rd.reduce_min], ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=lambda dtype: dtype.name)
def test_a_reduction_started_at_its_identity_gives_the_element(op: Op, dtype: DType) -> None:
    if dtype.name == "bfloat16" or (dtype.is_complex and op in (rd.reduce_max, rd.reduce_min)):
        return
    identity = eval(reduction_identity(op, dtype), {"np": np})
    ufunc = spelled(reduction_ufunc(op))
    assert isinstance(ufunc, np.ufunc)
    for value in np.array([0, 1], dtype.name):
        started = np.full((), identity, dtype.name)
        ufunc(started, value, out=started, casting="unsafe")
        assert started == value


COMPLEX = [1 + 2j, complex(-0.0, 1), complex(1, -0.0), complex(float("inf"), float("nan"))]


@pytest.mark.parametrize("value", [0.0, -0.0, 1, True, 0.1, 1e300, float("inf"), float("-inf"), float("nan"), *COMPLEX])
def test_literals_read_back_as_the_number(value: complex) -> None:
    back = eval(literal(value, float64), {"np": np})
    np.testing.assert_array_equal(back, value)
    for part, wanted in ((back.real, value.real), (back.imag, value.imag)):
        assert np.signbit(part) == np.signbit(wanted) or wanted != wanted
