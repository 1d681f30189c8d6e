"""``torch.utils.flop_counter``: a counter that libraries make in advance. Operations are not counted as they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from lazygrad.left_out import stand_in

__all__ = ["FlopCounterMode", "register_flop_formula"]


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Any], Any]:
    """A decorator that gives a formula back: nothing asks for it."""
    return lambda formula: formula


class FlopCounterMode:
    """Can be made, and has counted nothing; to count with it is refused.

    Args:
        mods, depth, display, custom_mapping: how PyTorch's counter would show what it counted.
    """

    def __init__(
        self,
        mods: Any = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:
        self.depth, self.display = depth, display

    def __enter__(self) -> NoReturn:
        """Raises NotImplementedError."""
        stand_in("utils.flop_counter.FlopCounterMode", "lazygrad.profile() tells what each part of a program costs")()

    def __exit__(self, *args: object) -> None:
        """Nothing was begun."""

    def get_total_flops(self) -> int:
        """0."""
        return 0

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """No operation of no module."""
        return {"Global": {}}
