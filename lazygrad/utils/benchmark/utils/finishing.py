"""Statements that compute what they record: a program lazygrad runs would else be timed without its work."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from types import CellType, FunctionType, MethodType
from typing import Any

from lazygrad.host.allocator import allocator_of, why_unavailable
from lazygrad.ir.device import Device, current_ordinal
from lazygrad.nn.core.module import Module
from lazygrad.optim.optimizer import Optimizer
from lazygrad.tensor import Tensor, realize_all

FINISH, FIND, LEAVES = "_lazygrad_finish", "_lazygrad_find", "_lazygrad_leaves"
"""Names that rewritten statements use: of `finish` and `leaves_of`, and of the leaves that were found."""


def finish(leaves: list[Tensor], *values: Any) -> None:
    """Computes the tensors in values, in containers of any depth, the gradients of leaves and pending writes."""
    waiting = list(_tensors_in(values))
    waiting += [leaf._grad for leaf in leaves if leaf._grad is not None]
    realize_all(waiting)


def _tensors_in(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from _tensors_in(each)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _tensors_in(each)


def leaves_of(*values: Any) -> list[Tensor]:
    """Tensors that may collect gradients: in containers, parameters of modules and of optimizers, and what functions
    read that is global or enclosed."""
    found: dict[int, Tensor] = {}
    seen: dict[int, Any] = {}  # which keeps them, so that no other gets the id of one
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, Tensor):
            found[id(value)] = value
        else:
            waiting += _parts(value)
    return [tensor for tensor in found.values() if tensor.is_leaf and tensor.requires_grad]


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, Module):
        return value.parameters()
    if isinstance(value, Optimizer):
        return [group["params"] for group in value.param_groups]
    if isinstance(value, MethodType):
        return value.__self__, value.__func__
    if isinstance(value, FunctionType) and value.__module__.partition(".")[0] != "lazygrad":
        enclosed = [cell.cell_contents for cell in value.__closure__ or () if cell != CellType()]
        return [value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__] + enclosed
    return [value.__wrapped__] if "__wrapped__" in getattr(value, "__dict__", ()) else []


def finishing(statement: str) -> str:
    """The statement with calls of `finish`: around expressions that stand alone, and behind blocks, for the names that
    they assign. Functions and classes that it defines stay as they are."""
    tree = ast.parse(statement)
    tree.body = _block(tree.body, is_outermost=True)
    return ast.unparse(ast.fix_missing_locations(tree))


def finding(setup: str, statement: str, names: Mapping[str, Any]) -> str:
    """The setup, which then finds the leaves of what the statement names.

    Args:
        setup: what it stands behind.
        statement: before it was rewritten.
        names: what is global there.
    """
    made = {node.id for node in ast.walk(ast.parse(setup)) if isinstance(node, ast.Name)}
    read = {node.id for node in ast.walk(ast.parse(statement)) if isinstance(node, ast.Name)}
    values = ", ".join(sorted(read & (made | names.keys())))
    return f"{setup}\n{LEAVES} = {FIND}({values})"


def wait_for_devices() -> None:
    """Waits for what a CUDA device still computes, if there is one."""
    device = Device("cuda", current_ordinal("cuda"))
    if why_unavailable(device) is None:
        allocator_of(device).finish()


def _block(body: list[ast.stmt], is_outermost: bool = False) -> list[ast.stmt]:
    made: list[ast.stmt] = []
    names: dict[str, None] = {}
    for part in body:
        if isinstance(part, ast.Expr):
            made.append(_call([part.value]))
            continue
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for field in ("body", "orelse", "finalbody"):
                if getattr(part, field, None):
                    setattr(part, field, _block(getattr(part, field)))
        names |= dict.fromkeys(_assigned(part))
        if isinstance(part, ast.Delete):
            for target in part.targets:
                names.pop(getattr(target, "id", ""), None)
        made.append(part)
    does_more = any(not isinstance(part, (ast.Expr, ast.Pass, ast.Import, ast.ImportFrom)) for part in body)
    if names or (is_outermost and does_more):
        made.append(_call([ast.Name(name, ast.Load()) for name in names]))
    return made


def _assigned(part: ast.stmt) -> list[str]:
    """The names that a statement gives values to, in any case."""
    targets: list[ast.expr] = []
    if isinstance(part, ast.Assign):
        targets = part.targets
    elif isinstance(part, (ast.AnnAssign, ast.AugAssign)) and part.value is not None:
        targets = [part.target]
    return [
        each.id
        for target in targets
        for each in ast.walk(target)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]


def _call(values: list[ast.expr]) -> ast.stmt:
    function = ast.Name(FINISH, ast.Load())
    return ast.Expr(ast.Call(function, [ast.Name(LEAVES, ast.Load()), *values], []))
