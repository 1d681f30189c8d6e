"""Names and parameters of what the fakes of cupy's libraries serve, beside those of cupy where it is installed.

cupy needs no GPU to be imported; its bindings of NVIDIA's libraries need those libraries.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import pytest

from tests.cuda import fake_cupy_libraries as fakes

PYTHON = {
    "cupy.fft": (fakes.FFT, "fftn ifftn rfftn irfft"),
    "cupy.linalg": (fakes.LINALG, "svd qr eigh eigvalsh eig eigvals solve"),
    "cupy": (fakes.FakeBindings.cupy, "argsort"),
    "cupyx": (fakes, "errstate"),
    "cupyx.scipy.linalg": (fakes, "solve_triangular"),
}
BINDINGS = {"cusolver": fakes.CUSOLVER, "cublas": fakes.CUBLAS}


def parameters_said_in(function: Any) -> list[str]:
    """The parameters that a compiled function names in the first line of its documentation."""
    said = re.search(r"\((.*)\)", inspect.getdoc(function).splitlines()[0])  # type: ignore[union-attr]
    assert said, function
    return [part.split("=")[0].split()[-1] for part in said[1].split(", ")]


def parameters_of(function: Any) -> list[tuple[str, Any]]:
    return [(each.name, each.default) for each in inspect.signature(function).parameters.values()]


def installed(name: str, member: str = "") -> Any:
    """A module, or a member of it, as ``from name import member`` finds it."""
    pytest.importorskip("cupy", minversion="14", reason="cupy 14 is not installed")
    try:
        module = importlib.import_module(name)
        return getattr(module, member) if member else module
    except ImportError as error:
        pytest.skip(f"a library of NVIDIA's is not installed: {error}")


@pytest.mark.parametrize("module", PYTHON)
def test_functions_have_the_parameters_of_cupy(module: str) -> None:
    fake, names = PYTHON[module]
    real = installed(module)
    for name in names.split():
        assert parameters_of(getattr(fake, name)) == parameters_of(getattr(real, name)), name


def test_functions_of_arrays_are_there() -> None:
    real = installed("cupy")
    for name in vars(fakes.FakeBindings.cupy):
        assert hasattr(real, name), name


@pytest.mark.parametrize("library", BINDINGS)
def test_c_functions_have_the_parameters_of_cupys_bindings(library: str) -> None:
    real = installed("cupy_backends.cuda.libs", library)
    for name, fake in vars(BINDINGS[library]).items():
        assert parameters_said_in(getattr(real, name)) == list(inspect.signature(fake).parameters), name
