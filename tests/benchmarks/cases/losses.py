"""The losses of the training cases, once in PyTorch's words and once in jax.numpy."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.frameworks import Framework


def _cross_entropy(framework: Framework, logits: Any, targets: Any) -> Any:
    return framework.nn.functional.cross_entropy(logits.flatten(0, -2), targets.flatten())


def _jax_cross_entropy(framework: Framework, logits: Any, targets: Any) -> Any:
    logarithms = framework.jax.nn.log_softmax(logits, axis=-1)
    return -framework.lib.take_along_axis(logarithms, targets[..., None], axis=-1).mean()


def _squared_error(framework: Framework, outputs: Any, targets: Any) -> Any:
    return framework.nn.functional.mse_loss(outputs, targets)


def _jax_squared_error(framework: Framework, outputs: Any, targets: Any) -> Any:
    return framework.lib.square(outputs - targets).mean()


def _binary_cross_entropy(framework: Framework, logits: Any, targets: Any) -> Any:
    return framework.nn.functional.binary_cross_entropy_with_logits(logits, targets)


def _jax_binary_cross_entropy(framework: Framework, logits: Any, targets: Any) -> Any:
    lib = framework.lib
    return (lib.maximum(logits, 0) - logits * targets + lib.log1p(lib.exp(-lib.abs(logits)))).mean()


LOSSES = {
    "cross_entropy": _cross_entropy,
    "squared_error": _squared_error,
    "binary_cross_entropy": _binary_cross_entropy,
}
JAX_LOSSES = {
    "cross_entropy": _jax_cross_entropy,
    "squared_error": _jax_squared_error,
    "binary_cross_entropy": _jax_binary_cross_entropy,
}
