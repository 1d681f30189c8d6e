"""Special functions and further pointwise functions: values, edges, gradients, dtypes."""

from __future__ import annotations

from tests.oracle.recipes import Array, booleans, exactly, floats, integers

from .calls import call, in_every_dtype

INF, NAN = float("inf"), float("nan")
EDGES = (-INF, -2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 30.0, INF, NAN)


def edges(requires_grad: bool = False) -> Array:
    return exactly(list(EDGES), requires_grad=requires_grad)


def pairs() -> tuple[Array, Array]:
    """Every edge with every other."""
    first = [x for x in EDGES for _ in EDGES]
    return exactly(first, requires_grad=False), exactly(list(EDGES) * len(EDGES), requires_grad=False)


# Functions of torch.special of one number, with the interval on which their gradient is compared.
_SPECIAL = {
    "digamma": (0.2, 5.0),
    "entr": (0.1, 3.0),
    "erf": (-2.0, 2.0),
    "erfc": (-2.0, 2.0),
    "erfcx": (-1.0, 3.0),
    "erfinv": (-0.9, 0.9),
    "exp2": (-2.0, 2.0),
    "expit": (-3.0, 3.0),
    "expm1": (-2.0, 2.0),
    "gammaln": (0.2, 5.0),
    "i0": (-3.0, 3.0),
    "i0e": (-3.0, 3.0),
    "i1": (-3.0, 3.0),
    "i1e": (-3.0, 3.0),
    "log1p": (-0.9, 3.0),
    "log_ndtr": (-3.0, 3.0),
    "logit": (0.1, 0.9),
    "ndtr": (-2.0, 2.0),
    "ndtri": (0.1, 0.9),
    "psi": (0.2, 5.0),
    "sinc": (-3.0, 3.0),
}

# Those torch has no derivative of.
_WITHOUT_DERIVATIVE = {
    "modified_bessel_i0": (-3.0, 3.0),
    "modified_bessel_i1": (-3.0, 3.0),
    "modified_bessel_k0": (0.1, 3.0),
    "modified_bessel_k1": (0.1, 3.0),
    "scaled_modified_bessel_k0": (0.1, 3.0),
    "scaled_modified_bessel_k1": (0.1, 3.0),
    "spherical_bessel_j0": (-9.0, 9.0),
    "airy_ai": (-2.0, 2.0),  # torch's own error grows outside
    "bessel_j0": (-4.0, 4.0),
    "bessel_j1": (-4.0, 4.0),
    "bessel_y0": (0.1, 4.0),
    "bessel_y1": (0.1, 4.0),
}

_POLYNOMIALS = (
    *(f"{shift}chebyshev_polynomial_{kind}" for shift in ("", "shifted_") for kind in "tuvw"),
    *("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"),
)

_ROUGH_SLOPES = {"digamma": 50.0, "psi": 50.0}  # torch's own have nine digits

_OF_ONE = [
    case
    for name, (low, high) in _SPECIAL.items()
    for case in [
        *call(name, floats(3, 4, low=low, high=high), forms="special", slack=_ROUGH_SLOPES.get(name, 1.0)),
        *call(name, floats(5, low=low, high=high), forms="special", floating="float32"),
        *call(name, floats(0, 2), forms="special"),
        *call(name, floats(low=low, high=high), forms="special", slack=_ROUGH_SLOPES.get(name, 1.0)),
        *call(name, integers(4, low=1, high=3), forms="special"),
    ]
]
_AT_EDGES = [
    case
    for name in _SPECIAL
    if name not in ("erfinv", "digamma", "psi", "ndtri")  # the last digit, or a pole, of torch's own
    for case in call(name, edges(), forms="special", slack=10.0)
]
_NO_DERIVATIVE = [
    case
    for name, (low, high) in _WITHOUT_DERIVATIVE.items()
    for case in call(name, floats(3, 4, low=low, high=high, requires_grad=False), forms="special", slack=100.0)
]
_OF_DEGREE = [
    case
    for name in _POLYNOMIALS
    for case in [
        *call(name, floats(5, 1, low=-0.9, high=0.9, requires_grad=False), integers(6, high=6), forms="special"),
        *call(name, floats(4, low=1.1, high=1.5, requires_grad=False), 3, forms="special"),
        *call(name, 0.5, exactly([-1.0, 0.0, 2.7], requires_grad=False), forms="special"),
    ]
]
_OF_TWO = [
    *call("xlogy", floats(3, 4), floats(4, low=0.1, high=3.0), forms="t x inplace special"),
    *call("xlogy", *pairs(), forms="t", floating="float64"),
    *call("xlogy", exactly([0.0, 0.0, 1.0]), exactly([0.0, 2.0, 0.5]), forms="t"),
    *call("xlogy", floats(3), 2.0),
    *call("xlogy", 2, floats(3, low=0.1, high=2.0), forms="t special"),
    *call("xlogy", integers(4), integers(4, low=1), forms="t"),
    *call("xlog1py", floats(3, 4), floats(4, low=-0.5, high=3.0), forms="special"),
    *call("xlog1py", *pairs(), forms="special"),
    *call("zeta", floats(4, low=1.5, high=4.0, requires_grad=False), floats(4, low=0.3, high=3.0), forms="special"),
    *call("zeta", 3, floats(4, low=0.3, high=3.0), forms="special"),
    *call("gammainc", floats(4, low=0.3, high=3.0, requires_grad=False), floats(4, low=0.3, high=3.0), forms="special"),
    *call(
        "gammaincc", floats(4, low=0.3, high=3.0, requires_grad=False), floats(4, low=0.3, high=3.0), forms="special"
    ),
    *call("igamma", floats(4, low=0.3, high=3.0, requires_grad=False), floats(4, low=0.3, high=3.0), forms="t x"),
    *call(
        "igammac", floats(4, low=0.3, high=3.0, requires_grad=False), floats(4, low=0.3, high=3.0), forms="t x inplace"
    ),
]
_OF_ORDER = [
    *(case for n in range(5) for case in call("polygamma", n, floats(5, low=0.3, high=4.0), forms="t")),
    *(
        case
        for n in range(5)
        for case in call(
            "polygamma", n, floats(5, low=0.3, high=4.0), forms="special", slack=_ROUGH_SLOPES["psi"] if n < 2 else 1.0
        )
    ),
    *call("mvlgamma", floats(5, low=2.0, high=5.0), 3, forms="t x inplace"),
    *call("multigammaln", floats(5, low=2.0, high=5.0), 2, forms="special"),
    *call("log_softmax", floats(3, 4), 1, forms="special"),
    *call("softmax", floats(3, 4), 0, dtype="float64", forms="special"),
    *call("logsumexp", floats(3, 4), 1, forms="special"),
    *call("round", floats(4), decimals=2, forms="special"),
    *call("logit", exactly([-0.5, 0.0, 0.3, 1.0, 1.5]), 0.1, forms="t x special"),
    *call("logit", floats(5, low=0.1, high=0.9), forms="t x inplace"),
]

