"""``torch.utils.module_tracker``: the names of the modules that are running."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self
from weakref import WeakKeyDictionary

from lazygrad.autograd.callbacks import at_end_of_pass, register_hook
from lazygrad.nn.core.global_hooks import register_module_forward_hook, register_module_forward_pre_hook
from lazygrad.nn.core.module import Module
from lazygrad.pytree import leaves_of
from lazygrad.tensor import Tensor

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """A context that knows which modules are running: forward, and backward where hooks ask.

    A module runs backward from when the gradients of its outputs are there until those of its inputs are.

    Attributes:
        parents: their dotted names from the outermost module on, and ``"Global"``.
    """

    parents: set[str]

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._is_backward = False
        self._names: WeakKeyDictionary[Module, str] = WeakKeyDictionary()
        self._seen: WeakKeyDictionary[Module, bool] = WeakKeyDictionary()
        self._handles: list[Any] = []

    @property
    def is_bw(self) -> bool:
        """Whether a ``backward`` is running that has reached a module."""
        return self._is_backward

    def __enter__(self) -> Self:
        self._handles += [
            register_module_forward_pre_hook(self._before_forward),
            register_module_forward_hook(self._after_forward),
        ]
        return self

    def __exit__(self, *args: object) -> None:
        while self._handles:
            self._handles.pop().remove()

    def _before_forward(self, module: Module, given: Any) -> None:
        name = self._name(module)
        self.parents.add(name)
        self._when_gradients_are_there(given, lambda: self.parents.discard(name))

    def _after_forward(self, module: Module, given: Any, output: Any) -> None:
        name = self._name(module)
        self.parents.discard(name)
        self._when_gradients_are_there(output, lambda: self.parents.add(name))

    def _name(self, module: Module) -> str:
        name = self._names.setdefault(module, type(module).__name__)
        if module not in self._seen:
            self._seen[module] = True
            for own, submodule in module.named_children():
                self._names[submodule] = f"{name}.{own}"
                self._name(submodule)
        return name

    def _when_gradients_are_there(self, values: Any, change: Callable[[], None]) -> None:
        """Change `parents` in each backward pass in which all tensors among ``values`` have got their gradients."""
        tensors = [each for each in leaves_of(values) if isinstance(each, Tensor) and each.requires_grad]
        arrived = 0

        def hook(gradient: Tensor) -> None:
            nonlocal arrived
            arrived += 1
            if arrived == len(tensors):
                arrived = 0
                if not self._is_backward:
                    self._is_backward = True
                    at_end_of_pass(self._end_backward)
                change()

        self._handles += [register_hook(tensor, hook) for tensor in tensors]

    def _end_backward(self) -> None:
        self._is_backward, self.parents = False, {"Global"}
