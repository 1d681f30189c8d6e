"""Names that would be code, or would not be text at all, and programs that are full of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad import nn
from lazygrad.tensor import Tensor

RAISES = "raise SystemExit('a name was run')"
PIECES = (
    # what ends a literal or a comment, or continues a line
    *['"""', "'''", '"', "'", "\\", "\\N{x}", "*/", "/*", "*", "/", "??/", "//", "#", "#define f32 int"],
    # what some reader takes for the end of a line
    *["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\\\n", "\\\r\n"],
    # what is not text everywhere
    *["\0", "\x1a", "\x1b[2J", "\x7f", "\ud800", "\udc00", "\ud83d\ude00", "\udc80", "\U0001f600", "\ufeff", "\u200f"],
    # what turns the order of letters around
    *["\u202e", "\u2066", "\u2069"],
    # code
    *[f"\n    {RAISES}\n", f"\r    {RAISES}\r", f'"""\n{RAISES}\n"""', f"\n{RAISES}\n", f"*/ int x = {RAISES}; /*"],
    # templates, formats, encodings, graph texts
    *["{{ 7 * 7 }}", "{% raw %}", "{# #}", "{0}", "%s", "%(a)s", "# -*- coding: utf-7 -*-", "+AGEAYg-"],
    *[" ", "  ", "%0", "\nreturn %0", "\n%9: f32[3] = buffer slot=0"],
    # words that the sources use
    *["np", "run", "inputs", "outputs", "arena", "scalars", "totals", "scratch", "parallel", "complex", "input0", "x0"],
    *["int", "linux", "unix", "s0", "s1", "team", "lg_matmul", "epilogue", "u8", "host", "class", "None", "lambda"],
    *["_finish", "_units", "_part", "_arguments", "after_", "matmul", "relu", "concat", "_", "__"],
    # letters that Python reads as others, and digits that are no digits
    *["ﬁ", "fi", "ſ", "s", "K", "k", "²", "٣", "µ", "Å", "größe", "重み", "9"],
    "n" * 3000,
)
names = st.lists(st.sampled_from(PIECES) | st.text(st.characters(), max_size=4), max_size=4).map("".join)


@dataclass(frozen=True)
class Named:
    """What the parts of a program are called: its file, a module's class and attribute, two parameters.

    Without ``child`` nor ``module``, parameters are called just what they are.
    """

    file: str = "model.py"
    module: str = "Net"
    child: str = "layer"
    weight: str = "weight"
    bias: str = "bias"

    @classmethod
    def all(cls, name: str) -> Named:
        """Everything has one name."""
        return cls(name, name, name, name, name + "2")

    def __post_init__(self) -> None:
        object.__setattr__(self, "module", _class_name(self.module))
        object.__setattr__(self, "child", self.child.replace(".", ""))
        object.__setattr__(self, "weight", self.weight.replace(".", "") or "w")
        bias = self.bias.replace(".", "") or "b"
        object.__setattr__(self, "bias", bias if bias != self.weight else bias + "2")


def _class_name(name: str) -> str:
    """What Python takes for a class's name: no NUL, and nothing that UTF-8 lacks."""
    return name.encode("utf-8", "ignore").decode().replace("\0", "")


class _Layer(nn.Module):
    """Products, what follows them part by part, a sum over columns in chunks, and a call; each has its own output."""

    def forward(self, x: Tensor, few: Tensor) -> Tensor:
        weight, bias = self._parameters.values()
        assert weight is not None and bias is not None
        hidden = (x @ weight + bias).relu() * 0.3
        return lg.cat([hidden.sum(0), hidden.cumsum(0)[0], (few @ weight + bias).tanh().flatten(), few.flatten()])


def program(named: Named, rows: int = 6) -> Tensor:
    """A pending tensor that a module with such names computes; the same numbers whatever the names."""
    numbers = np.random.default_rng(0)
    model: nn.Module = type(named.module, (_Layer,), {"forward": _recorded_in(named.file)})()
    model.register_parameter(named.weight, nn.Parameter(_made(numbers, 20, 20)))
    model.register_parameter(named.bias, nn.Parameter(_made(numbers, 20)))
    if named.child:
        outer = type(
            named.module, (nn.Module,), {"forward": lambda self, *inputs: self._modules[named.child](*inputs)}
        )()
        outer.add_module(named.child, model)
        model = outer
    with lg.no_grad():
        result = model(_made(numbers, rows, 20), _made(numbers, 300, 20))
    result.__dict__["model"] = model  # parameters have names as long as they live
    return result


def _made(numbers: np.random.Generator, *shape: int) -> Tensor:
    return lg.from_numpy(numbers.standard_normal(shape, dtype=np.float32))


def _recorded_in(file: str) -> object:
    """The layer's ``forward``, as if it had been read from ``file``."""
    code = _Layer.forward.__code__.replace(co_filename=file)
    return type(_Layer.forward)(code, _Layer.forward.__globals__, "forward")