_PAIRWISE = ("copysign", "fmax", "fmin", "hypot", "logaddexp", "logaddexp2", "nextafter")
_OF_PAIRS = [
    case
    for name in _PAIRWISE
    for case in [
        *call(name, floats(3, 4), floats(4)),
        *call(name, *pairs(), forms="t", floating="float64"),
        *call(name, *pairs(), forms="t", floating="float32"),
        *call(name, floats(0, 2), floats(2), forms="t"),
    ]
] + [
    *(
        case
        for name in ("copysign", "hypot", "nextafter")
        for case in call(name, floats(3), floats(3), forms="inplace")
    ),
    *call("copysign", floats(4), -1.0),
    *call("copysign", integers(4), exactly([-0.0, 0.0, -3.0, 3.0])),
    *call("fmax", integers(4), integers(4, dtype="int32")),
    *call("fmin", booleans(4), booleans(4)),
    *call("fmax", exactly([1.0, 2.0, NAN, NAN]), exactly([1.0, NAN, 3.0, NAN])),
    *call("heaviside", edges(), exactly([0.25], requires_grad=False), forms="t x inplace"),
    *call("heaviside", integers(5, low=-2, high=3), integers(5)),
    *call("gcd", integers(6, low=-30, high=30), integers(6, low=-30, high=30), forms="t x inplace"),
    *call("lcm", integers(6, low=-30, high=30), integers(6, low=-30, high=30), forms="t x inplace"),
    *call("gcd", integers(3, 1, dtype="uint8"), integers(4, dtype="int32")),
    *call("ldexp", floats(4), integers(4, high=5), forms="t x inplace"),
    *call("ldexp", integers(4), integers(4, high=4)),
    *call("float_power", floats(3, low=0.2, high=2.0), 2.5, forms="t x inplace"),
]

_TESTS = [
    case
    for name in ("signbit", "isneginf", "isposinf")
    for case in [*call(name, edges()), *call(name, integers(4, low=-2, high=2)), *call(name, booleans(3))]
]
_PARTS = [
    *call("frexp", exactly([0.0, -0.0, 1.0, -3.5, 1e-30, INF, -INF, NAN]), floating="float64"),
    *in_every_dtype("frexp", floats(5)),
    *call("deg2rad", floats(4), forms="t x inplace"),
    *call("rad2deg", floats(4), forms="t x inplace"),
    *call("deg2rad", integers(4)),
    *call("sinc", floats(4), forms="t x inplace"),
    *call("i0", floats(4), forms="t x inplace"),
    *call("erfinv", exactly([-0.0, 0.0, 1.0, -1.0])),
    *call("lgamma", edges()),
]

CASES = [*_OF_ONE, *_AT_EDGES, *_NO_DERIVATIVE, *_OF_DEGREE, *_OF_TWO, *_OF_ORDER, *_OF_PAIRS, *_TESTS, *_PARTS]
