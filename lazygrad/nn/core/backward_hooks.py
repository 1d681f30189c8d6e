"""Full backward hooks: what a module's outputs and inputs receive as gradients, seen and changed by the user.

Both ends of the module's computation pass through an identity function whose backward sees all gradients of that end
at once. Gradients reach the output end first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lazygrad.autograd import Function
from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.user_warning import warn_user
from lazygrad.tensor import Tensor

Gradients = tuple[Tensor | None, ...]


class BackwardHookFunction(Function):
    """Identity on several tensors. Its backward hands all their gradients to a callable, and passes on the answer."""

    @staticmethod
    def forward(ctx: Any, tap: Callable[[Gradients], Gradients], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.tap = tap
        ctx.set_materialize_grads(False)
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        return (None, *ctx.tap(gradients))


class BackwardHookCall:
    """The backward hooks of one call of a module.

    Args:
        module: the module that is called.
        pre_hooks: called with the gradients of the outputs.
        hooks: called with the gradients of the inputs and of the outputs.
    """

    def __init__(
        self, module: object, pre_hooks: Iterable[Callable[..., Any]], hooks: Iterable[Callable[..., Any]]
    ) -> None:
        self.module = module
        self.pre_hooks, self.hooks = tuple(pre_hooks), tuple(hooks)
        self.watched_inputs: list[int] = []
        self.watched_outputs: list[int] = []
        self.input_count = 0
        self.output_count = 0
        self.grad_output: Gradients | None = None

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, the ones that need gradients routed through a tap."""
        self.input_count = len(args)
        tapped, self.watched_inputs = _tap(args, self._on_input_gradients)
        return tapped

    def watch_output(self, output: Any) -> Any:
        """The module's output, its tensors routed through a tap."""
        if not isinstance(output, (Tensor, tuple)):
            warn_user(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                f"received {type(output)}",
            )
            return output
        outputs = output if isinstance(output, tuple) else (output,)
        self.output_count = len(outputs)
        tapped, self.watched_outputs = _tap(outputs, self._on_output_gradients)
        return tapped if isinstance(output, tuple) else tapped[0]

    def _on_output_gradients(self, gradients: Gradients) -> Gradients:
        grad_output = _spread(gradients, self.watched_outputs, self.output_count)
        for hook in self.pre_hooks:
            grad_output = _checked("Backward pre hook", "grad_output", hook(self.module, grad_output), grad_output)
        self.grad_output = grad_output
        if not self.watched_inputs:
            self._run_hooks((None,) * self.input_count)
        return tuple(grad_output[index] for index in self.watched_outputs)

    def _on_input_gradients(self, gradients: Gradients) -> Gradients:
        if self.grad_output is None:  # the gradient did not come through the module's output
            return gradients
        grad_input = self._run_hooks(_spread(gradients, self.watched_inputs, self.input_count))
        return tuple(grad_input[index] for index in self.watched_inputs)

    def _run_hooks(self, grad_input: Gradients) -> Gradients:
        for hook in self.hooks:
            changed = hook(self.module, grad_input, self.grad_output)
            grad_input = _checked("Backward hook", "grad_input", changed, grad_input)
        self.grad_output = None
        return grad_input


def _tap(values: tuple[Any, ...], tap: Callable[[Gradients], Gradients]) -> tuple[tuple[Any, ...], list[int]]:
    """The values with those that require grad routed through a `BackwardHookFunction`, and the positions of these."""
    watched = [index for index, value in enumerate(values) if isinstance(value, Tensor) and value.requires_grad]
    if not watched or not is_grad_enabled():
        return values, []
    tapped = list(values)
    for index, tensor in zip(
        watched, BackwardHookFunction.apply(tap, *(values[index] for index in watched)), strict=True
    ):
        tapped[index] = tensor
    return tuple(tapped), watched


def _spread(gradients: Gradients, positions: list[int], count: int) -> Gradients:
    """The gradients at their positions among ``count`` values, None at the others."""
    spread: list[Tensor | None] = [None] * count
    for position, gradient in zip(positions, gradients, strict=True):
        spread[position] = gradient
    return tuple(spread)


def _checked(kind: str, what: str, changed: Any, before: Gradients) -> Gradients:
    """What a hook returned as a tuple of the right length; what was there before when it returned None."""
    if changed is None:
        return before
    gradients: Gradients = changed if isinstance(changed, tuple) else (changed,)
    if len(gradients) != len(before):
        raise RuntimeError(
            f"{kind} returned an invalid number of {what}, got {len(gradients)}, but expected {len(before)}"
        )
    return gradients
