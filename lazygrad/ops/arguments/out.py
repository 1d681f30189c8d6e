"""The ``out=`` argument: results written into tensors the caller has already."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.dtype import DType
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.elsewhere import DECORATED, FAILED, answered_elsewhere
from lazygrad.ops.arguments.operands import cast_node
from lazygrad.ops.arguments.overlap import MAY_SHARE, refuse_overlap
from lazygrad.tensor import Tensor, check_castable

Function = TypeVar("Function", bound=Callable[..., Any])
Check = Callable[[DType, DType, str], None]  # whether a result of the first dtype may become the second


def accepts_out(function: Function) -> Function:
    """``function`` with a keyword argument ``out``, a tensor (or a tuple of them, for several results).

    What ``out`` holds is replaced by the result, which is cast to its dtype; ``out`` is resized when its shape
    differs, and returned. The function of a `Tensor` method should not be decorated: methods take no ``out``, so
    ``@accepts_out`` stands above ``@method``.

    Raises (when called with ``out``):
        RuntimeError: ``out`` lies over parts of an operand, or over all of one where the function is marked by
            `needs_separate_out`; the result's dtype cannot be cast to that of ``out``; an operand requires
            gradients, which do not flow through ``out``; a tensor on another device.
        TypeError: ``out`` is not a tensor, or not one for each result.
    """

    return _with_out(function, check_castable)


def accepts_out_of_its_dtype(function: Function) -> Function:
    """Like `accepts_out`, for the functions whose result PyTorch does not cast: ``out`` must have its dtype."""
    return _with_out(function, _check_same)


def needs_separate_out(function: Function) -> Function:
    """Mark a function whose ``out`` may not even be an operand itself; stands below `accepts_out`."""
    _separate.add(function)
    return function


_separate: set[Callable[..., Any]] = set()


def _check_same(result: DType, out: DType, name: str) -> None:
    if result is not out:
        raise RuntimeError(f"{name}(): expected out to have dtype {result.name}, but it has {out.name}")


def _with_out(function: Function, check: Check) -> Function:
    is_separate = function in _separate
    may_share = not is_separate and function.__module__.startswith(MAY_SHARE)

    @functools.wraps(function)
    def variant(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None:
            try:
                return function(*args, **kwargs)
            except FAILED:
                return answered_elsewhere(DECORATED[function], args, kwargs)
        operands, outs = _tensors([*args, *kwargs.values()]), _tensors([out])
        _refuse_gradients(function.__name__, [*operands, *outs])
        try:
            for part in () if may_share else outs:
                refuse_overlap(part, operands, is_separate)
            result = function(*args, **kwargs)
        except FAILED:
            result = answered_elsewhere(DECORATED[function], args, kwargs)
        return _stored(function.__name__, result, out, check)

    DECORATED[function] = variant
    _announce(variant, function)
    return cast(Function, variant)


def creates_out(function: Function) -> Function:
    """Like `accepts_out`, for functions that make tensors: ``out`` says their dtype and device."""

    @functools.wraps(function)
    def variant(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None:
            return function(*args, **kwargs)
        dtype = kwargs.get("dtype") or out.dtype
        if dtype is not out.dtype:
            raise RuntimeError(f"{function.__name__}(): dtype {dtype} does not match the dtype of out, {out.dtype}")
        made = function(*args, **{**kwargs, "dtype": out.dtype, "device": out.device})
        return _stored(function.__name__, made, out, check_castable)

    _announce(variant, function)
    return cast(Function, variant)


def _announce(variant: Callable[..., Any], function: Callable[..., Any]) -> None:
    """Let `help` and `inspect.signature` show the argument."""
    signature = inspect.signature(function)
    out = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
    named = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    rest = [p for p in signature.parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]
    variant.__signature__ = signature.replace(parameters=[*named, out, *rest])  # type: ignore[attr-defined]


def _tensors(operands: list[Any]) -> list[Tensor]:
    flat = [part for operand in operands for part in (operand if isinstance(operand, (tuple, list)) else (operand,))]
    return [part for part in flat if isinstance(part, Tensor)]


def _refuse_gradients(name: str, operands: list[Tensor]) -> None:
    if is_grad_enabled() and any(operand.requires_grad for operand in operands):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            f"but one of the arguments requires grad."
        )


def _stored(name: str, result: Any, out: Any, check: Check) -> Any:
    if isinstance(result, Tensor):
        return _store(name, result, out, check)
    if not isinstance(out, (tuple, list)) or len(out) != len(result):
        raise TypeError(f"{name}(): argument 'out' must be a tuple of {len(result)} Tensors, one for each result")
    stored = [_store(name, part, target, check) for part, target in zip(result, out, strict=True)]
    return type(result)(*stored) if hasattr(result, "_fields") else type(result)(stored)


def _store(name: str, result: Tensor, out: Any, check: Check) -> Tensor:
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    check(result.dtype, out.dtype, name)
    if out.device is not result.device:
        raise RuntimeError(f"{name}(): expected out to be on {result.device}, but it is on {out.device}")
    out.require_distinct_elements(name)
    if out.shape != result.shape:
        if out.numel():
            warn_user(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, "
                f"which does not match the required output shape {list(result.shape)}. Give {name} an out of that "
                f"shape, or an empty one",
            )
        out.resize_(result.shape)
    return out.assign(cast_node(result.node(), out.dtype), name)
