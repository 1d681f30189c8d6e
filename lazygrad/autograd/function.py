"""Custom differentiable functions: the user's forward and backward as one step of the graph."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from lazygrad.autograd.application import Application, is_in_graph, record_outputs
from lazygrad.autograd.saved_tensors import SavedTensor, save, unpack
from lazygrad.grad_mode import is_grad_enabled, no_grad
from lazygrad.inference_tensors import require_savable
from lazygrad.ir.node import Node, next_serial
from lazygrad.levels import Level, levels, running_only
from lazygrad.runtime.recording import forward_mode_is_open
from lazygrad.tensor import Tensor


class FunctionCtx:
    """What ``forward`` hands to ``backward`` and ``jvp``; further attributes can be set on it.

    Attributes:
        needs_input_grad: per argument of ``forward``, whether its gradient is wanted.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._saved: tuple[SavedTensor | None, ...] = ()
        self._saved_for_forward: tuple[Any, ...] | None = None
        self._dirty: tuple[Tensor, ...] = ()
        self._non_differentiable: tuple[Tensor, ...] = ()
        self._materialize = True

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` was given; in ``jvp``, what `save_for_forward` was given."""
        return tuple(None if item is None else unpack(item) for item in self._saved)

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for ``backward``, where `saved_tensors` gives them back.

        Raises:
            TypeError: something that is neither a tensor nor None.
            RuntimeError: an inference tensor, where an argument's gradient is wanted.
        """
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {tensors.index(tensor)} is of type "
                    f"{type(tensor).__name__}"
                )
            if tensor is not None and not tensor.is_sparse and any(self.needs_input_grad):
                require_savable(tensor._storage.is_inference)
        self._saved = tuple(None if tensor is None else save(tensor) for tensor in tensors)

    def _note_end_of_forward(self) -> None:
        """What ``forward`` wrote to after it had saved a tensor is no later write."""
        self._saved = tuple(None if item is None else item._replace(serial=next_serial()) for item in self._saved)

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for ``jvp``, where `saved_tensors` gives them back."""
        self._saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say that ``forward`` wrote to these inputs in place; it must return them."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say that these outputs have no gradient."""
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` gets zeros (the default) or None for outputs without gradient."""
        self._materialize = value


class VmapInfo(NamedTuple):
    """What a ``vmap`` staticmethod is told: the number of examples, and `vmap`'s ``randomness``."""

    batch_size: int
    randomness: str


class Function:
    """Subclass with static methods ``forward(ctx, *args)`` and ``backward(ctx, *grad_outputs)``; call ``apply``.

    ``forward`` may leave ``ctx`` out when ``setup_context(ctx, inputs, output)`` is defined as well, which the
    transforms of `lazygrad.func` require.

    Attributes:
        generate_vmap_rule: whether `vmap` runs ``forward`` and ``backward`` for each example, which they must allow.
    """

    generate_vmap_rule = False

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; gradients are not recorded inside."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what ``backward`` needs, for a ``forward`` that takes no ``ctx``."""
        raise NotImplementedError("setup_context is not implemented.")

    # The keywords tell type checkers that a subclass chooses the parameters.

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **kwargs: Any) -> Any:
        """Given the gradient of each output, return the gradient of each argument of ``forward`` (or None)."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    # Another name of backward, of which a subclass defines one.
    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any, **kwargs: Any) -> Any:
        """Given the tangent of each argument of ``forward`` (or None), return the tangent of each output."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: VmapInfo, in_dims: tuple[int | None, ...], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Given arguments of which some are stacks of examples, return the outputs and where their stacks lie."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """RuntimeError: a function is called by its class, ``MyFunction.apply(x)``."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            f"function with static forward method, and call it by {type(self).__name__}.apply(...)"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` and record that ``backward`` differentiates it.

        Raises:
            NotImplementedError: forward or, at the time of differentiation, backward is missing.
            RuntimeError: inside a transform of `lazygrad.func`, no ``setup_context`` or no way to vmap; at the time
                of differentiation, backward returns a wrong number of gradients.
        """
        separate = cls.setup_context is not Function.setup_context
        if separate:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, {}
        elif levels.active:
            raise RuntimeError(
                "In order to use an autograd.Function with function transforms (vmap, grad, jvp, jacrev, ...), it must "
                "override the setup_context staticmethod."
            )
        needs = tuple(isinstance(arg, Tensor) and arg.requires_grad for arg in args)
        ctx = FunctionCtx(needs)
        before = tuple(arg.node() for arg in args if is_in_graph(arg))
        mapped = _mapped_level(before)
        if mapped is not None and cls._has_own_vmap():
            output = _vmapped(cls, mapped, args)
        else:
            with no_grad():
                output = cls.forward(*args) if separate else cls.forward(ctx, *args, **kwargs)
        if separate:
            with no_grad():
                cls.setup_context(ctx, args, output)
        if ctx._saved_for_forward is not None and not ctx._saved:
            ctx.save_for_backward(*ctx._saved_for_forward)
        tracked = is_grad_enabled() and any(needs)
        if not (tracked or forward_mode_is_open()):
            return output
        application = Application(cls, ctx, args, before, mapped is not None and cls._has_own_vmap(), tracked)
        outputs = record_outputs(application, output, args)
        ctx._note_end_of_forward()
        return outputs

    @classmethod
    def _pullback(cls) -> Callable[..., Any]:
        return cls.vjp if cls.vjp is not Function.vjp else cls.backward

    @classmethod
    def _has_own_vmap(cls) -> bool:
        """Whether `vmap` is the subclass's; otherwise its rule is generated.

        Raises:
            RuntimeError: neither or both.
        """
        own = cls.vmap is not Function.vmap
        if own and cls.generate_vmap_rule:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overriden vmap "
                f"staticmethod. Please set generate_vmap_rule=False or delete the overriden vmap staticmethod"
            )
        if not own and not cls.generate_vmap_rule:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and "
                f"implement the vmap staticmethod or set generate_vmap_rule=True."
            )
        return own


