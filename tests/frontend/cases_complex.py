"""Complex numbers: their own functions, and the others' values and gradients at complex arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case, ErrorCase
from tests.oracle.recipes import COMPLEX, DTYPES, Array, complexes, exactly, floats, integers

from .calls import call

_Z, _W, _M = complexes(3, 4), complexes(3, 4), complexes(4, 4)


def _both(name: str, *arguments: Any, forms: str = "t x", gradient: bool = True, **keywords: Any) -> list[Case]:
    """Cases of a call in both complex dtypes."""
    return [
        case
        for dtype in COMPLEX
        for case in call(name, *arguments, forms=forms, floating=dtype, gradient=gradient, slack=8, **keywords)
    ]


def _each(names: str, *arguments: Any, **keywords: Any) -> list[Case]:
    return [case for name in names.split() for case in _both(name, *arguments, **keywords)]


def _written(name: str, function: Callable[..., Any], *inputs: Array) -> list[Case]:
    return [Case(f"{name} {dtype}", function, inputs, floating=dtype, slack=8) for dtype in COMPLEX]


_ELEMENTARY = [
    *_each("exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan", _Z, forms="t"),
    *_each("sinh cosh tanh asinh acosh atanh sigmoid rsqrt reciprocal square neg", _Z, forms="t"),
    *_each("exp sqrt tanh neg reciprocal", _Z, forms="inplace"),
    *_each("abs angle sgn conj_physical real conj resolve_conj", _Z, forms="t"),
    *_each(
        "isnan isinf isfinite isreal", exactly([1 + 2j, complex("nan"), complex(1, float("inf")), 3 + 0j]), forms="t"
    ),
    *_both("nan_to_num", exactly([1 + 2j, complex("nan"), complex(1, float("inf"))], requires_grad=False)),
    *_each("sgn abs", exactly([0j, 1 + 1j])),
    *call("angle", exactly([-1.0, 0.0, 2.0, float("nan")])),
    *call("angle", integers(4, low=-3, high=3)),
    *call("sgn", floats(3, 4), gradient=False),
    *call("isreal", floats(3)),
    *call("conj", floats(3)),
]

_BINARY = [
    *_each("add sub mul div pow", _Z, _W, forms="t x inplace"),
    *_each("add sub mul div", _Z, complexes(4)),
    *_each("eq ne", _Z, _W, gradient=False),
    *_both("pow", _Z, 2),
    *_both("pow", _Z, -1),
    *_both("pow", _Z, 0.5),
    *_both("pow", _Z, 1.5 + 2j),
    *_both("add", _Z, _W, alpha=2 - 1j),
    *_both("float_power", _Z, 2),
    *_both("addcmul", _Z, _W, _Z, value=2j),
    *_both("addcdiv", _Z, _W, _Z, value=0.5),
    *_both("lerp", _Z, _W, 0.3),
    *_each("isclose allclose equal", _Z, _Z, gradient=False),
    *_written("arithmetic with numbers", lambda t, z: [z + 1j, 2 - z, 1j * z, z / 2, 1 / z, 2**z, z * True], _Z),
    *_written("comparison with numbers", lambda t, z: [z == 1, z != 1j, z == z], _Z),
]

_REDUCTIONS = [
    *_each("sum mean prod", _Z),
    *_each("sum mean prod", _Z, dim=1, keepdim=True),
    *_each("cumsum cumprod", _Z, 0),
    *_each("var std", _Z),
    *_each("var std", _Z, 0, correction=0),
    *_each("norm", _Z),
    *_each("norm", _Z, 1),
    *_each("norm", _Z, 3, 1),
    *_both("logsumexp", _Z, 1),
    *_each("any all count_nonzero", exactly([0j, 1j, 1 + 0j], requires_grad=False), gradient=False),
    *_both("sum", _Z, dtype="complex128"),
]

_PRODUCTS = [
    *_both("matmul", _M, _M),
    *_both("matmul", complexes(2, 3, 4), complexes(4, 5)),
    *_each("mm", _Z, _M),
    *_both("dot", complexes(5), complexes(5)),
    *_both("outer", complexes(3), complexes(2)),
    *_both("addmm", complexes(4), _M, _M, beta=2, alpha=1j),
    *_both("einsum", "ij,kj->ik", _Z, _W, forms="t"),
    *_both("linear", _Z, complexes(2, 4), complexes(2), forms="F"),
    *_both("conv1d", complexes(2, 3, 6), complexes(4, 3, 3), complexes(4), forms="F", padding=1),
    *_both("conv_transpose2d", complexes(1, 2, 3, 3), complexes(2, 2, 2, 2), forms="F", stride=2),
    *_both("trace", _M),
]

_MOVING = [
    *_both("flip", _Z, [0]),
    *_both("roll", _Z, 1, 0),
    *_both("cat", [_Z, _W], 1, forms="t"),
    *_both("stack", [_Z, _W], forms="t"),
    *_each("tril triu", _M),
    *_both("pad", _Z, (1, 2), forms="F", value=2.0),
    *_both("gather", _Z, 1, integers(3, 2, high=4)),
    *_both("index_add", _Z, 0, integers(2, high=3), complexes(2, 4), forms="x"),
    *_both("masked_fill", _Z, exactly([True, False, True, False], "bool"), 1j),
    *_written("where", lambda t, z, w: [t.where(z.real > 0, z, w), t.where(z.real > 0, z, 1j)], _Z, _W),
    *_written("index_put", lambda t, z, w: z.index_put((t.tensor([0, 2]),), w[:2], accumulate=True), _Z, _W),
    *_written("strided slices", lambda t, z: z[::2, 1::2].T.contiguous() * 1j, _Z),
]

_PARTS = [
    *_each("adjoint", _Z),
    *_each("view_as_real", _Z, forms="t"),
    *_written("attributes", lambda t, z: [z.real, z.imag, z.H, z.mH, z.mT, z.conj()], _Z),
    *_written("products of parts", lambda t, z: z.real * z.imag + z.conj().imag, _Z),
    *_written("pairs and back", lambda t, z: t.view_as_complex(t.view_as_real(z) * t.tensor([1.0, 2.0])), _Z),
    *call("complex", floats(3, 1), floats(1, 4), forms="t"),
    *call("complex", floats(3, dtype="float64"), floats(3, dtype="float64"), forms="t"),
    *call("polar", floats(3, 4, low=0.1), floats(3, 4), forms="t"),
    *call("view_as_complex", floats(3, 2), forms="t"),
    *_each("is_complex is_conj is_neg is_floating_point", _Z, gradient=False),
    *_written("predicates", lambda t, z: [z.conj().is_conj(), z.conj().imag.is_neg(), z.conj().conj().is_conj()], _Z),
]


def _mixed(left: str) -> Callable[[Any], Any]:
    """Values and dtypes of operations between a complex dtype and every dtype, with and without dimensions."""

    def function(t: Any) -> Any:
        results = []
        for right in (*DTYPES, *COMPLEX):
            for a, b in (([1 + 2j, 3], [1, 2]), (2 - 1j, [1, 2]), ([1, 2j], 2), (1j, 1)):
                x, y = t.tensor(a, dtype=getattr(t, left)), t.tensor(b, dtype=getattr(t, right))
                if right == "float16" and not isinstance(a, list) and isinstance(b, list):
                    continue  # PyTorch's result is a complex dtype of 16-bit parts
                results += [x + y, y * x, x / y, x == y, t.where(t.tensor(True), x, y), t.result_type(x, y) == x.dtype]
        return results

    return function


def _of_scalars(t: Any) -> Any:
    names = [name for name in (*DTYPES, *COMPLEX) if name != "float16"]
    return [t.tensor([1, 2], dtype=getattr(t, name)) * 1j for name in names]


def _casts(t: Any) -> Any:
    z = t.tensor([1.7 - 2j, 0j, 2j, -3.2 + 0j])
    return [[z.to(getattr(t, name)), t.tensor([0, 1, 2]).to(getattr(t, name)).to(z.dtype)] for name in DTYPES]


def _made(t: Any) -> Any:
    z = t.tensor([[1, 2j], [True, 3.5]])
    tensors = [
        *(z, t.tensor(1j), t.tensor(1j, dtype=t.complex128), t.as_tensor([1j, 2]), t.full((2,), 1j), t.ones_like(z)),
        *(t.zeros(2, dtype=t.complex64), t.ones(2, dtype=t.cdouble), t.eye(2, dtype=t.cfloat), z.new_tensor([2])),
        *(t.full_like(z, 1 - 1j), t.linspace(0, 1 + 1j, 4), t.linspace(0, 1, 3, dtype=t.complex128), z.cdouble()),
        *(t.logspace(0, 1, 3, dtype=t.complex64), t.scalar_tensor(1j, dtype=t.complex64), t.ones(1).type(t.complex64)),
    ]
    numbers = [z.tolist(), z[0, 1].item(), complex(z[0, 1]), float(z[0, 0]), bool(z[0, 1]), 1j in t.tensor([1j])]
    dtypes = [t.finfo(t.complex64).eps, t.finfo(t.complex128).max, t.float32.to_complex() == t.complex64]
    dtypes += [t.complex128.to_real() == t.float64, t.complex64.is_complex, t.complex64.itemsize]
    return tensors, numbers, dtypes, z.cfloat() is z, z.element_size(), z.is_floating_point(), t.is_complex(z)


def _random(t: Any) -> Any:
    t.manual_seed(3)
    results = [t.rand(5, dtype=t.complex64), t.randn(20, dtype=t.complex128), t.randn(3, dtype=t.complex64)]
    return [*results, t.randn_like(results[0]), t.zeros(4, dtype=t.complex64).normal_(1, 2), t.rand(3)]


CASES = [
    *_ELEMENTARY,
    *_BINARY,
    *_REDUCTIONS,
    *_PRODUCTS,
    *_MOVING,
    *_PARTS,
    *(Case(f"promotion with {left}", _mixed(left)) for left in COMPLEX),
    Case("complex scalars", _of_scalars),
    Case("casts to and from complex", _casts),
    Case("making complex tensors", _made),
    Case("random complex numbers", _random),
]

_C = complexes(3, 4, dtype="complex64", requires_grad=False)
_LEAF = complexes(3, 4, dtype="complex64")
_X = floats(3, 4, requires_grad=False)

_UNORDERED = "lt gt le ge maximum minimum fmod remainder floor_divide atan2 bitwise_and"
_UNORDERED_UNARY = (
    "max min amax amin argmax argmin sort argsort median sign floor ceil trunc round erf lgamma relu unique"
)

ERRORS = [
    *(ErrorCase(f"{name} of complex", lambda t, z, n=name: getattr(t, n)(z, z), (_C,)) for name in _UNORDERED.split()),
    *(ErrorCase(f"{n} of complex", lambda t, z, n=n: getattr(t, n)(z), (_C,)) for n in _UNORDERED_UNARY.split()),
    ErrorCase("clamp of complex", lambda t, z: z.clamp(0, 1), (_C,)),
    ErrorCase("topk of complex", lambda t, z: z.topk(1), (_C,)),
    ErrorCase("softmax of complex", lambda t, z: t.softmax(z, 0), (_C,)),
    ErrorCase("backward of complex", lambda t, z: z.sum().backward(), (_LEAF,)),
    ErrorCase("arange of complex", lambda t: t.arange(3, dtype=t.complex64)),
    ErrorCase("float of complex", lambda t, z: float(z[0, 0]), (_C,)),
    ErrorCase("int of complex", lambda t, z: int(z[0, 0]), (_C,)),
    ErrorCase("complex number into a real tensor", lambda t, x: x.add_(1j), (_X,)),
    ErrorCase("complex tensor into a real one", lambda t, x, z: x.mul_(z), (_X, _C)),
    ErrorCase("fill a real tensor with a complex number", lambda t, x: x.fill_(1j), (_X,)),
    ErrorCase("full of complex as float", lambda t: t.full((2,), 1j, dtype=t.float32)),
    ErrorCase("tensor of complex as float", lambda t: t.tensor([1j], dtype=t.float32)),
    ErrorCase("imag of real", lambda t, x: x.imag, (_X,)),
    ErrorCase("view_as_real of real", lambda t, x: t.view_as_real(x), (_X,)),
    ErrorCase("view_as_real of a conjugate", lambda t, z: t.view_as_real(z.conj()), (_C,)),
    ErrorCase("view_as_complex of four", lambda t, x: t.view_as_complex(x), (_X,)),
    ErrorCase("view_as_complex of a number", lambda t: t.view_as_complex(t.tensor(1.0))),
    ErrorCase("view_as_complex of integers", lambda t: t.view_as_complex(t.ones(3, 2, dtype=t.int32))),
    ErrorCase("view_as_complex of columns", lambda t, x: t.view_as_complex(x[:2].T), (_X,)),
    ErrorCase("view_as_complex at an odd offset", lambda t, x: t.view_as_complex(x[:, 1:3]), (_X,)),
    ErrorCase("view_as_complex of odd strides", lambda t: t.view_as_complex(t.ones(3, 5)[:, :2])),
    ErrorCase("complex of integers", lambda t: t.complex(t.ones(2, dtype=t.int32), t.ones(2, dtype=t.int32))),
    ErrorCase("complex of two dtypes", lambda t: t.complex(t.ones(2), t.ones(2, dtype=t.float64))),
    ErrorCase("complex of shapes that differ", lambda t: t.complex(t.ones(2), t.ones(3))),
    ErrorCase("H of a vector", lambda t, z: z[0].H, (_C,)),
    ErrorCase("mH of a vector", lambda t, z: z[0].mH, (_C,)),
    ErrorCase("adjoint of a vector", lambda t, z: z[0].adjoint(), (_C,)),
    ErrorCase("default dtype complex", lambda t: t.set_default_dtype(t.complex64)),
    ErrorCase("iinfo of complex", lambda t: t.iinfo(t.complex64)),
    ErrorCase("to_complex of an integer dtype", lambda t: t.int32.to_complex()),
    ErrorCase("view as a larger dtype, strided", lambda t, x: x.T.view(t.float64), (_X,)),
    ErrorCase("view as a smaller dtype, strided", lambda t, x: x.T.view(t.int16), (_X,)),
    ErrorCase("view as a larger dtype, odd offset", lambda t, x: x[:, 1:3].view(t.float64), (_X,)),
    ErrorCase("view as a larger dtype, odd size", lambda t, x: x[:, :3].view(t.float64), (_X,)),
    ErrorCase("view a number as another size", lambda t: t.tensor(1.0).view(t.int16)),
    ErrorCase("view a conjugate as another dtype", lambda t, z: z.conj().view(t.float32), (_C,)),
]
