"""Modules that learn the sizes of their parameters from their first input."""

from __future__ import annotations

from itertools import chain
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin(Module):
    """A module whose parameters and buffers are `UninitializedParameter` and `UninitializedBuffer` at first.

    The first call gives its arguments to `initialize_parameters`, and the module becomes a ``cls_to_become``. Loading
    a state gives shapes to what it has values for.

    Attributes:
        cls_to_become: the module's class from its first call on; None to keep the class.
    """

    cls_to_become: type[Module] | None = None
    _is_inferred: bool = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._is_inferred:
            return super().__call__(*args, **kwargs)
        self._infer_parameters(args, kwargs)
        return self(*args, **kwargs)

    def _infer_parameters(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.initialize_parameters(*args, **kwargs)
        if self.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        if self.cls_to_become is None:
            self._is_inferred = True
        else:
            self.__class__ = self.cls_to_become  # type: ignore[assignment]

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Gives all parameters and buffers shapes and values, by what the module is called with.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return any(map(is_lazy, chain(self._parameters.values(), self._buffers.values())))

    def _materialize(self, **shapes: tuple[int, ...]) -> None:
        """Gives shapes to those of the named parameters and buffers that have none."""
        for name, shape in shapes.items():
            member = getattr(self, name)
            if is_lazy(member):
                member.materialize(shape)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        for name in chain(self._parameters, self._buffers):
            saved = state_dict.get(prefix + name)
            if saved is not None and not is_lazy(saved):
                self._materialize(**{name: tuple(saved.shape)})
        super()._load_from_state_dict(state_dict, prefix, *args)