class InplaceFunction(Function):
    """`Function` by a former name, by which networks of few bits derive their roundings."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


def _mapped_level(nodes: tuple[Node, ...]) -> Level | None:
    """The innermost running `vmap` of which an argument is a stack."""
    for level in reversed(levels.active):
        if any(level.stack(node) is not None for node in nodes):
            return level
    return None


def _vmapped(function: type[Function], level: Any, args: tuple[Any, ...]) -> Any:
    """The outputs for one example, computed by the function's own rule for all examples at once."""
    place = levels.active.index(level)
    nodes = [arg.node() for arg in args if is_in_graph(arg)]
    results = level.results(nodes)
    whole = [node for node, _ in results]
    for inner in reversed(levels.active[place + 1 :]):
        whole = inner.outside(whole)
    tensors, flags = iter(map(Tensor.from_node, whole)), iter(is_stack for _, is_stack in results)
    in_dims = tuple(0 if is_in_graph(arg) and next(flags) else None for arg in args)
    given = [next(tensors) if is_in_graph(arg) else arg for arg in args]
    with running_only(levels.active[:place]):
        output, out_dims = function.vmap(VmapInfo(level.size, level.randomness), in_dims, *given)
    if not isinstance(output, tuple):
        return _example(level, output, out_dims)
    dims = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(output)
    return tuple(_example(level, item, dim) for item, dim in zip(output, dims, strict=True))


def _example(level: Level, output: Any, dim: int | None) -> Any:
    if dim is None or not isinstance(output, Tensor):
        return output
    return Tensor.from_node(level.one_of(output.movedim(dim, 0).node()))


class _Undifferentiable(Function):
    """The first argument, which depends on the others in a way nobody can differentiate."""

    @staticmethod
    def forward(ctx: FunctionCtx, value: Tensor, *others: Any) -> Tensor:
        return value

    @staticmethod
    def backward(ctx: FunctionCtx, *grad_outputs: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """A ``backward`` that is not differentiable itself: differentiating its results raises RuntimeError."""

    @functools.wraps(function)
    def once(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = function(ctx, *args)
        if not (is_grad_enabled() and any(isinstance(arg, Tensor) and arg.requires_grad for arg in args)):
            return outputs
        marked = [
            _Undifferentiable.apply(output, *args) if isinstance(output, Tensor) else output
            for output in (outputs if isinstance(outputs, tuple) else (outputs,))
        ]
        return tuple(marked) if isinstance(outputs, tuple) else marked[0]

    return once
