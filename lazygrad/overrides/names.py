"""Which functions and attributes of tensors ask before they run, and how PyTorch names them to who is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum, auto
from importlib import import_module
from types import GetSetDescriptorType, ModuleType
from typing import Any, NamedTuple

from lazygrad import autograd
from lazygrad.ops import public
from lazygrad.ops.objects import assertions
from lazygrad.tensor import Tensor

FUNCTIONAL = "lazygrad.nn.functional"
INITIALIZERS = "lazygrad.nn.init"
NAMESPACES = (FUNCTIONAL, "lazygrad.linalg", "lazygrad.special", "lazygrad.fft")
"""Modules of functions beside `lazygrad` itself."""

# Functions of `lazygrad` that nobody is asked for: settings, and questions about Python objects.
_NEVER = frozenset(
    "is_tensor set_printoptions is_storage set_default_tensor_type typename manual_seed seed initial_seed "
    "get_rng_state set_rng_state cond while_loop broadcast_shapes".split()
)
# Functions that make tensors of data: modes see them, classes of arguments do not. Of sizes: what is no tensor, too.
_OF_DATA = frozenset(
    "tensor as_tensor asarray from_numpy from_dlpack frombuffer from_file can_cast promote_types".split()
)
_OF_SIZES = frozenset(
    "zeros ones empty full scalar_tensor empty_permuted arange range linspace logspace eye rand randn randint randperm "
    "empty_strided tril_indices triu_indices bartlett_window blackman_window hamming_window hann_window kaiser_window "
    "fftfreq rfftfreq".split()
)

# What PyTorch has written in Python gives who is asked a dictionary of keywords even where there are none. Most of it
# spells all arguments out: required ones by position, the others by keyword, defaults included. Of ``nn.functional``
# these are all functions but the few that are named here.
_PYTHON = frozenset("einsum block_diag broadcast_tensors cartesian_prod atleast_1d atleast_2d atleast_3d".split())
_SPELLED_OUT = frozenset(
    "tensordot lu cdist svd_lowrank pca_lowrank norm unique unique_consecutive meshgrid split stft".split()
)
_NOT_PYTHON = frozenset(
    "celu_ elu_ gelu hardshrink hardtanh_ leaky_relu_ logsigmoid prelu relu_ rrelu_ selu_ softplus softshrink "
    "threshold_ bilinear conv_tbc conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d linear "
    "one_hot channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle scaled_dot_product_attention "
    "adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d cosine_similarity pdist pairwise_distance sigmoid "
    "tanh".split()
)
_SPELLED_OUT_METHODS = frozenset("backward split norm unique unique_consecutive stft istft lu".split())
_PYTHON_METHODS = frozenset(
    "__rsub__ __rtruediv__ __rdiv__ __floordiv__ __rfloordiv__ __rmod__ __pow__ __rpow__ __ipow__ __rmatmul__ "
    "__rlshift__ __rrshift__ __len__ __format__ __contains__ __reduce_ex__ __deepcopy__ __repr__ __str__ __array__ "
    "register_hook register_post_accumulate_grad_hook share_memory_ is_shared storage dim_order".split()
)

# By which method an operator is known to who is asked; the others are known as themselves.
_OPERATORS = {f"__{name}__": name for name in "add sub mul matmul lt le gt ge ne neg abs".split()}
_OPERATORS |= {f"__i{name}__": f"{name}_" for name in "add sub mul".split()}
_OPERATORS |= {f"__r{name}__": f"bitwise_{name}" for name in ("and", "or", "xor")}
_OPERATORS |= {
    "__radd__": "add", "__rmul__": "mul", "__truediv__": "div", "__mod__": "remainder", "__pos__": "positive",
    "__itruediv__": "div_", "__ifloordiv__": "floor_divide_", "__imod__": "remainder_", "__rtruediv__": "__rdiv__",
    "__str__": "__repr__",
}  # fmt: skip

# Attributes of tensors that stay as they are; those that ask nobody, and run as if nobody were to be asked.
_PRIVATE = frozenset(
    "__new__ __init__ __init_subclass__ __torch_function__ __hash__ __iter__ __getstate__ __setstate__ "
    "__cuda_array_interface__ __array_priority__ __array_namespace__".split()
)
_QUIET = frozenset(["as_subclass", "__copy__"])
# Of the attributes that `Tensor` itself defines, those that are PyTorch's.
_OWN = frozenset(
    "requires_grad requires_grad_ is_leaf grad detach detach_ data _version _is_view shape dtype device ndim".split()
)
_BELOW = ("lazygrad.tensor", "lazygrad.tensor_base", "torch")


class Spelling(Enum):
    """How the arguments of a call are given to who is asked."""

    AS_CALLED = auto()
    PYTHON = auto()  # with keywords, if only empty ones
    SPELLED_OUT = auto()
    BY_NAME = auto()  # all by keyword, defaults included


class Asks(Enum):
    """Who is asked."""

    ALL = auto()
    OTHERS = auto()  # modes, and classes of what is no tensor
    MODES = auto()
    NOBODY = auto()


class Known(NamedTuple):
    """A function that asks.

    Attributes:
        function: what it does.
        module, name: under which it is public.
        spelling: of its arguments.
        asks: who is asked.
    """

    function: Callable[..., Any]
    module: str
    name: str
    spelling: Spelling = Spelling.AS_CALLED
    asks: Asks = Asks.ALL

    @property
    def is_method(self) -> bool:
        return self.module == "Tensor"

    @property
    def reported(self) -> str:
        """By which name of `Tensor` those asked know a method."""
        return _OPERATORS.get(self.name, self.name) if self.is_method else self.name

    @property
    def is_operator(self) -> bool:
        """Whether Python asks the other operand if this one has no answer."""
        return self.is_method and self.name.startswith("__") and self.name not in _NO_OPERATORS


_NO_OPERATORS = frozenset("__repr__ __str__ __getitem__ __setitem__ __len__ __bool__ __float__ __int__".split())


def known_functions() -> Iterator[Known]:
    """The functions of all namespaces; some are in several of them."""
    for name in _names_of(public):
        if name not in _NEVER:
            yield _known(getattr(public, name), "lazygrad", name, name in _SPELLED_OUT, name in _PYTHON)
    for module in NAMESPACES:
        found = import_module(module)
        for name in _names_of(found):
            yield _known(getattr(found, name), module, name, module == FUNCTIONAL and name not in _NOT_PYTHON, False)
    yield _known(assertions._assert, "lazygrad", "_assert", True, False)
    for name in ("grad", "backward"):
        yield _known(getattr(autograd, name), "lazygrad.autograd", name, True, False)


def known_initializers() -> Iterator[Known]:
    """The functions of ``nn.init`` that ask. They are in no list of what can be overridden, and have no public name."""
    for name in ("uniform_", "normal_", "constant_", "kaiming_uniform_"):
        yield Known(getattr(import_module(INITIALIZERS), name), INITIALIZERS, name, Spelling.BY_NAME)


def _known(function: Callable[..., Any], module: str, name: str, is_spelled_out: bool, is_python: bool) -> Known:
    asks = Asks.MODES if name in _OF_DATA else Asks.OTHERS if name in _OF_SIZES else Asks.ALL
    return Known(function, module, name, _spelling(is_spelled_out, is_python), asks)


def _spelling(is_spelled_out: bool, is_python: bool) -> Spelling:
    return Spelling.SPELLED_OUT if is_spelled_out else Spelling.PYTHON if is_python else Spelling.AS_CALLED


def _names_of(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    return [name for name in names if _is_function(getattr(module, name))]


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type) and str(getattr(value, "__module__", "")) != "typing"


def known_methods() -> Iterator[Known]:
    """The methods of tensors, operators included."""
    for name, value in vars(Tensor).items():
        if name in _PRIVATE or not _is_function(value) or isinstance(value, (staticmethod, classmethod)):
            continue
        if name in _OWN or not str(getattr(value, "__module__", "")).startswith(_BELOW):
            spelling = _spelling(name in _SPELLED_OUT_METHODS, name in _PYTHON_METHODS)
            yield Known(value, "Tensor", name, spelling, Asks.NOBODY if name in _QUIET else Asks.ALL)


def known_properties() -> Iterator[tuple[str, property]]:
    """The attributes of tensors that are no methods."""
    for name in dir(Tensor):
        value = getattr(Tensor, name)
        is_compiled = isinstance(value, GetSetDescriptorType) and not name.startswith(
            "_"
        )  # a property of compiled code
        if (isinstance(value, property) or is_compiled) and name not in _PRIVATE:
            yield name, value
