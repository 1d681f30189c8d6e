"""Transforms made of others."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.ops.random.tensors import rand

__all__ = ["Compose", "Lambda", "RandomApply", "RandomChoice", "RandomOrder"]

Transform = Callable[[Any], Any]


def _listed(name: str, transforms: Sequence[Any], first: str = "") -> str:
    return "\n".join([f"{name}({first}", *(f"    {transform}" for transform in transforms), ")"])


class Compose:
    """One transform after the other."""

    def __init__(self, transforms: Sequence[Transform]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return _listed(type(self).__name__, self.transforms)


class Lambda:
    """A function as a transform.

    Raises:
        TypeError: it cannot be called.
    """

    def __init__(self, lambd: Transform) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class RandomApply(Module):
    """All of the transforms with probability ``p``, otherwise none."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, img: Any) -> Any:
        if self.p < rand(1).item():
            return img
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return _listed(type(self).__name__, self.transforms, f"\n    p={self.p}")


class _Several:
    """Transforms of which something is chosen, by Python's own random numbers."""

    def __init__(self, transforms: Sequence[Transform]) -> None:
        if not isinstance(transforms, Sequence):
            raise TypeError("Argument transforms should be a sequence")
        self.transforms = transforms

    def __repr__(self) -> str:
        return _listed(type(self).__name__, self.transforms)


class RandomOrder(_Several):
    """The transforms one after the other, in any order.

    Raises:
        TypeError: no sequence of them.
    """

    def __call__(self, img: Any) -> Any:
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for position in order:
            img = self.transforms[position](img)
        return img


class RandomChoice(_Several):
    """One of the transforms, by the weights ``p``.

    Raises:
        TypeError: no sequence of transforms, or of weights.
    """

    def __init__(self, transforms: Sequence[Transform], p: Sequence[float] | None = None) -> None:
        super().__init__(transforms)
        if p is not None and not isinstance(p, Sequence):
            raise TypeError("Argument p should be a sequence")
        self.p = p

    def __call__(self, *args: Any) -> Any:
        return random.choices(self.transforms, weights=self.p)[0](*args)

    def __repr__(self) -> str:
        return f"{super().__repr__()}(p={self.p})"
