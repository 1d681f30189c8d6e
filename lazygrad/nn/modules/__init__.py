"""The modules by PyTorch's paths: ``from lazygrad.nn.modules.batchnorm import _BatchNorm``."""

from lazygrad.nn.modules import (
    activation,
    adaptive,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    lazy,
    linear,
    loss,
    module,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
    utils,
)
from lazygrad.nn.modules.activation import *
from lazygrad.nn.modules.adaptive import *
from lazygrad.nn.modules.batchnorm import *
from lazygrad.nn.modules.channelshuffle import *
from lazygrad.nn.modules.container import *
from lazygrad.nn.modules.conv import *
from lazygrad.nn.modules.distance import *
from lazygrad.nn.modules.dropout import *
from lazygrad.nn.modules.flatten import *
from lazygrad.nn.modules.fold import *
from lazygrad.nn.modules.instancenorm import *
from lazygrad.nn.modules.lazy import *
from lazygrad.nn.modules.linear import *
from lazygrad.nn.modules.loss import *
from lazygrad.nn.modules.module import *
from lazygrad.nn.modules.normalization import *
from lazygrad.nn.modules.padding import *
from lazygrad.nn.modules.pixelshuffle import *
from lazygrad.nn.modules.pooling import *
from lazygrad.nn.modules.rnn import *
from lazygrad.nn.modules.sparse import *
from lazygrad.nn.modules.transformer import *
from lazygrad.nn.modules.upsampling import *

_FILES = (
    activation,
    adaptive,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    lazy,
    linear,
    loss,
    module,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
)
for _file in _FILES:  # PyTorch's files import these, and programs take them from there
    for _name in ("Module", "Parameter", "Tensor"):
        vars(_file).setdefault(_name, vars(module)[_name])
__all__ = sorted(name for file in _FILES for name in file.__all__ if not name.startswith("_"))
