"""PyTorch's names of backward steps, by what the graph keeps: operations, and what functions of several record.

Losses and `embedding` are known by a `Call`. A function that leaves nothing of its own shows its last operation:
`hardswish` ends in a product, and shows ``MulBackward0``. A reshape that takes axes of size 1 away is named as a
squeeze, which is what most of them are; one that adds them is a view.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd_meta import call_of
from lazygrad.ir.composites.linear import linear
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.contraction import conv, conv_input_grad, matmul
from lazygrad.ir.primitives.indexing import concat, update_view
from lazygrad.ir.primitives.leaf import constant
from lazygrad.ir.primitives.reduction import reduce_sum

# Where PyTorch's name is not that of the op in capitals.
_NAMES = {
    "attention": "ScaledDotProductAttention",
    "batch_norm": "NativeBatchNorm",
    "cast": "ToCopy",
    "concat": "Cat",
    "contiguous": "Clone",
    "conv": "Convolution",
    "conv_input_grad": "Convolution",
    "det": "LinalgDet",
    "dropout": "Mul",
    "layer_norm": "NativeLayerNorm",
    "log1p": "Log1P",
    "logsigmoid": "LogSigmoid",
    "pad": "ConstantPadNd",
    "philox_dropout": "Mul",
    "put": "IndexPut",
    "reinterpret": "ViewAsReal",
    "reshape": "View",
    "take": "Index",
    "variance": "Var",
}
_PRODUCTS = {0: "Dot", 1: "Mv", 2: "Mm", 3: "Bmm"}  # by the rank of the result
_CLAMPS = ("clamp_min", "clamp_max")
_WHOLE = ("logsumexp", "variance")  # beside reductions, what keeps axes of size 1 that a reshape drops


def step_name(node: Node) -> str:
    """The name of the class that PyTorch's step from the result ``node`` has."""
    call = call_of(node)
    if call is not None:
        return f"{call.step}Backward0"
    if node.op is update_view:
        return "CopySlices"
    source = without_squeeze(node)
    name, number = _of_several(source, node) or (_of_one(source, node.rank), 0)
    return f"{name}Backward{number}"


def inputs_of_step(node: Node) -> Sequence[Node]:
    """What a step reads: the node's inputs, or what the function did not record whose result it is."""
    call = call_of(node)
    if call is not None:
        return _read_by(node, node.serial - call.nodes)
    if _is_mean(node):
        return node.inputs[0].inputs
    if node.op is linear and len(node.inputs) == 3:
        data, weight, bias = node.inputs
        return bias, data, weight
    if _is_biased_convolution(node):
        convolution, bias = node.inputs
        return [*convolution.inputs, *(bias.inputs if bias.op is movement.reshape else (bias,))]
    if _is_stack(node):
        return [part.inputs[0] for part in node.inputs]
    if node.op is movement.reshape and _drops_axes(node) and node.inputs[0].op is movement.slice_:
        return node.inputs[0].inputs
    return node.inputs


def _read_by(result: Node, before: int) -> list[Node]:
    """What the nodes read that lead to ``result`` and have serials above ``before``, numbers left out."""
    found: dict[Node, None] = {}
    seen, waiting = {result}, [result]
    for node in waiting:
        for source in node.inputs:
            if source.serial <= before:
                found[source] = None
            elif source not in seen:
                seen.add(source)
                waiting.append(source)
    return [source for source in found if source.op is not constant]


def _of_one(node: Node, rank: int) -> str:
    if node.op is matmul:
        return _PRODUCTS.get(rank, "UnsafeView")
    if node.op is linear:
        return "View" if rank > 2 else "Addmm" if len(node.inputs) == 3 else "Mm"
    name = node.op.name.removeprefix("reduce_")
    return _NAMES.get(name) or "".join(word.capitalize() for word in name.split("_"))


def _of_several(node: Node, result: Node) -> tuple[str, int] | None:
    """The name and the number behind it of what is told by more than the operation."""
    name = node.op.name
    if _is_mean(node):
        return "Mean", int(result.rank > 0)
    if node.op is reduce_sum:
        return "Sum", int(result.rank > 0)
    if name in ("reduce_max", "reduce_min"):
        extreme = name.removeprefix("reduce_").capitalize()
        return (f"A{extreme.lower()}", 0) if result.rank else (extreme, 1)
    if _is_biased_convolution(node):
        return "Convolution", 0
    if name in _CLAMPS:
        return "Clamp", 1
    if name == "max_pool":
        return f"MaxPool{len(node.attrs[0])}DWithIndices", 0
    if _is_stack(node):
        return "Stack", 0
    if node.op is movement.reshape:
        return _of_reshape(node)
    return None


def _of_reshape(node: Node) -> tuple[str, int] | None:
    (source,) = node.inputs
    if not _drops_axes(node):
        return None
    if source.op is movement.slice_:
        return "Select", 0
    if source.op.name == "gather" and source.inputs[1].op.name in ("argmax", "argmin"):
        return source.inputs[1].op.name.removeprefix("arg").capitalize(), 0
    root = _root_of_sum(_before_rounding(source))
    if root is not None:
        return ("Std" if root.op.name == "variance" else "LinalgVectorNorm"), 0
    return "Squeeze", int(source.rank - node.rank == 1)


def _root_of_sum(node: Node) -> Node | None:
    """Of a root that has no gradient where it is 0, what it is the root of: a variance or a sum of squares."""
    if node.op is not ew.where or node.inputs[0].op is not ew.eq or node.inputs[2].op is not ew.sqrt:
        return None
    tested = node.inputs[0].inputs[0]
    return tested if tested.op is reduce_sum or tested.op.name == "variance" else None


def _before_rounding(node: Node) -> Node:
    """A variance and its root are float64 until a cast rounds them to the input's dtype: what is cast."""
    if node.op is not ew.cast:
        return node
    (wide,) = node.inputs
    return wide if wide.op.name == "variance" or _root_of_sum(wide) is not None else node


def _drops_axes(node: Node) -> bool:
    """Whether a reshape takes axes of size 1 away, and nothing else."""
    before, after = node.inputs[0].shape, node.shape
    return len(after) < len(before) and [n for n in before if n != 1] == [n for n in after if n != 1]


def _adds_axis(node: Node) -> bool:
    """Whether a node is a reshape that adds one axis of size 1, and does nothing else."""
    if node.op is not movement.reshape:
        return False
    before, after = node.inputs[0].shape, node.shape
    return len(after) == len(before) + 1 and [n for n in before if n != 1] == [n for n in after if n != 1]


def without_squeeze(node: Node) -> Node:
    """Reductions and products keep axes of size 1 in the graph, and a reshape drops them: what lies below it."""
    source = node
    while source.op is movement.reshape:
        source = source.inputs[0]
    source = _before_rounding(source)
    whole = source.op.kind is Kind.REDUCTION or source.op is matmul or _is_mean(source) or source.op.name in _WHOLE
    return source if whole else node


def _is_biased_convolution(node: Node) -> bool:
    return node.op is ew.add and node.inputs[0].op in (conv, conv_input_grad)


def _is_stack(node: Node) -> bool:
    return node.op is concat and all(_adds_axis(part) for part in node.inputs)


def _is_mean(node: Node) -> bool:
    return node.op is ew.div and node.inputs[0].op is reduce_sum
