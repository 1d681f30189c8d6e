"""Building blocks of models: modules, layers, losses and initial values, with PyTorch's names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lazygrad.nn import (
    activation,
    adaptive,
    adaptive_pooling,
    average_pooling,
    batch_normalization,
    containers,
    convolution,
    convolution_transposed,
    distance,
    dropout,
    flatten,
    functional,
    init,
    instance_normalization,
    lazy_convolution,
    lazy_linear,
    lazy_normalization,
    linear,
    loss,
    max_pooling,
    module,
    multihead_attention,
    normalization,
    padding,
    parallel,
    parameter,
    parameter_containers,
    rnn,
    rnn_cells,
    shuffling,
    softmax,
    sparse,
    transformer,
    upsampling,
    utils,
)
from lazygrad.nn.activation import *
from lazygrad.nn.adaptive import *
from lazygrad.nn.adaptive_pooling import *
from lazygrad.nn.average_pooling import *
from lazygrad.nn.batch_normalization import *
from lazygrad.nn.containers import *
from lazygrad.nn.convolution import *
from lazygrad.nn.convolution_transposed import *
from lazygrad.nn.distance import *
from lazygrad.nn.dropout import *
from lazygrad.nn.flatten import *
from lazygrad.nn.instance_normalization import *
from lazygrad.nn.lazy_convolution import *
from lazygrad.nn.lazy_linear import *
from lazygrad.nn.lazy_normalization import *
from lazygrad.nn.linear import *
from lazygrad.nn.loss import *
from lazygrad.nn.max_pooling import *
from lazygrad.nn.module import *
from lazygrad.nn.multihead_attention import *
from lazygrad.nn.normalization import *
from lazygrad.nn.padding import *
from lazygrad.nn.parallel import DataParallel
from lazygrad.nn.parameter import *
from lazygrad.nn.parameter_containers import *
from lazygrad.nn.rnn import *
from lazygrad.nn.rnn_cells import *
from lazygrad.nn.shuffling import *
from lazygrad.nn.softmax import *
from lazygrad.nn.sparse import *
from lazygrad.nn.transformer import *
from lazygrad.nn.upsampling import *

if TYPE_CHECKING:
    from lazygrad.nn import modules


def __getattr__(name: str) -> Any:
    """PyTorch's paths of what is here anyway are loaded when a program asks for them."""
    if name == "modules":
        return import_module("lazygrad.nn.modules")
    raise AttributeError(f"module 'lazygrad.nn' has no attribute {name!r}")


__all__ = ["DataParallel", "functional", "init", "modules", "parallel", "utils"]
__all__ += activation.__all__
__all__ += adaptive.__all__
__all__ += adaptive_pooling.__all__
__all__ += average_pooling.__all__
__all__ += batch_normalization.__all__
__all__ += containers.__all__
__all__ += convolution.__all__
__all__ += convolution_transposed.__all__
__all__ += distance.__all__
__all__ += dropout.__all__
__all__ += flatten.__all__
__all__ += instance_normalization.__all__
__all__ += lazy_convolution.__all__
__all__ += lazy_linear.__all__
__all__ += lazy_normalization.__all__
__all__ += linear.__all__
__all__ += loss.__all__
__all__ += max_pooling.__all__
__all__ += module.__all__
__all__ += multihead_attention.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += parameter.__all__
__all__ += parameter_containers.__all__
__all__ += rnn.__all__
__all__ += rnn_cells.__all__
__all__ += shuffling.__all__
__all__ += softmax.__all__
__all__ += sparse.__all__
__all__ += transformer.__all__
__all__ += upsampling.__all__
