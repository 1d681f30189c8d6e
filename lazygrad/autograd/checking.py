"""`gradcheck` and `gradgradcheck`: derivatives against central differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazygrad.autograd.backward import grad
from lazygrad.autograd.jvp import tangents_of
from lazygrad.autograd.numerical import directions, numerical_jacobian, unit_cotangents
from lazygrad.grad_mode import enable_grad
from lazygrad.ir.build import zeros_like
from lazygrad.ir.dtype import Category
from lazygrad.ir.user_warning import warn_user
from lazygrad.tensor import Tensor


class GradcheckError(RuntimeError):
    """What `gradcheck` and `gradgradcheck` raise when a derivative is wrong."""


@dataclass(frozen=True, slots=True)
class _Options:
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    check_batched_grad: bool
    check_forward_ad: bool
    check_backward_ad: bool


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare gradients with central differences.

    For complex numbers the gradient of a real ``L`` by ``x + iy`` is ``∂L/∂x + i·∂L/∂y``, PyTorch's convention.

    Args:
        func: of tensors, returning a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of arguments; those that require gradients are checked, and should be float64.
        eps: the step of the differences.
        atol, rtol: how far they may be from the gradients: ``atol + rtol · |difference|``.
        raise_exception: False returns False instead of raising GradcheckError.
        nondet_tol: how far two backward passes may differ.
        check_undefined_grad: accepted as PyTorch does; a missing gradient counts as zeros everywhere.
        check_grad_dtypes: whether gradients must have the dtypes of their inputs.
        check_batched_grad: whether ``grad(is_grads_batched=True)`` is compared with single passes.
        check_batched_forward_grad: accepted as PyTorch does; all directions are one vectorized pass anyway.
        check_forward_ad: whether forward mode is checked too.
        check_backward_ad: whether reverse mode is.
        fast_mode: accepted as PyTorch does; every element is checked.
        masked: for sparse tensors, which there are none of.

    Returns:
        True, or False if ``raise_exception`` is False and a derivative is wrong.

    Raises:
        ValueError: no input requires a gradient; ``func`` returns something else than tensors.
        GradcheckError: a derivative is wrong.
    """
    options = _Options(
        eps, atol, rtol, nondet_tol, check_grad_dtypes, check_batched_grad, check_forward_ad, check_backward_ad
    )
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    try:
        _Check(func, args, options).run()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


