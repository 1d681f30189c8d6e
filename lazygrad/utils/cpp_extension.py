"""The names of PyTorch's loader of C++ and CUDA sources: programs import it, and do without where it cannot build."""

from __future__ import annotations

from lazygrad.left_out import stand_in, stand_in_class

__all__ = [
    "CUDA_HOME",
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "include_paths",
    "is_ninja_available",
    "load",
    "load_inline",
    "verify_ninja_availability",
]

_INSTEAD = "there are no extensions in C++; lazygrad generates its kernels itself"

CUDA_HOME: str | None = None
"""Where CUDA's compiler is installed: nothing here would use it."""

load = stand_in("utils.cpp_extension.load", _INSTEAD)
load_inline = stand_in("utils.cpp_extension.load_inline", _INSTEAD)
include_paths = stand_in("utils.cpp_extension.include_paths", _INSTEAD)
verify_ninja_availability = stand_in("utils.cpp_extension.verify_ninja_availability", _INSTEAD)
CppExtension = stand_in("utils.cpp_extension.CppExtension", _INSTEAD)
CUDAExtension = stand_in("utils.cpp_extension.CUDAExtension", _INSTEAD)
BuildExtension = stand_in_class("utils.cpp_extension.BuildExtension", _INSTEAD)


def is_ninja_available() -> bool:
    """Whether sources could be built: they cannot."""
    return False
