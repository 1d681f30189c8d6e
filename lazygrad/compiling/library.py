"""What is known of lazygrad's own functions: which compute, which read state, and what they answer."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any

from lazygrad.autocast_mode import autocast
from lazygrad.grad_mode import inference_mode, no_grad
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

# Kinds of functions written in Python: compiled ahead of time, those of the package are of another type.
FUNCTIONS: tuple[type[Any], ...] = tuple({FunctionType, type(record)})
PACKAGE = f"{Path(__file__).resolve().parents[1]}/"
_COMPUTING = tuple(
    f"{PACKAGE}{name}"
    for name in "ops/ autograd/ tensor.py linalg.py fft.py special.py signal/ nn/functional.py grad_mode.py "
    "ir/origin.py ir/dtype.py autocast_mode.py size.py sparse/functions.py distributions/".split()
)
# Entered and left by calls that are recorded; they keep nothing else.
CONTEXTS = (no_grad.__mro__[1], inference_mode, autocast)
TENSOR_PROPERTIES = frozenset(
    "shape dtype device ndim requires_grad T mT H mH real imag data grad is_cuda itemsize layout".split()
)
TENSOR_HOOKS = ("_backward_hooks", "_post_accumulate_hooks")
# What an optimizer runs in a step.
OPTIMIZER_METHODS = (
    "step zero_grad _step_by_recording _compute_gradients _record_updates _update_parameter _tensors _compute_updates"
).split()
# Functions whose answer is neither a tensor nor depends on more than their arguments' shapes and dtypes.
ANSWERS = frozenset(
    "size dim ndimension numel nelement element_size is_floating_point is_complex is_signed is_tensor len "
    "result_type promote_types can_cast broadcast_shapes is_storage".split()
)
# Functions that return nothing and change only tensors, gradients, and what the recording knows.
SILENT = frozenset("backward enter_module exit_module step zero_grad setitem enter exit".split())
# Functions that look at the values of a tensor.
LOOKING = frozenset("item tolist numpy bool float int index array".split())
# Functions that read or change what lazygrad keeps between calls.
STATEFUL = frozenset(
    "get_rng_state set_rng_state initial_seed manual_seed seed get_state set_state from_numpy from_blob frombuffer "
    "from_file load from_dlpack asarray kl_divergence register_kl register set_default_validate_args".split()
)


def file_of(function: Any) -> str:
    """The file of a function written in Python."""
    if type(function) is FunctionType:
        return function.__code__.co_filename
    return f"{PACKAGE}{function.__globals__['__name__'].partition('.')[2].replace('.', '/')}.py"


def is_of_library(file: str) -> bool:
    """Whether a file's functions run as they are. Those of ``nn``, like the user's, read state and call code."""
    return file.startswith(PACKAGE) and (not file.startswith(f"{PACKAGE}nn/") or computes(file))


def computes(file: str) -> bool:
    """Whether a file's functions compute from their arguments alone."""
    return file.startswith(_COMPUTING)


def is_distribution(cls: type) -> bool:
    """Whether a class is one of the package's distributions: their methods compute from what their objects hold."""
    return cls.__module__.startswith("lazygrad.distributions.") and hasattr(cls, "arg_constraints")


def is_internal(value: Any) -> bool:
    """Whether a function, a class or a value's class is lazygrad's."""
    if value is Tensor or type(value) is Tensor:
        return True  # whose module may have PyTorch's name
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return str(module).partition(".")[0] == "lazygrad"
