"""CUDA through cupy: which of the pieces that this needs is missing, and what to install."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
from functools import cache

from lazygrad.targets.cuda import libraries
from lazygrad.targets.cuda.driver import Driver
from lazygrad.targets.cuda.installation import Installation

_INSTALL = "pip install 'lazygrad[cuda13]' (or 'lazygrad[cuda12]' for a driver older than release 580)"
_CUPY_VERSION = 14  # with streams of others by CUDA's protocol, and eigenvalues of any matrix
_NO_DEVICE, _DRIVER_LIBRARY = 100, "libcuda.so.1"


class CupyInstallation(Installation):
    """The devices of NVIDIA's driver; ``CUDA_VISIBLE_DEVICES`` says which of them there are, to the driver itself."""

    def missing(self) -> str | None:
        return _missing()

    def count(self) -> int:
        return _visible()[0]

    def open(self, ordinal: int) -> Driver:
        from lazygrad.targets.cuda.cupy_driver import CupyDriver  # cupy is imported with the first device

        return CupyDriver(ordinal)


@cache
def _missing() -> str | None:
    from lazygrad.targets.cuda import nvrtc  # with what keeps files on disk, which most programs never need

    return _no_device() or _no_cupy() or nvrtc.missing() or _no_cublas()


def _no_device() -> str | None:
    """Asked first, of the driver itself: cupy blames an "insufficient" driver where there is none."""
    if _driver_library() is None:
        return (f"Found no NVIDIA driver on your system: {_DRIVER_LIBRARY} cannot be loaded. Please check that you "
                f"have an NVIDIA GPU and installed a driver from https://www.nvidia.com/drivers")  # fmt: skip
    count, status = _visible()
    if status not in (0, _NO_DEVICE):
        return (f"the NVIDIA driver cannot be used: cuInit answers with error {status}; nvidia-smi may tell more, and "
                f"an update of the driver, followed by a restart, helps most often")  # fmt: skip
    if count:
        return None
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    if hidden is not None:
        return f"the NVIDIA driver shows no GPU, as CUDA_VISIBLE_DEVICES={hidden!r}: unset it, or list ordinals there"
    return "the NVIDIA driver finds no GPU in this machine, or none that this process or container may use"


def _no_cupy() -> str | None:
    if importlib.util.find_spec("cupy") is None:
        return f"cupy is not installed: {_INSTALL}"
    try:
        version: str = importlib.import_module("cupy").__version__
    except Exception as error:  # a broken installation raises whatever it likes
        return f"cupy cannot be imported ({type(error).__name__}: {error}): {_INSTALL}"
    if int(version.partition(".")[0]) < _CUPY_VERSION:
        return f"cupy {version} is too old, version {_CUPY_VERSION} is needed: {_INSTALL}"
    return None


def _no_cublas() -> str | None:
    if libraries.found("cublas") is None:
        return ('cuBLAS, which multiplies matrices, was not found: pip install "nvidia-cublas==13.*", or set CUDA_HOME '
                'to a CUDA toolkit')  # fmt: skip
    return None


@cache
def _driver_library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(_DRIVER_LIBRARY)
    except OSError:
        return None


@cache
def _visible() -> tuple[int, int]:
    """How many devices the driver shows, and the status that it was found out with."""
    driver = _driver_library()
    if driver is None:
        return 0, _NO_DEVICE
    count = ctypes.c_int()
    status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    return count.value, int(status)
