"""The modules by PyTorch's paths: ``from lazygrad.nn.modules.batchnorm import _BatchNorm``."""

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
from lazygrad.nn.modules import (
    activation as activation,
)
from lazygrad.nn.modules import (
    batchnorm as batchnorm,
)
from lazygrad.nn.modules import (
    container as container,
)
from lazygrad.nn.modules import (
    conv as conv,
)
from lazygrad.nn.modules import (
    dropout as dropout,
)
from lazygrad.nn.modules import (
    flatten as flatten,
)
from lazygrad.nn.modules import (
    linear as linear,
)
from lazygrad.nn.modules import (
    loss as loss,
)
from lazygrad.nn.modules import (
    module as module,
)
from lazygrad.nn.modules import (
    normalization as normalization,
)
from lazygrad.nn.modules import (
    pooling as pooling,
)
from lazygrad.nn.modules import (
    sparse as sparse,
)
from lazygrad.nn.modules import (
    utils as utils,
)
from lazygrad.nn.normalization import GroupNorm, LayerNorm, RMSNorm
from lazygrad.nn.parameter_containers import ParameterDict, ParameterList
from lazygrad.nn.pooling import AdaptiveAvgPool1d, AdaptiveAvgPool2d, AvgPool1d, AvgPool2d, MaxPool1d, MaxPool2d
from lazygrad.nn.sparse import Embedding

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Bilinear",
    "CELU",
    "Conv1d",
    "Conv2d",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "ELU",
    "Embedding",
    "Flatten",
    "GELU",
    "GLU",
    "GroupNorm",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "NLLLoss",
    "PReLU",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "ReLU",
    "ReLU6",
    "SELU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "Threshold",
    "Unflatten",
]
