"""Translations of compound operations that ONNX has under the same meaning; all others are spelled out before."""

from __future__ import annotations

import numpy as np

from lazygrad.export.onnx.translator import Translator, translates
from lazygrad.ir.composites import activation, normalization, pooling, softmax
from lazygrad.ir.node import Node


@translates(activation.relu)
def _relu(t: Translator, node: Node) -> str:
    return t.add("Relu", *t.operands(node))


@translates(activation.sigmoid)
def _sigmoid(t: Translator, node: Node) -> str:
    return t.add("Sigmoid", *t.operands(node))


@translates(activation.gelu, since=20)
def _gelu(t: Translator, node: Node) -> str:
    return t.add("Gelu", *t.operands(node), approximate=node["approximate"])


@translates(softmax.softmax)
def _softmax(t: Translator, node: Node) -> str:
    return t.add("Softmax", *t.operands(node), axis=node["axis"])


@translates(softmax.log_softmax)
def _log_softmax(t: Translator, node: Node) -> str:
    return t.add("LogSoftmax", *t.operands(node), axis=node["axis"])


@translates(normalization.layer_norm)
def _layer_norm(t: Translator, node: Node) -> str:
    x, *affine = t.operands(node)
    axes = node["axes"]
    if not node["has_weight"]:
        shape = t.known(node, [t.shape(node)[axis] for axis in axes], "what is normalized")
        affine = [t.model.constant(np.ones(shape), node.dtype.name), *affine]
    return t.add("LayerNormalization", x, *affine, axis=min(axes), epsilon=float(node["eps"]))


@translates(pooling.max_pool)
def _max_pool(t: Translator, node: Node) -> str:
    (x,) = t.operands(node)
    shape, count = t.shape(node.inputs[0]), len(node["size"])
    spatial = shape[len(shape) - count :]
    pads = [low for low, _ in node["padding"]] + [high for _, high in node["padding"]]
    is_images = len(shape) == count + 2
    options = {"kernel_shape": node["size"], "strides": node["stride"], "dilations": node["dilation"], "pads": pads}
    found = t.add("MaxPool", x if is_images else t.reshaped(x, [1, -1, *spatial]), **options)
    return found if is_images else t.reshaped(found, t.shape(node))
