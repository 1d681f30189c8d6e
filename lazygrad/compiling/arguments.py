"""The arguments of a call, taken apart: their structure and plain values as a hashable key, and the tensors."""

from __future__ import annotations

from typing import Any

from lazygrad.compiling.plain import is_atom, is_record, token
from lazygrad.ir.node import Node
from lazygrad.tensor import Tensor


class Signature:
    """One call's arguments, or its results.

    Attributes:
        key: equal for values of equal structure, whose tensors have equal classes, types and ``requires_grad`` and
            occur in the same places, whose plain values are the same, and whose other objects are identical.
        tensors: all of them, in order, each once.
        nodes: their values.
        containers: lists, dictionaries, tuples, and dataclasses with tensors among them; the key says all they hold.
        objects: everything that is neither tensor, container nor plain value, in order.
    """

    __slots__ = ("_numbers", "containers", "key", "nodes", "objects", "tensors")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.tensors: list[Tensor] = []
        self.nodes: list[Node] = []
        self.objects: list[Any] = []
        self.containers: list[Any] = []
        self._numbers: dict[int, int] = {}
        tokens: list[Any] = [len(args)]
        for value in args:
            self._describe(value, tokens)
        for name, value in kwargs.items():
            tokens.append(name)
            self._describe(value, tokens)
        self.key = tuple(tokens)

    def _describe(self, value: Any, tokens: list[Any]) -> None:
        if isinstance(value, Tensor):
            tensors = self.tensors
            known = self._numbers.setdefault(id(value), len(tensors))
            if known < len(tensors):
                tokens.append(known)
                return
            node = value.node()
            tensors.append(value)
            self.nodes.append(node)
            meta = node.autograd
            tokens += (type(value), node.type, meta is not None and meta.tracked)
            return
        kind = type(value)
        tokens.append(kind)
        if is_atom(value):
            tokens.append(token(value))
        elif isinstance(value, tuple) or kind is list:
            tokens.append(len(value))
            self.containers.append(value)
            for item in value:
                self._describe(item, tokens)
            if kind is not list and kind.__dictoffset__:  # a class derived from a tuple, which may have attributes
                self._describe_members(value, tokens)
        elif kind is dict and all(map(is_atom, value)):
            tokens.append(len(value))
            self.containers.append(value)
            for name, item in value.items():
                tokens += (type(name), token(name))
                self._describe(item, tokens)
        elif is_record(value) and any([isinstance(item, Tensor) for item in vars(value).values()]):
            self.containers.append(value)  # it brings tensors, as a list does
            self._describe_members(value, tokens)
        else:
            tokens.append(id(value))
            self.objects.append(value)

    def _describe_members(self, value: Any, tokens: list[Any]) -> None:
        tokens.append(len(vars(value)))
        for name, item in vars(value).items():
            tokens.append(name)
            self._describe(item, tokens)
