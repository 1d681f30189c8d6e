"""Extents at and around the sizes at which the loops, tiles and blocks of generated code change.

The sizes are read from where they are written: the modules that render C and CUDA, and the templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from math import prod
from pathlib import Path
from random import Random

from hypothesis import strategies as st

import lazygrad
from lazygrad.codegen.templates import template_folder

_ASSIGNED = re.compile(r"^(?P<name>_?[A-Z][A-Z_0-9]+)(?:: int)? = (?P<value>[^#\n]+)", re.MULTILINE)
_ENUMERATED = re.compile(r"\benum\b[^{;]*\{(?P<body>[^}]*)\}")
_EQUATION = re.compile(r"(?<![\w.])(?P<name>[A-Z][A-Z_0-9]*)\)?\s*=\s*(?P<value>[^,;}]+)")
_DEFINED = re.compile(r"^#define\s+(?P<name>[A-Z][A-Z_0-9]*)\s+(?P<value>.+)$", re.MULTILINE)
_MEMBER = re.compile(r"\bstatic const i32 (?P<body>[^;]+);")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_NUMBERS = re.compile(r"[\d\s()/*<+-]+")
_ITEMSIZES = (1, 2, 4, 8, 16)


@cache
def constants() -> dict[str, frozenset[int]]:
    """The values of each named size, by the file and the name; one that depends on an element's size has several."""
    found = {**_of_modules(), **_of_templates()}
    assert {"c/loops.py:STAGED_TILE", "cuda/nest.py:WARP"} <= found.keys()
    assert {"c/library/strided_copy.inc:TILE", "c/library/gemm.h:BLOCK_DEPTH"} <= found.keys()
    return found


@cache
def near(limit: int) -> tuple[int, ...]:
    """One, and the extents up to ``limit`` that are a constant or differ from it by one, in order."""
    sizes = {size for values in constants().values() for size in values}
    return tuple(sorted({1} | {size + by for size in sizes for by in (-1, 0, 1) if 1 <= size + by <= limit}))


@cache
def near_tiles(limit: int) -> tuple[int, ...]:
    """One, and the extents at and around multiples of the tiles that C turns, and of the vectors they are turned in."""
    (tile,), (vector,) = constants()["c/loops.py:STAGED_TILE"], constants()["c/loops.py:_SHORT_ROW"]
    multiples = {*range(vector, tile + 1, vector), *range(tile, limit + 1, tile)}
    return tuple(sorted({1} | {size + by for size in multiples for by in (-1, 0, 1) if size + by <= limit}))


def drawn(random: Random, count: int, limit: int, elements: int) -> tuple[int, ...]:
    """That many extents near constants, whose product is at most ``elements``."""
    while True:
        extents = tuple(random.choice(near(limit)) for _ in range(count))
        if prod(extents) <= elements:
            return extents


def pairs(limit: int, elements: int) -> st.SearchStrategy[tuple[int, int]]:
    """Rows and columns for programs that hypothesis draws; small ones are what it shrinks to."""
    extent = st.sampled_from(near(limit))
    return st.tuples(extent, extent).filter(lambda pair: pair[0] * pair[1] <= elements)


def _of_modules() -> dict[str, frozenset[int]]:
    folder = Path(lazygrad.__file__).parent / "targets"
    found = {}
    for path in sorted(folder.glob("c*/**/*.py")):
        for match in _ASSIGNED.finditer(path.read_text(encoding="utf-8")):
            numbers = frozenset(_values(match["value"].strip()))
            if numbers:
                found[f"{path.relative_to(folder)}:{match['name']}"] = numbers
    return found


def _of_templates() -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for path in sorted(template_folder().glob("c*/**/*")):
        if path.suffix in (".c", ".h", ".inc", ".cuh", ".j2"):
            text = _COMMENT.sub(" ", path.read_text(encoding="utf-8"))
            for name, value in _equations(text):
                numbers = frozenset(_values(value))
                if numbers:
                    key = f"{path.relative_to(template_folder())}:{name}"
                    found[key] = found.get(key, frozenset()) | numbers
    return found


def _equations(text: str) -> Iterator[tuple[str, str]]:
    for outer in (_ENUMERATED, _MEMBER):
        for match in outer.finditer(text):
            for equation in _EQUATION.finditer(match["body"]):
                yield equation["name"], equation["value"]
    for match in _DEFINED.finditer(text):
        yield match["name"], match["value"]


def _values(expression: str) -> Iterator[int]:
    """What an expression of numbers and sizes of elements comes to; nothing for one that has other names."""
    for itemsize in _ITEMSIZES if "sizeof" in expression else (1,):
        numbers = re.sub(r"\bsizeof\s*\([^()]*\)", str(itemsize), expression)
        if _NUMBERS.fullmatch(numbers):
            try:
                value = eval(numbers.replace("/", "//"))
            except (SyntaxError, TypeError):
                continue
            if type(value) is int:
                yield value
