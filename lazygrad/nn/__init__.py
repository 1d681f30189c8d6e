"""Building blocks of models: modules, layers, losses and initial values, with PyTorch's names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lazygrad.nn import functional, init, parallel, utils
from lazygrad.nn.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
    Threshold,
)
from lazygrad.nn.batch_normalization import BatchNorm1d, BatchNorm2d
from lazygrad.nn.containers import ModuleDict, ModuleList, Sequential
from lazygrad.nn.convolution import Conv1d, Conv2d
from lazygrad.nn.dropout import Dropout, Dropout1d, Dropout2d
from lazygrad.nn.flatten import Flatten, Unflatten
from lazygrad.nn.linear import Bilinear, Identity, Linear
from lazygrad.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from lazygrad.nn.module import Module
from lazygrad.nn.normalization import GroupNorm, LayerNorm, RMSNorm
from lazygrad.nn.parallel import DataParallel
from lazygrad.nn.parameter import Buffer, Parameter
from lazygrad.nn.parameter_containers import ParameterDict, ParameterList
from lazygrad.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)
from lazygrad.nn.sparse import Embedding

if TYPE_CHECKING:
    from lazygrad.nn import modules


def __getattr__(name: str) -> Any:
    """PyTorch's paths of what is here anyway are loaded when a program asks for them."""
    if name == "modules":
        return import_module("lazygrad.nn.modules")
    raise AttributeError(f"module 'lazygrad.nn' has no attribute {name!r}")


__all__ = [
    # structure
    "Module",
    "Parameter",
    "Buffer",
    "Sequential",
    "ModuleList",
    "ModuleDict",
    "ParameterList",
    "ParameterDict",
    # layers
    "Identity",
    "Linear",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "Embedding",
    "Flatten",
    "Unflatten",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "LayerNorm",
    "GroupNorm",
    "RMSNorm",
    "MaxPool1d",
    "MaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    # activations
    "ReLU",
    "ReLU6",
    "LeakyReLU",
    "PReLU",
    "ELU",
    "SELU",
    "CELU",
    "GELU",
    "SiLU",
    "Mish",
    "Sigmoid",
    "LogSigmoid",
    "Tanh",
    "Softplus",
    "Softsign",
    "Hardtanh",
    "Hardswish",
    "Hardsigmoid",
    "Threshold",
    "Softmax",
    "LogSoftmax",
    "GLU",
    # losses
    "CrossEntropyLoss",
    "NLLLoss",
    "MSELoss",
    "L1Loss",
    "SmoothL1Loss",
    "HuberLoss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "KLDivLoss",
    # over devices
    "DataParallel",
    # submodules
    "functional",
    "init",
    "modules",
    "parallel",
    "utils",
]
