"""Derivatives of functions, as in ``torch.autograd.functional``; `lazygrad.func` has the composable forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.autograd.backward import grad
from lazygrad.autograd.jvp import tangents_of
from lazygrad.autograd_meta import mark_tracked
from lazygrad.grad_mode import enable_grad
from lazygrad.ir.build import zeros_like
from lazygrad.ir.node import next_serial
from lazygrad.tensor import Tensor

Tensors = Tensor | tuple[Tensor, ...]
Function = Callable[..., Any]


class _Call:
    """``func(*inputs)`` on inputs of its own, and how its results are handed out.

    Attributes:
        name: of the derivative, for messages.
        inputs: what it was called with, requiring gradients.
        outputs: its results.
        single_input, single_output: whether these were given bare.
    """

    def __init__(self, name: str, func: Function, inputs: Tensors, create_graph: bool, strict: bool) -> None:
        self.name, self.create_graph, self.strict = name, create_graph, strict
        self.single_input = not isinstance(inputs, tuple)
        given = _as_tuple(inputs, "inputs", name)
        with enable_grad():
            self.inputs = tuple(_own(tensor, create_graph) for tensor in given)
            raw = func(*self.inputs)
            self.single_output = not isinstance(raw, tuple)
            self.outputs = _as_tuple(raw, "outputs of the user-provided function", name)
        for i, output in enumerate(self.outputs):
            if strict and not output.requires_grad:
                raise RuntimeError(
                    f"Output {i} of the user-provided function does not require gradients. The outputs must be "
                    f"computed in a differentiable manner from the input when running in strict mode."
                )

    def gradients(
        self, outputs: Sequence[Tensor], weights: Sequence[Tensor], create_graph: bool, back_from: str, **options: Any
    ) -> tuple[Tensor, ...]:
        """Gradients by the inputs; zeros where there are none, which strict mode refuses."""
        pairs = [(out, weight) for out, weight in zip(outputs, weights, strict=True) if out.requires_grad]
        found: Sequence[Tensor | None] = [None] * len(self.inputs)
        if pairs:
            found = grad(
                [out for out, _ in pairs], self.inputs, [weight for _, weight in pairs],
                retain_graph=True, create_graph=create_graph, allow_unused=True, **options,
            )  # fmt: skip
        for i, gradient in enumerate(found):
            if self.strict and gradient is None:
                raise RuntimeError(f"The {back_from} is independent of input {i}. This is not allowed in strict mode.")
        return tuple(
            gradient if gradient is not None else tensor.detach().new_zeros(tensor.shape)
            for gradient, tensor in zip(found, self.inputs, strict=True)
        )

    def of_outputs(self, values: Sequence[Any]) -> Any:
        """Values per output, in the form of the outputs."""
        return values[0] if self.single_output else tuple(values)

    def of_inputs(self, values: Sequence[Any]) -> Any:
        """Values per input, in the form of the inputs."""
        return values[0] if self.single_input else tuple(values)

    def finished(self, tensor: Tensor) -> Tensor:
        """A result: differentiable if ``create_graph``."""
        return tensor if self.create_graph else tensor.detach()

    def finished_outputs(self) -> Any:
        """The function's outputs."""
        return self.of_outputs([self.finished(output) for output in self.outputs])

    def only_output(self) -> Tensor:
        """The one number that a Hessian is of."""
        if not self.single_output:
            raise RuntimeError(f"The function given to {self.name} should return a single Tensor")
        (output,) = self.outputs
        if output.numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {self.name} should contain a single element"
            )
        return output


def _as_tuple(value: Any, what: str, name: str) -> tuple[Tensor, ...]:
    given = value if isinstance(value, tuple) else (value,)
    for i, item in enumerate(given):
        if not isinstance(item, Tensor):
            at = f"the value at index {i}" if isinstance(value, tuple) else f"the given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but {at} has type "
                f"{type(item)}."
            )
    return given


def _vector(
    v: Tensors | None, like: tuple[Tensor, ...], name: str, what: str, create_graph: bool
) -> tuple[Tensor, ...]:
    """``v`` checked against what it is multiplied with; ones for a single number."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {what} a single Tensor with a single element.")
        return (like[0].detach().new_ones(like[0].shape),)
    given = _as_tuple(v, "v", name)
    if len(given) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(given)}.")
    for i, (one, other) in enumerate(zip(given, like, strict=True)):
        if one.shape != other.shape:
            raise RuntimeError(f"Entry {i} of v has invalid size: should be {other.shape} but got {one.shape}.")
    return given if create_graph else tuple(one.detach() for one in given)


def _direction(v: Tensors | None, inputs: Tensors, name: str, create_graph: bool) -> tuple[Tensor, ...]:
    """``v`` as a direction in the space of the inputs."""
    like = _as_tuple(inputs, "inputs", name)
    return _vector(v, like, name, "the input to the user-provided function is", create_graph)


def _own(tensor: Tensor, create_graph: bool) -> Tensor:
    if create_graph and tensor.requires_grad:
        return tensor.view_as(tensor)
    return tensor.detach().requires_grad_()


def _unit_vectors(like: Tensor) -> Tensor:
    count = like.numel()
    return like.detach().new_ones(count).diag().reshape(count, *like.shape)


def vjp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value of ``func(*inputs)`` and ``vᵀ·J``.

    Args:
        func: of tensors, returning a tensor or a tuple of tensors.
        inputs: its arguments.
        v: of the outputs' shapes; may be left out for a single number.
        create_graph: make the results differentiable.
        strict: refuse outputs and inputs that do not depend on each other, instead of giving zeros.

    Raises:
        TypeError: something that is not a tensor or a tuple of tensors.
        RuntimeError: a ``v`` that does not fit; what ``strict`` refuses.
    """
    call = _Call("vjp", func, inputs, create_graph, strict)
    weights = _vector(v, call.outputs, "vjp", "the user-provided function returns", create_graph)
    found = call.gradients(call.outputs, weights, create_graph, "output of the user-provided function")
    return call.finished_outputs(), call.of_inputs([call.finished(gradient) for gradient in found])


