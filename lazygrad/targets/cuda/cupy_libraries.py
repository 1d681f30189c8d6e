"""Calls of NVIDIA's libraries through cupy, on arrays of cupy that lie over lazygrad's memory.

A library is loaded when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import cupy
import cupyx

from lazygrad.host.allocator import OutOfMemoryError
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import int32
from lazygrad.targets.cuda.cupy_routines import compute
from lazygrad.targets.cuda.driver import Layout, LibraryCall


class CupyLibraries:
    """The libraries on one device, which is the current one where this is used.

    It is the `lazygrad.targets.cuda.cupy_routines.bindings.Bindings` of a GPU.
    """

    def __init__(self, ordinal: int) -> None:
        self._ordinal = ordinal
        self.cupy, self.errstate, self.handles = cupy, cupyx.errstate, cupy.cuda.device

    @property
    def cusolver(self) -> Any:
        from cupy_backends.cuda.libs import cusolver

        return cusolver

    @property
    def cublas(self) -> Any:
        from cupy_backends.cuda.libs import cublas

        return cublas

    @property
    def solve_triangular(self) -> Any:
        from cupyx.scipy.linalg import solve_triangular

        return solve_triangular

    def compute(
        self, call: LibraryCall, operands: Sequence[int], results: Sequence[int], word: int | None, stream: int
    ) -> None:
        """See `lazygrad.targets.cuda.driver.Driver.compute`; ``stream`` is where the work goes.

        Raises:
            OutOfMemoryError: there is no memory to work in.
        """
        read = [self._array(layout, at) for layout, at in zip(call.operands, operands, strict=True)]
        made = [self._array(layout, at) for layout, at in zip(call.results, results, strict=True)]
        refused = None if word is None else self._array(Layout(int32, (), ()), word)
        try:
            with cupy.cuda.Stream.from_external(_Stream(stream)):
                compute(self, call, read, made, refused)
        except cupy.cuda.memory.OutOfMemoryError as error:
            raise OutOfMemoryError(
                f"CUDA out of memory. {call.routine} needs memory to work in, beside its results: {error}"
            ) from error
        except ImportError as error:
            raise RuntimeError(
                f"{call.routine} needs a library of NVIDIA's that cupy does not find ({error}): "
                f"pip install 'cupy-cuda13x[ctk]' (or 'cupy-cuda12x[ctk]'), or set CUDA_PATH to a CUDA toolkit"
            ) from error

    def _array(self, layout: Layout, address: int) -> Any:
        """Memory as an array of cupy's, which does not own it."""
        dtype = to_numpy(layout.dtype)
        memory = cupy.cuda.UnownedMemory(address, dtype.itemsize * prod(layout.shape), self, self._ordinal)
        strides = tuple([stride * dtype.itemsize for stride in layout.strides])
        return cupy.ndarray(layout.shape, dtype, cupy.cuda.MemoryPointer(memory, 0), strides)


class _Stream:
    """A stream as CUDA's protocol hands it over to other libraries."""

    def __init__(self, stream: int) -> None:
        self._stream = stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._stream
