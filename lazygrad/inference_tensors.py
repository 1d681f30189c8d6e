"""Inference tensors: those made inside `inference_mode`, which no gradient may depend on.

A graph has no tensors, so it is the node that is marked which a storage of inference tensors holds: when an operation
is recorded for differentiation, its inputs are all there is to look at.
"""

from __future__ import annotations

from lazygrad.autograd_meta import is_of_inference, say_of_inference, tracked_inputs
from lazygrad.grad_mode import _mode
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import constant, mark_detached, scalar

WRITTEN_OUTSIDE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
    "tensor before doing inplace update."
)
FLAGGED_OUTSIDE = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
NO_VERSION = "Inference tensors do not track version counter."
_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `lazygrad.no_grad()` instead of `lazygrad.inference_mode()`."
)


def of_inference(node: Node) -> Node:
    """``node`` marked as an inference tensor's, or another of its value where a normal tensor may hold it too."""
    if is_of_inference(node):
        return node
    if node.serial < _mode.inference_began:
        node = mark_detached(node)
    say_of_inference(node)
    return node


def of_normal(node: Node) -> Node:
    """``node``, or another of its value if an inference tensor holds it."""
    return mark_detached(node) if is_of_inference(node) else node


def only_of_inference(node: Node) -> bool:
    """Whether an operation that would be differentiated reads inference tensors only: then it is not.

    Raises:
        RuntimeError: it reads others too, and its gradient would depend on an inference tensor.
    """
    found = [source for source in node.inputs if is_of_inference(source)]
    if not found:
        return False
    if len(found) == len(node.inputs):
        return True
    require_none_saved(node, found)
    return False


def require_none_saved(node: Node, found: list[Node]) -> None:
    """Raises RuntimeError where the gradient of ``node`` refers to one of the nodes ``found`` among its inputs."""
    from lazygrad.autodiff.pullback import Pullback  # loads the compiler half of the package

    needed = Pullback(node, tracked_inputs(node)).needed
    if any(source in found and source.op not in (constant, scalar) for source in needed):
        raise RuntimeError(_SAVED)


def require_savable(is_inference: bool) -> None:
    """Raises RuntimeError for an inference tensor that a custom function wants to keep for its gradient."""
    if is_inference:
        raise RuntimeError(_SAVED)
