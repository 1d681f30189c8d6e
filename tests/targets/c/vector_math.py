"""The C math functions of generated plans, compiled as functions of arrays, and how accurate each is meant to be."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import special

_TEMPLATES = Path(__file__).parents[3] / "codegen_templates" / "c"
_FLAGS = (
    "-fno-math-errno -fno-trapping-math -ffp-contract=off -fopenmp-simd -fPIC -shared -std=gnu11 -Wall -Wextra".split()
)
TYPES = {"f32": np.float32, "f64": np.float64}


def _sigmoid(x: np.ndarray) -> np.ndarray:
    decayed = np.exp(-np.abs(x))
    return np.where(x < 0, decayed, 1) / (1 + decayed)


def _trigamma(x: np.ndarray) -> np.ndarray:
    return special.polygamma(1, x)


@dataclass(frozen=True)
class Function:
    """A function, its reference, where to sample it densely, and the largest error in units in the last place.

    The reference is called in f64 for f32 and in the machine's long double for f64. `mpmath` names one for f64 where
    there is no ufunc of such precision. Negative zeros of digamma, lgamma and trigamma lie outside `dense`.
    """

    reference: Callable[..., np.ndarray]
    dense: tuple[float, float]
    f32: float
    f64: float
    mpmath: str = ""
    everywhere: bool = True  # sample all bit patterns too


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Numpy's, with PyTorch's zeros, which have the sign of ``x``."""
    rest = np.remainder(x, y)
    return np.where(rest == 0, np.copysign(rest, x), rest)


FUNCTIONS: dict[str, Function] = {
    "exp": Function(np.exp, (-110, 95), 1.1, 1.0),
    "exp2": Function(np.exp2, (-155, 130), 1.1, 1.0),
    "expm1": Function(np.expm1, (-20, 90), 1.3, 1.2),
    "sigmoid": Function(_sigmoid, (-110, 40), 2.4, 2.4),
    "log": Function(np.log, (0, 3), 1.1, 1.0),
    "log2": Function(np.log2, (0, 3), 1.3, 1.0),
    "log10": Function(np.log10, (0, 3), 1.2, 1.0),
    "log1p": Function(np.log1p, (-1, 3), 1.1, 1.0),
    "sqrt": Function(np.sqrt, (0, 4), 0.5, 0.51),  # long double rounds twice
    "sin": Function(np.sin, (-40, 40), 1.55, 1.4),
    "cos": Function(np.cos, (-40, 40), 1.55, 1.4),
    "tan": Function(np.tan, (-40, 40), 0.51, 2.9),
    "asin": Function(np.arcsin, (-1, 1), 0.51, 1.3),
    "acos": Function(np.arccos, (-1, 1), 0.51, 1.0),
    "atan": Function(np.arctan, (-4, 4), 0.51, 1.6),
    "sinh": Function(np.sinh, (-90, 90), 0.51, 2.2),
    "cosh": Function(np.cosh, (-90, 90), 0.51, 1.5),
    "tanh": Function(np.tanh, (-10, 10), 2.0, 2.0),
    "asinh": Function(np.arcsinh, (-4, 4), 0.51, 1.9),
    "acosh": Function(np.arccosh, (1, 4), 0.51, 2.4),
    "atanh": Function(np.arctanh, (-1, 1), 0.51, 1.8),
    "erf": Function(special.erf, (-6, 6), 1.8, 1.6, "erf"),
    "erfc": Function(special.erfc, (-6, 27), 0.55, 3.0, "erfc"),
    "erfinv": Function(special.erfinv, (-1, 1), 0.65, 4.0, "erfinv"),
    "lgamma": Function(special.gammaln, (0, 170), 0.51, 3.0, "loggamma"),
    "digamma": Function(special.digamma, (0, 40), 0.51, 4.0, "digamma"),
    "trigamma": Function(_trigamma, (0, 40), 0.51, 4.0, "trigamma", everywhere=False),
    "pow": Function(np.power, (0, 20), 0.51, 1.0),
    "atan2": Function(np.arctan2, (-4, 4), 0.51, 1.9),
    "copysign": Function(np.copysign, (-4, 4), 0, 0),
    "floor": Function(np.floor, (-5, 5), 0, 0),
    "ceil": Function(np.ceil, (-5, 5), 0, 0),
    "trunc": Function(np.trunc, (-5, 5), 0, 0),
    "round": Function(np.rint, (-5, 5), 0, 0),
    "sign": Function(np.sign, (-5, 5), 0, 0),
    "maximum": Function(np.maximum, (-5, 5), 0, 0),
    "minimum": Function(np.minimum, (-5, 5), 0, 0),
    "fmod": Function(np.fmod, (-50, 50), 0, 0),
    "remainder": Function(_remainder, (-50, 50), 0.5, 0.5),
    "floor_div": Function(np.floor_divide, (-50, 50), 0, 0),
}
BINARY = ("pow", "atan2", "copysign", "maximum", "minimum", "fmod", "remainder", "floor_div")
SAME_TYPE_REFERENCE = (
    "copysign",
    "maximum",
    "minimum",
    "fmod",
    "remainder",
    "floor_div",
)  # numpy's own result to the bit

# Without fma a polynomial rounds twice a step.
SLACK = {"native": 0.0, "portable": 1.0}

# Loops over these are calls of scalar functions.
SCALAR = ("lgamma", "digamma", "trigamma", "fmod", "remainder", "floor_div")


def source() -> str:
    """One array function per line, so that the compiler's remarks name the function by its line."""
    lines = ['#include "vector_math.h"']
    for name in FUNCTIONS:
        for c_type in TYPES:
            second, y = (f"const {c_type} *y, ", ", y[i]") if name in BINARY else ("", "")
            lines.append(
                f"void {name}_{c_type}(const {c_type} *x, {second}{c_type} *restrict out, i64 n) "
                f'{{ _Pragma("omp simd") for (i64 i = 0; i < n; i++) out[i] = lg_{name}_{c_type}(x[i]{y}); }}'
            )
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Compiled:
    library: ctypes.CDLL
    remarks: str

    def __call__(self, name: str, *inputs: np.ndarray) -> np.ndarray:
        out = np.empty_like(inputs[0])
        c_type = "f32" if out.dtype == np.float32 else "f64"
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*inputs, out)]
        getattr(self.library, f"{name}_{c_type}")(*pointers, ctypes.c_int64(out.size))
        return out


def compile_functions(folder: Path, name: str, *flags: str) -> Compiled:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: cc is not on the path")
    text, target = folder / f"{name}.c", folder / f"{name}.so"
    text.write_text(source())
    command = [compiler, *flags, *_FLAGS, "-I", str(_TEMPLATES), str(text), "-o", str(target), "-lm"]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert "warning" not in process.stderr, process.stderr
    return Compiled(ctypes.CDLL(str(target)), process.stderr)


def is_gcc() -> bool:
    compiler = shutil.which("cc")
    if compiler is None:
        return False
    macros = subprocess.run([compiler, "-dM", "-E", "-x", "c", "/dev/null"], capture_output=True, text=True).stdout
    return "__GNUC__" in macros and "__clang__" not in macros
