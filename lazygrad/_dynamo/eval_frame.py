"""The class of compiled modules, by PyTorch's name: programs ask for it before they save a module."""

from __future__ import annotations

from lazygrad.compiling.compiled_module import CompiledModule as OptimizedModule

__all__ = ["OptimizedModule"]
