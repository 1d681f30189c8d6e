"""What a gradient needs may not be written to before it is computed, as in PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")

MODIFIED = "modified by an inplace operation"


def outcome(function: Callable[[Any], Any], library: Any) -> Any:
    try:
        return np.asarray(function(library)).tolist()
    except RuntimeError as error:
        assert MODIFIED in str(error), error
        return MODIFIED


def variable(t: Any, *values: float) -> Any:
    return t.tensor(values, dtype=t.float64, requires_grad=True)


def through_detach(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x * 2
    z = y**2
    y.detach().add_(1)
    z.sum().backward()
    return x.grad


def through_data(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x.exp()
    z = y + x
    y.data.mul_(1)
    z.sum().backward()
    return x.grad


def weight_stepped(t: Any) -> Any:
    w, x = variable(t, 1, 2), variable(t, 3, 4)
    loss = (w * x).sum()
    with t.no_grad():
        w.sub_(0.5)
    loss.backward()
    return x.grad


def weight_that_only_it_needs(t: Any) -> Any:
    w, x = variable(t, 1, 2), t.tensor([3.0, 4.0], dtype=t.float64)
    loss = (w * x).sum()
    with t.no_grad():
        w.sub_(0.5)
    loss.backward()
    return w.grad


def input_that_a_weight_needs(t: Any) -> Any:
    w, x = variable(t, 1, 2), t.tensor([3.0, 4.0], dtype=t.float64)
    loss = (w * x).sum()
    x.zero_()
    loss.backward()
    return w.grad


def optimizer_between(t: Any) -> Any:
    w, x = variable(t, 1, 2), variable(t, 3, 4)
    optimizer = t.optim.SGD([w], lr=0.1)
    (w * 2).sum().backward()
    loss = (w * x).sum()
    optimizer.step()
    loss.backward()
    return x.grad


def view_of_what_is_needed(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x * 2
    z = y[1] ** 2
    y[0] = 7
    z.backward()
    return x.grad


def copy_of_what_is_written(t: Any) -> Any:
    x, b = variable(t, 1, 2), t.tensor([1.0, 2.0], dtype=t.float64)
    z = (b.clone() * x).sum()
    b.add_(1)
    z.backward()
    return x.grad


def one_of_two_equal(t: Any) -> Any:
    x, a, b = variable(t, 1, 2), t.zeros(2, dtype=t.float64), t.ones(2, dtype=t.float64)
    a.copy_(b)
    z = (a * x).sum()
    b.add_(1)
    z.backward()
    return x.grad


def result_that_is_needed(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x.exp()
    y.add_(1)
    y.sum().backward()
    return x.grad


def result_that_is_not_needed(t: Any) -> Any:
    x, w = variable(t, 1, 2), variable(t, 2, 3)
    y = x / w
    y.add_(1)
    y.sum().backward()
    return w.grad


def result_of_a_quotient_of_one(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = 1.0 / x
    y *= x.detach()
    y.sum().backward()
    return x.grad


def magnitude_of_complex_numbers(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = t.fft.rfft(x).abs()
    y.clamp_(min=0.1)
    y.sum().backward()
    return x.grad


def logits_of_a_loss(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = (x * 1).reshape(1, 2)
    loss = t.nn.functional.cross_entropy(y, t.tensor([1]))
    y.detach().sub_(1)
    loss.backward()
    return x.grad


def in_place_with_itself(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x * 2
    y.mul_(x)
    y.abs_()
    t.nn.functional.silu(y, inplace=True)
    t.nn.functional.mish(y, inplace=True)
    y.sum().backward()
    return x.grad


def reader_written_into_what_it_read(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x * 2
    y.add_(y**2)
    y.sum().backward()
    return x.grad


def written_before_it_is_read(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x * 2
    y.add_(1)
    (y**2).sum().backward()
    return x.grad


def second_derivative(t: Any) -> Any:
    x, w = variable(t, 1, 2), variable(t, 3, 4)
    (first,) = t.autograd.grad((w * x**3).sum(), x, create_graph=True)
    with t.no_grad():
        w.add_(1)  # the gradient of w's product has read it already
    first.sum().backward()
    return x.grad


def counted_write(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x * 2
    z = y**2
    t.autograd.graph.increment_version(y)
    z.sum().backward()
    return x.grad


class _Square:
    """Made for each library: x² by hand, keeping x."""

    def __new__(cls, t: Any) -> Any:
        class Square(t.autograd.Function):  # type: ignore[misc, name-defined]
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx: Any, gradient: Any) -> Any:
                (x,) = ctx.saved_tensors
                return 2 * x * gradient

        return Square


def custom_function(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x * 1
    z = _Square(t).apply(y)
    y.detach().add_(1)
    z.sum().backward()
    return x.grad


def custom_function_left_alone(t: Any) -> Any:
    x = variable(t, 1, 2)
    y = x * 1
    y.add_(1)
    z = _Square(t).apply(y)
    z.sum().backward()
    return x.grad


def target_of_a_copy_that_is_needed(t: Any) -> Any:
    w, a, b = variable(t, 1, 2), t.zeros(2, dtype=t.float64), t.ones(2, dtype=t.float64)
    a.copy_(b)
    loss = (w * a).sum()
    a.add_(1)
    loss.backward()
    return w.grad


def source_of_a_copy_whose_target_is_written(t: Any) -> Any:
    w, a, b = variable(t, 1, 2), t.zeros(2, dtype=t.float64), t.ones(2, dtype=t.float64)
    a[:] = b
    loss = (w * b).sum()
    a.add_(1)
    loss.backward()
    return w.grad


def source_of_a_copy_that_is_needed(t: Any) -> Any:
    w, a, b = variable(t, 1, 2), t.zeros(2, dtype=t.float64), t.ones(2, dtype=t.float64)
    a[:] = b
    loss = (w * b).sum()
    b.add_(1)
    loss.backward()
    return w.grad


def copy_of_a_result_that_is_needed(t: Any) -> Any:
    w, a = variable(t, 1, 2), t.zeros(2, dtype=t.float64)
    a.copy_(w * 2)
    loss = (a * a).sum()
    a.add_(1)
    loss.backward()
    return w.grad


def result_of_which_a_copy_is_written(t: Any) -> Any:
    w, a = variable(t, 1, 2), t.zeros(2, dtype=t.float64)
    y = w * 2
    a.copy_(y)
    loss = (y * y).sum()
    a.add_(1)
    loss.backward()
    return w.grad


def memory_of_an_array_that_is_needed(t: Any) -> Any:
    w, x = variable(t, 1, 2), t.from_numpy(np.ones(2))
    loss = (w * x).sum()
    x.add_(1)
    loss.backward()
    return w.grad


def view_of_an_array_that_is_needed(t: Any) -> Any:
    w, array = variable(t, 1, 2), np.ones(2)
    x = t.from_numpy(array)
    loss = (w * x[0]).sum()
    x.mul_(2)
    loss.backward()
    return w.grad


def frozen_before_backward(t: Any) -> Any:
    w, x = variable(t, 1, 2), variable(t, 3, 4)
    loss = (w * x).sum()
    w.requires_grad_(False)
    loss.backward()
    return [w.grad is None, *x.grad.tolist()]


def _activated_in_place(operation: str) -> Callable[[Any], Any]:
    def program(t: Any) -> Any:
        x = variable(t, 1, 2)
        y = getattr(t, operation)(x)
        t.nn.functional.relu(y, inplace=True)  # the very next operation
        y.sum().backward()
        return x.grad

    program.__name__ = f"{operation}_activated_in_place"
    return program


PROGRAMS = [
    *map(_activated_in_place, ["sigmoid", "exp", "relu", "sin"]),
    through_detach, through_data, weight_stepped, weight_that_only_it_needs, input_that_a_weight_needs,
    optimizer_between, view_of_what_is_needed, copy_of_what_is_written, one_of_two_equal, result_of_a_quotient_of_one,
    magnitude_of_complex_numbers, logits_of_a_loss, result_that_is_needed, result_that_is_not_needed,
    in_place_with_itself, reader_written_into_what_it_read, written_before_it_is_read, second_derivative,
    counted_write, custom_function, custom_function_left_alone, frozen_before_backward,
    target_of_a_copy_that_is_needed, source_of_a_copy_whose_target_is_written, source_of_a_copy_that_is_needed,
    copy_of_a_result_that_is_needed, result_of_which_a_copy_is_written,
]  # fmt: skip
ON_THE_HOST = [memory_of_an_array_that_is_needed, view_of_an_array_that_is_needed]
_on_the_host = pytest.mark.host_memory("an array is on the CPU, whatever the default device")


@pytest.mark.parametrize(
    "program",
    [*PROGRAMS, *[pytest.param(program, marks=_on_the_host) for program in ON_THE_HOST]],
    ids=lambda program: program.__name__,
)
def test_refused_or_computed_as_in_torch(program: Callable[[Any], Any]) -> None:
    want, have = outcome(program, torch), outcome(program, lg)
    if MODIFIED in (want, have):
        assert want == have
    else:
        np.testing.assert_allclose(have, want, rtol=1e-12)


def test_writes_through_data_leave_the_gradient_of_the_recorded_values() -> None:
    x = variable(lg, 1, 2)
    y = x * 2
    z = y**2
    y.data.add_(100)
    z.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [8, 16])


def test_recorded_values_are_used_where_mutation_is_allowed() -> None:
    for t in (torch, lg):
        x = variable(t, 1, 2)
        with t.autograd.graph.allow_mutation_on_saved_tensors():
            y = x * 2
            z = y**2
            y.detach().add_(100)
            z.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), [8, 16])


def test_the_error_names_the_line_and_says_what_to_do() -> None:
    x = variable(lg, 1, 2)
    y = x * 2
    z = y**2
    y.detach().add_(1)
    with pytest.raises(RuntimeError, match=r"test_mutation\.py:\d+.*allow_mutation_on_saved_tensors"):
        z.sum().backward()


def test_running_statistics_may_change_between_forward_and_backward() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    first, second = model(lg.randn(4, 2)).square().sum(), model(lg.randn(4, 2)).square().sum()
    (first + second).backward()
    assert model[0].weight.grad is not None


# Every operation of PyTorch's own database: each of its operands, and its result, is written to before backward.

# A copy inside PyTorch's function is what it keeps, where ours reads the operand.
_COPIED_BY_PYTORCH = {("__rdiv__", 0), ("kron", 0), ("kron", 1), ("ldexp", 0), ("cov", 2), ("polar", 0), ("polar", 1),
                      ("nn.functional.conv3d", 0), ("take_along_dim", 1)}  # fmt: skip
# What programs overwrite most. The others of our formulas may need less than PyTorch's, never more.
_EQUAL = """abs acos add addmm asin atan bmm cos cosh div.no_rounding_mode exp expm1 log log1p log_softmax matmul mm mul
nn.functional.conv2d nn.functional.group_norm nn.functional.linear pow rsqrt sigmoid sin sinh softmax sqrt square sub
tan tanh""".split()


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor | lg.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [tensor for item in items for tensor in _tensors(item)]


def _replaced(value: Any, replacement: Callable[[Any], Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return replacement(value)
    if type(value) in (list, tuple):
        return type(value)(_replaced(item, replacement) for item in value)
    return {k: _replaced(item, replacement) for k, item in value.items()} if isinstance(value, dict) else value


def refuses(t: Any, function: Callable[..., Any], sample: Any, written: int) -> bool | None:
    """Whether backward is refused after operand number ``written`` (-1: the result) was written to; None if it is
    not differentiable.
    """
    from tests.oracle.translate import tensor_from_torch

    leaves: list[Any] = []
    operands: list[Any] = []

    def operand(tensor: Any) -> Any:
        leaves.append(tensor.detach().clone() if t is torch else tensor_from_torch(tensor.detach()))
        operands.append(leaves[-1].requires_grad_() * 1 if tensor.requires_grad else leaves[-1])
        return operands[-1]

    arguments = _replaced([sample.input, *sample.args], operand)
    outputs = [o for o in _tensors(function(*arguments, **_replaced(sample.kwargs, operand))) if o.requires_grad]
    if not outputs or any(output is operand for output in outputs for operand in operands):
        return None
    with t.no_grad():
        (operands[written] if written >= 0 else outputs[0]).detach().mul_(1)
    loss = sum((output.real if output.is_complex() else output).sum() for output in outputs)
    try:
        loss.backward()
    except RuntimeError as error:
        if MODIFIED not in str(error):
            return None
        return True
    return False


def test_no_operation_refuses_what_torch_computes() -> None:
    from tests.conformance.opinfo import OPS, counterpart, samples

    compared = 0
    for name, op in OPS.items():
        function = counterpart(op)
        if not op.supports_autograd or torch.float64 not in op.dtypes or function is None:
            continue
        for sample in samples(op, torch.float64, 1, requires_grad=True):
            for written in range(-1, min(3, len(_tensors([sample.input, *sample.args, sample.kwargs])))):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        want, have = (refuses(t, f, sample, written) for t, f in ((torch, op.op), (lg, function)))
                    except (RuntimeError, TypeError, AttributeError, NotImplementedError, ValueError, IndexError):
                        continue  # torch's own objects among the arguments, or an operand that cannot be written to
                if want is None or have is None or (name, written) in _COPIED_BY_PYTORCH:
                    continue
                compared += 1
                assert want or not have, f"{name}: writing to operand {written} is refused, which torch allows"
                assert have or not want or name not in _EQUAL, f"{name}: writing to operand {written} goes unnoticed"
    assert compared > 600
