"""Building blocks of models: modules, layers, losses and initial values, with PyTorch's names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lazygrad.nn import (
    activation,
    adaptive,
    batch_normalization,
    containers,
    convolution,
    dropout,
    flatten,
    functional,
    init,
    linear,
    loss,
    module,
    multihead_attention,
    normalization,
    parallel,
    parameter,
    parameter_containers,
    pooling,
    rnn,
    rnn_cells,
    sparse,
    transformer,
    utils,
)
from lazygrad.nn.activation import *
from lazygrad.nn.adaptive import *
from lazygrad.nn.batch_normalization import *
from lazygrad.nn.containers import *
from lazygrad.nn.convolution import *
from lazygrad.nn.dropout import *
from lazygrad.nn.flatten import *
from lazygrad.nn.linear import *
from lazygrad.nn.loss import *
from lazygrad.nn.module import *
from lazygrad.nn.multihead_attention import *
from lazygrad.nn.normalization import *
from lazygrad.nn.parallel import DataParallel
from lazygrad.nn.parameter import *
from lazygrad.nn.parameter_containers import *
from lazygrad.nn.pooling import *
from lazygrad.nn.rnn import *
from lazygrad.nn.rnn_cells import *
from lazygrad.nn.sparse import *
from lazygrad.nn.transformer import *

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
__all__ += batch_normalization.__all__
__all__ += containers.__all__
__all__ += convolution.__all__
__all__ += dropout.__all__
__all__ += flatten.__all__
__all__ += linear.__all__
__all__ += loss.__all__
__all__ += module.__all__
__all__ += multihead_attention.__all__
__all__ += normalization.__all__
__all__ += parameter.__all__
__all__ += parameter_containers.__all__
__all__ += pooling.__all__
__all__ += rnn.__all__
__all__ += rnn_cells.__all__
__all__ += sparse.__all__
__all__ += transformer.__all__