class _Check:
    """One call of ``func``, and what is compared."""

    def __init__(self, func: Callable[..., Any], args: tuple[Any, ...], options: _Options) -> None:
        self.func, self.args, self.options = func, args, options
        self.positions = [i for i, arg in enumerate(args) if isinstance(arg, Tensor) and arg.requires_grad]
        if not self.positions:
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of the them have "
                "requires_grad=True."
            )
        for i in self.positions:
            if args[i].dtype.itemsize // (2 if args[i].dtype.is_complex else 1) < 8:
                warn_user(
                    f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                    f"will likely fail if all the inputs are not of double precision floating point or complex.",
                )

    def run(self) -> None:
        with enable_grad():
            outputs = self._outputs(self.func(*self.args))
        for number, output in enumerate(outputs):
            if not output.dtype.differentiable:
                continue
            expected = [
                numerical_jacobian(lambda *args, n=number: self._outputs(self.func(*args))[n], self.args, i,
                                   self.options.eps)
                for i in self.positions
            ]  # fmt: skip
            if self.options.check_backward_ad:
                self._check_reverse(number, output, expected)
            if self.options.check_forward_ad:
                self._check_forward(number, expected)

    def _outputs(self, returned: Any) -> list[Tensor]:
        outputs = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        if not all(isinstance(output, Tensor) for output in outputs):
            raise ValueError("gradcheck expects func to return a tensor or a tuple of tensors")
        return outputs

    def _check_reverse(self, number: int, output: Tensor, expected: list[np.ndarray]) -> None:
        """Rows: for each unit cotangent ``c``, the gradient of ``Re(conj(c) · output)``."""
        cotangents = unit_cotangents(output)
        rows = self._gradients(output, cotangents)
        again = self._gradients(output, cotangents)
        for position, first, second, columns in zip(self.positions, rows, again, expected, strict=True):
            if first.size and np.abs(first - second).max() > self.options.nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient"
                )
            shape = (len(cotangents), -1)
            wanted = _rows_of(columns, cotangents, self.args[position].dtype.is_complex)
            self._compare(number, position, wanted, first.reshape(shape) if first.size else first.reshape(wanted.shape))
        if self.options.check_batched_grad and cotangents and output.requires_grad:
            self._check_batched(output, cotangents, rows)

    def _gradients(self, output: Tensor, cotangents: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Per checked input, the gradients for all cotangents."""
        checked = [self.args[i] for i in self.positions]
        stacks: list[list[np.ndarray]] = [[] for _ in checked]
        for cotangent in cotangents:
            weight = Tensor.from_array(cotangent.astype(output.array().dtype), output.device, shared=False)
            found: Sequence[Tensor | None] = [None] * len(checked)
            if output.requires_grad:
                found = grad(output, checked, weight, retain_graph=True, allow_unused=True)
            for stack, gradient, tensor in zip(stacks, found, checked, strict=True):
                if gradient is None:
                    stack.append(np.zeros(tensor.shape))
                    continue
                if self.options.check_grad_dtypes and gradient.dtype is not tensor.dtype:
                    raise GradcheckError(f"The gradient has dtype {gradient.dtype}, but its input {tensor.dtype}")
                stack.append(gradient.array().copy())
        return [np.array(stack) for stack in stacks]

    def _check_batched(self, output: Tensor, cotangents: Sequence[np.ndarray], rows: list[np.ndarray]) -> None:
        weights = Tensor.from_array(np.stack(cotangents).astype(output.array().dtype), output.device, shared=False)
        checked = [self.args[i] for i in self.positions]
        found = grad(output, checked, weights, retain_graph=True, allow_unused=True, is_grads_batched=True)
        for gradient, row in zip(found, rows, strict=True):
            if gradient is not None and not np.allclose(gradient.array(), row, self.options.rtol, self.options.atol):
                raise GradcheckError("gradcheck or gradgradcheck failed while testing batched gradient computation.")

    def _check_forward(self, number: int, expected: list[np.ndarray]) -> None:
        """Columns: the output's tangent for each unit direction, each of a call of its own: a custom function's ``jvp``
        may let go of what ``forward`` kept for it."""
        for position, columns in zip(self.positions, expected, strict=True):
            tensor = self.args[position]
            computed = []
            for direction in directions(tensor):
                tangent = Tensor.from_array(direction.astype(tensor.array().dtype), tensor.device, shared=False)
                with enable_grad():
                    node = self._outputs(self.func(*self.args))[number].node()
                (pushed,) = tangents_of([node], {tensor.node(): tangent.node()})
                computed.append(Tensor.from_node(zeros_like(node) if pushed is None else pushed).array().reshape(-1))
            found = np.array(computed).reshape(columns.shape)
            self._compare(number, position, columns, found)

    def _compare(self, number: int, position: int, wanted: np.ndarray, found: np.ndarray) -> None:
        if not np.allclose(found, wanted, self.options.rtol, self.options.atol, equal_nan=True):
            raise GradcheckError(
                f"Jacobian mismatch for output {number} with respect to input {position},\nnumerical:{wanted}\n"
                f"analytical:{found}\n"
            )


def _rows_of(columns: np.ndarray, cotangents: Sequence[np.ndarray], complex_input: bool) -> np.ndarray:
    """The gradients that go with a numerical Jacobian, one row per cotangent."""
    slopes = np.zeros((len(cotangents), len(columns)))
    if slopes.size:
        weights = np.array([cotangent.reshape(-1).conj() for cotangent in cotangents])
        slopes = (weights @ columns.T).real  # one product: there may be millions of slopes
    return slopes[:, 0::2] + 1j * slopes[:, 1::2] if complex_input else slopes


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compare gradients of gradients with central differences.

    Args:
        func, inputs: as in `gradcheck`, as are the other parameters and what is returned and raised.
        grad_outputs: cotangents of the outputs; random by default.
        gen_non_contig_grad_outputs: accepted as PyTorch does.
        check_fwd_over_rev: whether the gradients are differentiated in forward mode.
        check_rev_over_rev: whether they are in reverse mode.
    """
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    with enable_grad():
        returned = func(*args)
    outputs = [o for o in (returned if isinstance(returned, (tuple, list)) else (returned,)) if _differentiable(o)]
    if grad_outputs is None:
        weights = tuple(_random_like(output) for output in outputs)
    else:
        weights = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)

    def gradients(*given: Any) -> tuple[Tensor, ...]:
        own, cotangents = given[: len(args)], given[len(args) :]
        result = func(*own)
        results = [o for o in (result if isinstance(result, (tuple, list)) else (result,)) if _differentiable(o)]
        checked = [arg for arg in own if isinstance(arg, Tensor) and arg.requires_grad]
        found = grad(results, checked, cotangents, create_graph=True, allow_unused=True)
        return tuple(gradient for gradient in found if gradient is not None)

    return gradcheck(
        gradients, (*args, *weights),
        eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode, masked=masked,
    )  # fmt: skip


def _differentiable(output: Any) -> bool:
    return isinstance(output, Tensor) and output.requires_grad


def _random_like(output: Tensor) -> Tensor:
    """A cotangent that requires a gradient; of float64 for a float64 output."""
    random = np.random.default_rng(output.numel())
    values = random.standard_normal(output.shape)
    if output.dtype.category is Category.COMPLEX:
        values = values + 1j * random.standard_normal(output.shape)
    return Tensor.from_array(np.asarray(values, output.array().dtype), output.device, shared=False).requires_grad_()
