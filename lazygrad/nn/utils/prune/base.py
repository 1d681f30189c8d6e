"""What all ways of pruning share, and several of them one after another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.nn.utils._hooks import find_hook
from lazygrad.ops.creation.like import ones_like
from lazygrad.tensor import Tensor


class BasePruningMethod(ABC):
    """A way of pruning, and the hook that applies its mask. A subclass defines `compute_mask` and ``PRUNING_TYPE``.

    Attributes:
        PRUNING_TYPE: ``"unstructured"``: single elements, ``"structured"``: slices along ``dim``, or ``"global"``.
    """

    PRUNING_TYPE: str
    _tensor_name: str | None = None

    def __call__(self, module: Module, inputs: Any) -> None:
        assert self._tensor_name is not None
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """What is kept.

        Args:
            t: how important each element is.
            default_mask: what was kept until now, of the same shape.
        """

    def apply_mask(self, module: Module) -> Tensor:
        """The pruned tensor: the original times the mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, original = (getattr(module, self._tensor_name + suffix) for suffix in ("_mask", "_orig"))
        pruned: Tensor = mask.to(dtype=original.dtype) * original
        return pruned

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prunes a parameter, or prunes it further.

        Args:
            module: the module that has it.
            name: of the parameter.
            args: for the class.
            importance_scores: decide in place of the parameter's values; of its shape.
            kwargs: for the class.

        Returns:
            The hook.
        """
        method = _joined_with_older(cls(*args, **kwargs), module, name)
        original = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {original.shape}"
            )
        is_first = not isinstance(method, PruningContainer)
        if is_first:
            module.register_parameter(f"{name}_orig", original)
            del module._parameters[name]
        mask = ones_like(original) if is_first else getattr(module, f"{name}_mask").detach().clone()
        try:
            scores = original if importance_scores is None else importance_scores
            mask = method.compute_mask(scores.detach(), default_mask=mask)
            module.register_buffer(f"{name}_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if is_first:
                module.register_parameter(name, module._parameters.pop(f"{name}_orig"))
            raise
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """The pruned form of a tensor, which stays as it is.

        Args:
            t: the tensor.
            default_mask: what was kept until now; everything when left out.
            importance_scores: decide in place of the values; of the same shape.
        """
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        scores = t if importance_scores is None else importance_scores
        mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=mask)

    def remove(self, module: Module) -> None:
        """Makes the pruned tensor the parameter again, for good."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        pruned = self.apply_mask(module).detach()
        if hasattr(module, name):
            delattr(module, name)
        parameter = module._parameters.pop(f"{name}_orig")
        assert parameter is not None
        parameter.data = pruned
        del module._buffers[f"{name}_mask"]
        setattr(module, name, parameter)


class PruningContainer(BasePruningMethod):
    """Several ways of pruning one parameter; each goes on from the mask of those before it.

    Raises:
        TypeError: something else than a pruning method.
        ValueError: a method for another parameter.
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Adds one more way, which decides next."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the method that was added last, among what is still kept."""
        method = self._pruning_methods[-1]
        part = _kept_part(method, t, default_mask)
        mask = default_mask.to(dtype=t.dtype).clone()
        mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(dtype=mask.dtype)
        return mask


def _kept_part(method: BasePruningMethod, t: Tensor, mask: Tensor) -> Any:
    """The index of what a method may still choose from."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return (slice(None),) * t.dim()
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    if not hasattr(method, "dim"):
        raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.')
    rank = t.dim()
    dim = method.dim + rank if method.dim < 0 else method.dim
    if dim < 0:
        raise IndexError(f"Index is out of bounds for tensor with dimensions {rank}")
    kept = mask.sum(dim=[axis for axis in range(rank) if axis != dim]) != 0
    return tuple(kept if axis == dim else slice(None) for axis in range(rank))


def _joined_with_older(method: BasePruningMethod, module: Module, name: str) -> BasePruningMethod:
    """The method, or a container with that which prunes the parameter already; the latter's hook is taken away."""
    method._tensor_name = name
    found = find_hook(module, BasePruningMethod, name, "_tensor_name")  # type: ignore[type-abstract]
    if found is None:
        return method
    number, older = found
    del module._forward_pre_hooks[number]
    container = older if isinstance(older, PruningContainer) else PruningContainer(older)
    container.add_pruning_method(method)
    return container
