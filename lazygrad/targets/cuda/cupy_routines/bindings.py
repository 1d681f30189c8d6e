"""What routines use of cupy, so that a test's device can serve the same names over the host's memory."""

from __future__ import annotations

from typing import Any, Protocol


class Bindings(Protocol):
    """cupy and the libraries that it binds.

    Attributes:
        cupy: the module, of which routines use functions of arrays, ``fft`` and ``linalg``; ``x.data.ptr`` is where an
            array begins.
        cusolver, cublas: ``cupy_backends.cuda.libs``' modules of C functions; addresses are numbers.
        handles: ``cupy.cuda.device``, for ``get_cusolver_handle`` and ``get_cublas_handle``.
        solve_triangular: of ``cupyx.scipy.linalg``.
        errstate: of ``cupyx``; with ``linalg="raise"`` cupy waits for a factorization and says whether it failed.
    """

    @property
    def cupy(self) -> Any: ...
    @property
    def cusolver(self) -> Any: ...
    @property
    def cublas(self) -> Any: ...
    @property
    def handles(self) -> Any: ...
    @property
    def solve_triangular(self) -> Any: ...
    @property
    def errstate(self) -> Any: ...
