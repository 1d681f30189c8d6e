"""The keywords every creation function takes: ``dtype``, ``layout``, ``device``, ``pin_memory``, ``requires_grad``."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypedDict, TypeVar, get_type_hints

from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import Layout, MemoryFormat, sparse_coo, strided
from lazygrad.ir.settings import changes
from lazygrad.ops.arguments.kinds import DeviceLike, DTypeLike
from lazygrad.ops.arguments.options import device_option, dtype_option, require_differentiable
from lazygrad.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])


class TensorOptions(TypedDict, total=False):
    """What a new tensor is to be.

    Attributes:
        dtype: of its elements; by default what the function says.
        layout: `strided`, the only one in which values can be created.
        device: where it lives; the default device unless the function says else.
        pin_memory: whether it lies in page-locked memory of the host; see `Tensor.pin_memory`.
        requires_grad: whether it records gradients.
    """

    dtype: DTypeLike | None
    layout: Layout | None
    device: DeviceLike | None
    pin_memory: bool | None
    requires_grad: bool


class LikeOptions(TensorOptions, total=False):
    """What a tensor made in the image of another is to be.

    Attributes:
        memory_format: the order of its dimensions in memory; `preserve_format`, the other tensor's, by default.
    """

    memory_format: MemoryFormat | None


_DEFAULTS = {"requires_grad": False, "pin_memory": False}


class Chosen(NamedTuple):
    """`TensorOptions` checked and completed."""

    dtype: DType
    device: Device
    requires_grad: bool
    pin_memory: bool = False

    def finished(self, result: Tensor) -> Tensor:
        """The last step of every creation function.

        Raises:
            RuntimeError: gradients asked for of a dtype that has none, or pinned memory without an accelerator.
        """
        if self.pin_memory:
            result = result.pin_memory()
        if not self.requires_grad:
            return result
        require_differentiable(result)
        return result.requires_grad_()


def chosen(name: str, options: TensorOptions, default: DType | None = None, like: Tensor | None = None) -> Chosen:
    """The options of function ``name``.

    Args:
        name: of the function, for errors.
        options: as they were given.
        default: the dtype when none is given; the default float dtype if this is None too.
        like: a tensor whose dtype and device are the defaults.

    Raises:
        TypeError: a keyword the function does not take, or of the wrong type.
        RuntimeError: a layout, device or kind of memory that there is not.
    """
    if not options:
        return _by_default(default) if like is None else Chosen(like.dtype, like.device, False)
    unknown = next((key for key in options if key not in TensorOptions.__annotations__), None)
    if unknown is not None:
        raise TypeError(f"{name}() got an unexpected keyword argument '{unknown}'")
    require_strided(name, options.get("layout"))
    dtype = dtype_option(options.get("dtype"), default if like is None else like.dtype)
    device = device_option(options.get("device"), None if like is None else like.device)
    return Chosen(dtype, device, bool(options.get("requires_grad", False)), bool(options.get("pin_memory", False)))


class _Latest(threading.local):
    """What this thread's functions last chose without options, by the dtype that is theirs.

    Attributes:
        change: the latest change of any setting by then.
    """

    def __init__(self) -> None:
        self.change: object = None
        self.chosen: dict[DType | None, Chosen] = {}


_latest = _Latest()


def _by_default(default: DType | None) -> Chosen:
    """The default device, and a function's default dtype; looked up again after a setting has changed."""
    if _latest.change is not changes.latest:
        _latest.change = changes.latest
        _latest.chosen.clear()
    found = _latest.chosen.get(default)
    if found is None:
        found = Chosen(dtype_option(None, default), device_option(None), False)
        if found.device is CPU:  # another one may be gone by the next call
            _latest.chosen[default] = found
    return found


def require_strided(name: str, layout: Any) -> None:
    """Refuses layouts in which values are not created.

    Raises:
        TypeError: not a layout.
        RuntimeError: another layout than `strided`.
    """
    if layout is None or layout is strided:
        return
    if not isinstance(layout, Layout):
        raise TypeError(f"{name}(): argument 'layout' must be lazygrad.layout, not {type(layout).__name__}")
    made = "; make a sparse tensor with sparse_coo_tensor() or .to_sparse()" if layout is sparse_coo else ""
    raise RuntimeError(f"{name}: tensors of layout {layout!r} cannot be created here{made}")


def takes_options(options: Any) -> Callable[[Function], Function]:
    """Lets `help` and `inspect.signature` show the keywords that a function takes as ``**options`` of this kind."""

    def announce(function: Function) -> Function:
        signature = inspect.signature(function)
        named = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        added = [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(key))
            for key in get_type_hints(options)
        ]
        function.__signature__ = signature.replace(parameters=[*named, *added])  # type: ignore[attr-defined]
        return function

    return announce
