"""Custom differentiable functions: the user's forward and backward as one step of the graph."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from lazygrad.autograd.callbacks import set_custom_pullback
from lazygrad.grad_mode import is_grad_enabled, no_grad
from lazygrad.ir.build import zeros_like
from lazygrad.ir.dtype import float32
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import custom_function, custom_output, structural_number
from lazygrad.tensor import Tensor


class FunctionContext:
    """What ``forward`` hands to ``backward``.

    Attributes:
        needs_input_grad: per argument of ``forward``, whether its gradient is wanted.
        saved_tensors: what `save_for_backward` was given.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Any, ...] = ()
        self._non_differentiable: tuple[Tensor, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for ``backward``, where `saved_tensors` gives them back."""
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """Say that these outputs have no gradient."""
        self._non_differentiable = outputs

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` gets zeros (the default) or None for outputs without gradient."""
        self._materialize = value


class Function:
    """Subclass with static methods ``forward(ctx, *args)`` and ``backward(ctx, *grad_outputs)``; call ``apply``.

    ``forward`` may leave ``ctx`` out when ``setup_context(ctx, inputs, output)`` is defined as well.
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; gradients are not recorded inside."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: FunctionContext, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what ``backward`` needs, for a ``forward`` that takes no ``ctx``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: FunctionContext, *grad_outputs: Any) -> Any:
        """Given the gradient of each output, return the gradient of each argument of ``forward`` (or None)."""
        raise NotImplementedError("You must implement the backward function for custom autograd.Function.")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run ``forward`` and record that ``backward`` differentiates it.

        Raises:
            NotImplementedError: forward or, at the time of differentiation, backward is missing.
            RuntimeError: at the time of differentiation, backward returns a wrong number of gradients.
        """
        needs = tuple(isinstance(arg, Tensor) and arg.requires_grad for arg in args)
        ctx = FunctionContext(needs)
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        if not (is_grad_enabled() and any(needs)):
            return output
        outputs = output if isinstance(output, tuple) else (output,)
        recorded = _Application(cls, ctx, args).outputs(outputs)
        return recorded if isinstance(output, tuple) else recorded[0]


_applied: WeakKeyDictionary[Node, type[Function]] = WeakKeyDictionary()


def applied_function(output: Node) -> type[Function]:
    """The custom function that `Function.apply` recorded ``output``, a custom_output node, for."""
    _, joint = output.inputs
    return _applied[joint]


class _Application:
    """One call of a Function in the graph: a joint node all inputs feed and all outputs depend on.

    The outputs' gradients reach the joint node last, so ``backward`` runs once, with all of them.
    """

    def __init__(self, function: type[Function], ctx: FunctionContext, args: tuple[Any, ...]) -> None:
        self.function, self.ctx, self.args = function, ctx, args
        self.inputs = tuple(arg.node() for arg in args if isinstance(arg, Tensor))
        self.joint = make_node(custom_function, self.inputs, (), capture())
        self.joint.tracked = True
        self.arrived: dict[int, Node] = {}
        self.types: list[Node] = []
        set_custom_pullback(self.joint, self._run_backward)
        _applied[self.joint] = function

    def outputs(self, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(self._output(i, output) for i, output in enumerate(outputs))

    def _output(self, position: int, output: Any) -> Any:
        if not isinstance(output, Tensor):
            return output
        value = output.node()
        self.types.append(value)
        if any(output is other for other in self.ctx._non_differentiable) or not value.dtype.differentiable:
            return output
        node = make_node(custom_output, (value, self.joint), (), capture())
        node.tracked = True
        set_custom_pullback(node, lambda gradient, *_: self._arrive(position, gradient))
        return Tensor.from_node(node)

    def _arrive(self, position: int, gradient: Node) -> tuple[Node | None, ...]:
        self.arrived[position] = gradient
        return None, structural_number(1.0, float32)

    def _run_backward(self, _: Node, joint: Node, *inputs: Node) -> tuple[Node | None, ...]:
        arrived, self.arrived = self.arrived, {}
        gradients = [self._handed_over(i, arrived.get(i)) for i in range(len(self.types))]
        returned = self.function.backward(self.ctx, *gradients)
        returned = returned if isinstance(returned, tuple) else (returned,)
        if len(returned) != len(self.args):
            raise RuntimeError(
                f"function {self.function.__name__}Backward returned an incorrect number of gradients "
                f"(expected {len(self.args)}, got {len(returned)})"
            )
        pairs = zip(returned, self.args, strict=True)
        return tuple(self._taken_back(given) for given, arg in pairs if isinstance(arg, Tensor))

    def _taken_back(self, given: Any) -> Node | None:
        if given is None:
            return None
        if not isinstance(given, Tensor):
            raise RuntimeError(
                f"function {self.function.__name__}Backward returned {type(given).__name__}; expected a Tensor or None"
            )
        return given.node()

    def _handed_over(self, position: int, gradient: Node | None) -> Tensor | None:
        if gradient is None and not self.ctx._materialize:
            return None
        return Tensor.from_node(zeros_like(self.types[position]) if gradient is None else gradient)
