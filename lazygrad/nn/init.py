"""Initial values of parameters.

Every function changes its tensor in place, without recording gradients, and returns it. Drawn from the same seed, the
numbers are PyTorch's.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from lazygrad.grad_mode import no_grad
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn._structured_initialization import dirac_, eye_, orthogonal_, sparse_
from lazygrad.ops.creation.from_data import tensor as tensor_of
from lazygrad.ops.creation.like import empty_like
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.tensors import Generator
from lazygrad.tensor import Tensor

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "fan_in_and_fan_out",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the scale of activations constant through layers followed by ``nonlinearity``.

    Args:
        nonlinearity: ``"linear"``, ``"conv2d"``, ``"sigmoid"``, ``"tanh"``, ``"relu"``, ``"leaky_relu"``, ``"selu"``, …
        param: the negative slope of ``"leaky_relu"``, 0.01 when left out.

    Raises:
        ValueError: an unknown name, or a slope that is no number.
    """
    if nonlinearity in _LINEAR or nonlinearity == "sigmoid":
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


# What the other functions draw by: `uniform_` and `normal_` ask classes and modes once these are there (`overrides`),
# and PyTorch asks once a call.
def _uniform(tensor: Tensor, a: float, b: float, generator: Generator | None) -> Tensor:
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def _normal(tensor: Tensor, mean: float, std: float, generator: Generator | None) -> Tensor:
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draws from the uniform distribution over [a, b)."""
    return _uniform(tensor, a, b, generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draws from the normal distribution."""
    return _normal(tensor, mean, std, generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Sets every element to ``val``."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Sets every element to 1."""
    with no_grad():
        return tensor.fill_(1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Sets every element to 0."""
    with no_grad():
        return tensor.zero_()


def fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs an output element has, and how many outputs an input element has.

    Args:
        tensor: a weight of shape (out, in, *kernel).

    Raises:
        ValueError: fewer than two dimensions.
    """
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *kernel = tensor.shape
    return inputs * math.prod(kernel), outputs * math.prod(kernel)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draws uniformly from ±gain·√(6 / (fan_in + fan_out)).

    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return _uniform(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draws normally with standard deviation gain·√(2 / (fan_in + fan_out)); source as for `xavier_uniform_`."""
    return _normal(tensor, 0.0, _xavier_std(tensor, gain), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Draws uniformly from ±gain·√(3 / fan).

    Source: He et al., "Delving deep into rectifiers", 2015.

    Args:
        tensor: a weight of shape (out, in, *kernel).
        a: negative slope of the rectifier that follows, for ``"leaky_relu"``.
        mode: ``"fan_in"`` keeps the scale of the forward pass, ``"fan_out"`` that of the backward pass.
        nonlinearity: what follows the layer, see `calculate_gain`.
        generator: the random numbers' source, the default one when left out.
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return _uniform(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Draws normally with standard deviation gain / √fan; arguments and source as for `kaiming_uniform_`."""
    if _is_empty(tensor):
        return tensor
    return _normal(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Draws from the normal distribution restricted to [a, b], by rejecting what lies outside.

    Args:
        tensor: the tensor to fill.
        mean: mean of the distribution before it is cut.
        std: its standard deviation.
        a: smallest value.
        b: largest value.
        generator: the random numbers' source, the default one when left out.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn_user(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
        )
    if tensor.is_meta:
        return tensor  # there are no values to reject
    accepted_share = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    with no_grad():
        draw = _reject_normal if accepted_share > 0.3 else _reject_uniform
        result = draw(tensor, mean, std, a, b, generator)
        return tensor if result is tensor else tensor.copy_(result)


def _reject_normal(target: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None) -> Tensor:
    """Normal numbers, drawn again where they are outside [a, b]."""
    low, high = (tensor_of(bound, dtype=target.dtype).item() for bound in (a, b))  # as the dtype rounds them
    result = target.normal_(mean, std, generator=generator)
    while True:
        outside = (result < low) | (result > high)
        if not outside.any():
            return result
        redrawn = empty_like(result).normal_(mean, std, generator=generator)
        result = where(outside, redrawn, result)


def _reject_uniform(target: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None) -> Tensor:
    """Uniform numbers, drawn again until accepted with a probability proportional to the normal density.

    Rejects fewer than `_reject_normal` when [a, b] lies in the distribution's tail.
    """
    mode = max(a, min(mean, b))
    log_peak = -0.5 * ((mode - mean) / std) ** 2

    def rejected(candidates: Tensor) -> Tensor:
        log_density = ((candidates - mean) / std) ** 2 * -0.5 - log_peak
        return empty_like(target).uniform_(generator=generator).log() > log_density

    result = target.uniform_(a, b, generator=generator)
    pending = rejected(result)
    while pending.any():
        candidates = empty_like(target).uniform_(a, b, generator=generator)
        result = where(pending, candidates, result)
        pending = pending & rejected(candidates)
    return result


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / float(sum(fan_in_and_fan_out(tensor))))


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    return calculate_gain(nonlinearity, a) / math.sqrt(_correct_fan(tensor, mode))


def _correct_fan(tensor: Tensor, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


def _is_empty(tensor: Any) -> bool:
    if 0 not in tensor.shape:
        return False
    warn_user("Initializing zero-element tensors is a no-op")
    return True


def _under_old_name(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function under its name of before PyTorch 0.4, without the underscore; it warns."""
    old_name = function.__name__.removesuffix("_")

    @functools.wraps(function)
    def deprecated(*args: Any, **kwargs: Any) -> Tensor:
        warn_user(
            f"`nn.init.{old_name}` is now deprecated in favor of `nn.init.{function.__name__}`.",
            FutureWarning,
        )
        return function(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = old_name
    return deprecated


constant = _under_old_name(constant_)
dirac = _under_old_name(dirac_)
eye = _under_old_name(eye_)
kaiming_normal = _under_old_name(kaiming_normal_)
kaiming_uniform = _under_old_name(kaiming_uniform_)
normal = _under_old_name(normal_)
orthogonal = _under_old_name(orthogonal_)
sparse = _under_old_name(sparse_)
uniform = _under_old_name(uniform_)
xavier_normal = _under_old_name(xavier_normal_)
xavier_uniform = _under_old_name(xavier_uniform_)
# What layers written for PyTorch call, although it is not public there.
_calculate_fan_in_and_fan_out = fan_in_and_fan_out
# PyTorch's own helpers, which programs that draw in other ways call.
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_
_no_grad_normal_, _no_grad_trunc_normal_, _no_grad_uniform_ = normal_, trunc_normal_, uniform_
_calculate_correct_fan = _correct_fan
