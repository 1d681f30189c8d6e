"""``torch.library``: operators that programs define, as functions with a gradient of their own.

`custom_op` wraps a Python function of tensors. It is called by the object that this gives, or as
``torch.ops.namespace.name``, and differentiated by what `register_autograd` is given. `define`, `impl` and `Library`
do the same from a schema. What PyTorch has beyond that belongs to its dispatcher, and is refused by its name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lazygrad.left_out import stand_in
from lazygrad.library.operators import CustomOpDef, operator_of
from lazygrad.library.schemas import Schema, infer_schema
from lazygrad.ops.operators import DEFINED

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "impl",
    "infer_schema",
    "register_autograd",
    "register_fake",
    "register_kernel",
]

_DEVICES = {"CPU": "cpu", "CUDA": "cuda", "CompositeExplicitAutograd": None, "": None}
_WHOLE = ("Autograd", "AutogradCPU", "AutogradCUDA", "CompositeImplicitAutograd")
_LEFT_OUT = {
    "fallthrough_kernel": "there is no dispatcher that could go on to another function",
    "get_ctx": "sizes are plain numbers, so a fake function has no new sizes to ask for",
    "get_kernel": "operators of PyTorch have no functions of their own here",
    "opcheck": "autograd.gradcheck compares gradients with differences",
    "register_autocast": "dtypes are chosen by the operations that a function is made of",
    "register_torch_dispatch": "nothing is dispatched to modes; overrides.TorchFunctionMode sees functions",
    "register_vmap": "vmap records the function itself",
    "triton_op": "lazygrad generates its kernels itself",
    "wrap_triton": "lazygrad generates its kernels itself",
}


def __getattr__(name: str) -> Any:
    if name not in _LEFT_OUT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, stand_in(f"library.{name}", _LEFT_OUT[name]))


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """An operator made of a function, or a decorator that makes one.

    Args:
        name: ``namespace::name``.
        fn: takes and returns tensors; its annotations say what else it takes.
        mutates_args: names of arguments that it writes to, "unknown" for all.
        device_types: of the devices that it is for; of all by default.
        schema: instead of what the annotations say, ``(Tensor x) -> Tensor``.
        tags: accepted.

    Raises:
        ValueError: a name without a namespace, or a function whose annotations give no schema.
    """
    if fn is None:
        return lambda function: custom_op(
            name, function, mutates_args=mutates_args, device_types=device_types, schema=schema, tags=tags
        )
    read = Schema(infer_schema(fn, mutates_args=mutates_args) if schema is None else schema)
    if schema is None:
        read.signature = inspect.signature(fn)  # defaults that text would change, such as dtypes
    operator = CustomOpDef(*_parts(name), read)
    operator.register_kernel(device_types, fn)
    return operator


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """An operator without functions, which `impl` adds.

    Args:
        qualname: ``namespace::name``.
        schema: ``(Tensor x) -> Tensor``.
        lib, tags: accepted.

    Raises:
        ValueError: a name without a namespace.
        RuntimeError: text that is no schema.
    """
    CustomOpDef(*_parts(qualname), Schema(schema))


def impl(
    qualname: str, types: str | Sequence[str], func: Callable[..., Any] | None = None, *, lib: Library | None = None
) -> Any:
    """The function of an operator for some types of devices, "default" for all; a decorator without ``func``.

    Raises:
        RuntimeError: there is no such operator.
    """
    if func is None:
        return lambda function: impl(qualname, types, function, lib=lib)
    named = [types] if isinstance(types, str) else list(types)
    operator_of(qualname).register_kernel([None if each == "default" else each for each in named], func)
    return None


def register_kernel(
    op: str | CustomOpDef, device_types: str | Sequence[str] | None, func: Any = None, /, *, lib: Library | None = None
) -> Any:
    """`CustomOpDef.register_kernel` of an operator or its name. RuntimeError: there is none."""
    return operator_of(op).register_kernel(device_types, func)


def register_fake(op: str | CustomOpDef, func: Any = None, /, *, lib: Library | None = None, **options: Any) -> Any:
    """`CustomOpDef.register_fake` of an operator or its name; a decorator without ``func``.

    Args:
        op: the operator.
        func: the function for tensors without values.
        lib, options: accepted.

    Raises:
        RuntimeError: there is no such operator.
    """
    operator = operator_of(op)
    return operator.register_fake if func is None else operator.register_fake(func)


impl_abstract = register_fake


def register_autograd(
    op: str | CustomOpDef,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Library | None = None,
) -> None:
    """`CustomOpDef.register_autograd` of an operator or its name. RuntimeError: there is none."""
    operator_of(op).register_autograd(backward, setup_context=setup_context)


class Library:
    """The operators of one namespace, defined by their schemas.

    Args:
        ns: the namespace.
        kind: "DEF", "FRAGMENT" or "IMPL", which make no difference here.
        dispatch_key: that of `impl` where it is given none.

    Raises:
        ValueError: another kind.
        NotImplementedError: PyTorch's own operators, which cannot be replaced.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("DEF", "FRAGMENT", "IMPL"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in ("aten", "prim", "prims"):
            stand_in(f"library.Library({ns!r})", "PyTorch's own operators have no names here that could be replaced")()
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """An operator, by ``name(Tensor x) -> Tensor``. Returns its name. RuntimeError: text that is no schema."""
        name, _, rest = schema.strip().partition("(")
        CustomOpDef(self.ns, name.strip(), Schema(f"({rest}"))
        return name.strip()

    def impl(self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", **options: Any) -> None:
        """The function of an operator, for tensors on a device, without values ("Meta"), or with gradients.

        Raises:
            RuntimeError: there is no such operator.
            NotImplementedError: a key of PyTorch's dispatcher that says something else.
        """
        name = op_name._name if isinstance(op_name, CustomOpDef) else str(op_name).rpartition("::")[2]
        operator, key = operator_of(f"{self.ns}::{name}"), dispatch_key or self.dispatch_key
        if key in _WHOLE:
            operator._whole = fn
        elif key == "Meta":
            operator.register_fake(fn)
        elif key in _DEVICES:
            operator.register_kernel(_DEVICES[key], fn)
        else:
            stand_in(f"library.Library.impl for {key}", "functions are for CPU, CUDA, Meta, Autograd or composite")()

    def _destroy(self) -> None:
        """Forgets the operators of the namespace."""
        DEFINED.pop(self.ns, None)


def _parts(name: str) -> tuple[str, str]:
    namespace, colons, own = name.partition("::")
    if not colons or not namespace or not own:
        raise ValueError(f"Expected `namespace::name` as the name of an operator, got {name!r}")
    return namespace, own