def jvp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """The value of ``func(*inputs)`` and ``J·v``, in one forward sweep; arguments and errors as for `vjp`.

    ``v`` has the inputs' shapes.
    """
    tangents = _direction(v, inputs, "jvp", create_graph)
    call = _Call("jvp", func, inputs, create_graph, strict)
    first_new = next_serial()
    given = {tensor.node(): tangent.node() for tensor, tangent in zip(call.inputs, tangents, strict=True)}
    nodes = [output.node() for output in call.outputs]
    pushed = [
        tangent if tangent is not None else zeros_like(node)
        for tangent, node in zip(tangents_of(nodes, given), nodes, strict=True)
    ]
    mark_tracked(pushed, first_new)
    return call.finished_outputs(), call.of_outputs([call.finished(Tensor.from_node(node)) for node in pushed])


def vhp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, Any]:
    """The value of ``func(*inputs)``, a single number, and ``vᵀ·H``; arguments and errors as for `vjp`.

    ``v`` has the inputs' shapes.
    """
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, Any]:
    """The value of ``func(*inputs)`` and ``H·v``, which equals ``vᵀ·H``: Hessians are symmetric. See `vhp`."""
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)


def _hessian_product(
    name: str, func: Function, inputs: Tensors, v: Tensors | None, create_graph: bool, strict: bool
) -> tuple[Tensor, Any]:
    weights = _direction(v, inputs, name, create_graph)
    call = _Call(name, func, inputs, create_graph, strict)
    output = call.only_output()
    slopes = call.gradients([output], [output.detach().new_ones(output.shape)], True, "output of the function")
    found = call.gradients(slopes, weights, create_graph, "jacobian of the function")
    return call.finished(output), call.of_inputs([call.finished(gradient) for gradient in found])


def jacobian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of ``func``.

    Args:
        func: of tensors, returning a tensor or a tuple of tensors.
        inputs: its arguments.
        create_graph, strict: as for `vjp`.
        vectorize: accepted as PyTorch does; all rows are always computed in one pass.
        strategy: ``"reverse-mode"``, or ``"forward-mode"``, which PyTorch allows with ``vectorize`` alone.

    Returns:
        A tensor of shape (*output, *input); tuples of them, outputs first, where these come in tuples.

    Raises:
        TypeError, RuntimeError: as `vjp`.
        AssertionError: another strategy.
        NotImplementedError: forward mode without ``vectorize`` or with ``create_graph``.
    """
    assert strategy in ("forward-mode", "reverse-mode"), (
        'Expected strategy to be either "forward-mode" or "reverse-mode".'
    )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                'lazygrad.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not '
                "supported together (yet)."
            )
        if not vectorize:
            raise NotImplementedError('jacobian: strategy="forward-mode" needs vectorize=True.')
    if strict and vectorize:
        raise RuntimeError("jacobian: `strict=True` and `vectorized=True` are not supported together.")
    call = _Call("jacobian", func, inputs, create_graph, strict)
    return call.of_outputs([call.of_inputs(_rows(call, output)) for output in call.outputs])


def _rows(call: _Call, output: Tensor) -> list[Tensor]:
    """The Jacobians of one output by all inputs."""
    if not output.requires_grad:
        return [tensor.detach().new_zeros((*output.shape, *tensor.shape)) for tensor in call.inputs]
    found = grad(
        output, call.inputs, _unit_vectors(output),
        retain_graph=True, create_graph=call.create_graph, allow_unused=True, is_grads_batched=True,
    )  # fmt: skip
    if call.strict and any(gradient is None for gradient in found):
        position = [gradient is None for gradient in found].index(True)
        raise RuntimeError(
            f"The output of the user-provided function is independent of input {position}. This is not allowed in "
            f"strict mode."
        )
    return [
        tensor.detach().new_zeros((*output.shape, *tensor.shape))
        if gradient is None
        else call.finished(gradient).reshape(*output.shape, *tensor.shape)
        for gradient, tensor in zip(found, call.inputs, strict=True)
    ]


def hessian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of ``func``, which returns a single number.

    Args:
        func, inputs, create_graph, strict, vectorize: as for `jacobian`.
        outer_jacobian_strategy: likewise.

    Returns:
        A tensor of shape (*input, *input); a tuple of tuples of them for several inputs.
    """
    single = not isinstance(inputs, tuple)

    def slopes(*given: Tensor) -> Any:
        call = _Call("hessian", func, tuple(given), True, strict)
        output = call.only_output().reshape(())
        found = call.gradients([output], [output.detach().new_ones(())], True, "output of the function")
        return found[0] if single else found

    return jacobian(slopes, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
