"""Names a person would give: kernels after their ops, values after the user's words."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from lazygrad.codegen.escaping import Words
from lazygrad.ir.node import Node
from lazygrad.ir.printable import shortened

_MAX_WORDS = 2
_LONGEST = 200  # characters of an identifier, and of a place in a comment


@lru_cache(maxsize=4096)
def identifier(text: str) -> str:
    """``text`` as an identifier of Python and C: lower-case ASCII, at most 200 characters, of long ones the last.

    Python takes letters of other scripts too, but for it some of them are the same.
    """
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).lower()[-_LONGEST:].strip("_")
    if not name or name[0].isdigit():
        name = f"v_{name}" if name else "v"
    return f"{name}_" if keyword.iskeyword(name) else name


def value_word(node: Node) -> str:
    return node.origin.label if node.origin is not None and node.origin.label else node.op.name


def kernel_name(nodes: list[Node]) -> str:
    """From what the user recorded (``linear``, ``grad of softmax``) where known, otherwise from the primitives."""
    words = list(dict.fromkeys(value_word(node) for node in nodes))
    forward = [word for word in words if not word.startswith("grad of ")]
    backward = [word.removeprefix("grad of ") for word in words if word.startswith("grad of ")]
    parts = _shortened(forward)
    if backward:
        parts += ["grad", *_shortened(backward)]
    return identifier("_".join(parts))


def _shortened(words: list[str]) -> list[str]:
    return words if len(words) <= _MAX_WORDS else [*words[: _MAX_WORDS - 1], words[-1]]


def kernel_comment(nodes: list[Node]) -> Words:
    """The user positions a kernel comes from, most frequent first, at most three."""
    counts: dict[str, int] = {}
    origins = Counter([node.origin for node in nodes if node.origin is not None])  # a place's text costs more
    for origin, count in origins.items():
        if origin.file:
            counts[origin.place] = counts.get(origin.place, 0) + count
    places = sorted(counts, key=lambda place: -counts[place])
    listed = ", ".join([shortened(place, _LONGEST) for place in places[:3]])
    return Words(listed + (" …" if len(places) > 3 else ""))


class Names:
    """Hands out identifiers, each once.

    Args:
        reserved: identifiers that are taken.
        pattern: a regular expression of further ones, none of which begins with ``v_``.
    """

    def __init__(self, reserved: Iterable[str] = (), pattern: str = "(?!)") -> None:
        self._taken = set(reserved)
        self._is_taken = re.compile(pattern).fullmatch
        self._counts: dict[str, int] = {}

    def unique(self, text: str, *endings: str) -> str:
        """An identifier like ``text``; those that it makes with ``endings`` are its own, too."""
        name = base = self._not_reserved(identifier(text))
        count = self._counts.get(base, 1)
        while not self._is_free(name, endings):
            count += 1
            name = f"{base}_{count}"
        self._counts[base] = count
        self._taken.update([name, *[name + ending for ending in endings]])
        return name

    def _is_free(self, name: str, endings: Iterable[str]) -> bool:
        return name not in self._taken and not any([name + ending in self._taken for ending in endings])

    def _not_reserved(self, name: str) -> str:
        return f"v_{name}" if self._is_taken(name) else name
