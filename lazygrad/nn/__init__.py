"""Building blocks of models: modules, layers, losses and initial values, with PyTorch's names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lazygrad.ir.interrupted_import import LoadedAsOne

with LoadedAsOne(__name__):
    from lazygrad.nn import (
        activation,
        adaptive,
        convolutions,
        distance,
        dropout,
        flatten,
        functional,
        init,
        lazy_linear,
        linear,
        loss,
        normalizations,
        padding,
        parallel,
        parameter,
        pooling,
        recurrent,
        shuffling,
        softmax,
        sparse,
        transformers,
        upsampling,
        utils,
    )
    from lazygrad.nn.activation import *
    from lazygrad.nn.adaptive import *
    from lazygrad.nn.convolutions import *
    from lazygrad.nn.core import containers, module, parameter_containers
    from lazygrad.nn.core.containers import *
    from lazygrad.nn.core.module import *
    from lazygrad.nn.core.parameter_containers import *
    from lazygrad.nn.distance import *
    from lazygrad.nn.dropout import *
    from lazygrad.nn.flatten import *
    from lazygrad.nn.lazy_linear import *
    from lazygrad.nn.linear import *
    from lazygrad.nn.loss import *
    from lazygrad.nn.normalizations import *
    from lazygrad.nn.padding import *
    from lazygrad.nn.parallel import DataParallel
    from lazygrad.nn.parameter import *
    from lazygrad.nn.pooling import *
    from lazygrad.nn.recurrent import *
    from lazygrad.nn.shuffling import *
    from lazygrad.nn.softmax import *
    from lazygrad.nn.sparse import *
    from lazygrad.nn.transformers import *
    from lazygrad.nn.upsampling import *

if TYPE_CHECKING:
    from lazygrad.nn import grad, modules


def __getattr__(name: str) -> Any:
    """PyTorch's paths of what is here anyway are loaded when a program asks for them."""
    if name in ("_reduction", "attention", "common_types", "grad", "modules"):
        return import_module(f"lazygrad.nn.{name}")
    raise AttributeError(f"module 'lazygrad.nn' has no attribute {name!r}")


__all__ = ["DataParallel", "functional", "init", "modules", "parallel", "utils"]
__all__ += activation.__all__
__all__ += adaptive.__all__
__all__ += convolutions.__all__
__all__ += normalizations.__all__
__all__ += pooling.__all__
__all__ += recurrent.__all__
__all__ += transformers.__all__
__all__ += containers.__all__
__all__ += module.__all__
__all__ += parameter_containers.__all__
__all__ += distance.__all__
__all__ += dropout.__all__
__all__ += flatten.__all__
__all__ += lazy_linear.__all__
__all__ += linear.__all__
__all__ += loss.__all__
__all__ += padding.__all__
__all__ += parameter.__all__
__all__ += shuffling.__all__
__all__ += softmax.__all__
__all__ += sparse.__all__
__all__ += upsampling.__all__
