"""einops works on tensors: ``rearrange``, ``reduce``, ``repeat``, ``einsum``, ``pack``.

einops finds the backend of a tensor among the subclasses of its `AbstractBackend`, so that ours must exist once einops
does. `register` is called when einops is imported, before or after lazygrad; a program without einops never runs this.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from lazygrad.ops import public
from lazygrad.tensor import Tensor
from lazygrad.when_imported import when_imported

_registered: list[type] = []  # einops holds its backends' classes by weak references


def register() -> None:
    """Make einops know tensors; `_backends` is einops' own module of backends."""
    base: Any = sys.modules["einops._backends"].AbstractBackend

    class LazygradBackend(base):
        """What einops needs to know of tensors."""

        framework_name = "lazygrad"

        def is_appropriate_type(self, tensor: Any) -> bool:
            return isinstance(tensor, Tensor)

        def from_numpy(self, x: Any) -> Tensor:
            found = public.from_numpy(x)
            return found.requires_grad_(public.is_floating_point(found))

        def to_numpy(self, x: Any) -> Any:
            return x.detach().numpy()

        def arange(self, start: int, stop: int) -> Tensor:
            return public.arange(start, stop)

        def reduce(self, x: Any, operation: str, axes: Sequence[int]) -> Any:
            if operation == "prod":
                for axis in sorted(axes, reverse=True):
                    x = x.prod(axis)
                return x
            return getattr(x, {"min": "amin", "max": "amax"}.get(operation, operation))(dim=tuple(axes))

        def transpose(self, x: Any, axes: Sequence[int]) -> Any:
            return x.permute(tuple(axes))

        def stack_on_zeroth_dimension(self, tensors: list[Any]) -> Any:
            return public.stack(tensors)

        def add_axes(self, x: Any, n_axes: int, pos2len: dict[int, int]) -> Any:
            sizes = [-1] * n_axes
            for position, length in pos2len.items():
                x = x.unsqueeze(position)
                sizes[position] = length
            return x.expand(sizes)

        def add_axis(self, x: Any, new_position: int) -> Any:
            return x.unsqueeze(new_position)

        def tile(self, x: Any, repeats: Sequence[int]) -> Any:
            return x.repeat(tuple(repeats))

        def concat(self, tensors: list[Any], axis: int) -> Any:
            return public.cat(tensors, axis)

        def is_float_type(self, x: Any) -> bool:
            return public.is_floating_point(x)

        def einsum(self, pattern: str, *x: Any) -> Any:
            return public.einsum(pattern, *x)

        def layers(self) -> ModuleType:
            return import_module("lazygrad.einops_layers")

    _registered.append(LazygradBackend)


when_imported("einops", register)
