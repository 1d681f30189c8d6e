"""CUDA source of many programs. They run on numpy; the source is what their plans would be on a GPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import lazygrad as lg
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.realize import cache
from lazygrad.targets.cuda.dialect import NoCudaForm
from lazygrad.targets.devices import target_called

_INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)
_KERNEL = re.compile(r'extern "C" (?=__global__)')


def sources_of(program: Callable[[], Any]) -> list[str]:
    """The source of each plan that a program needs; not of those that CUDA refuses by name."""
    cache.clear()
    with lg.backend("numpy"):
        program()
    recorded = [plan.stages.recorded for plan in cache._plans.values() if isinstance(plan, Plan)]
    texts = []
    for graph in recorded:
        with suppress(NoCudaForm):
            texts.append(Plan(graph, targets=(target_called("cuda"),)).sources["cuda"].text)
    return texts


def merged(sources: Iterable[str]) -> str:
    """Several programs as one, each in a namespace: to call the compiler costs more than to compile a kernel."""
    distinct = list(dict.fromkeys(sources))
    includes = sorted({line for source in distinct for line in _INCLUDE.findall(source)})
    parts = [
        f"namespace plan{number} {{\n{_KERNEL.sub('', _INCLUDE.sub('', source))}\n}}\n"
        for number, source in enumerate(distinct)
    ]
    return "".join([*includes, *parts])


def batches(sources: Sequence[str], size: int = 24) -> list[str]:
    """Merged programs of at most ``size`` plans each."""
    distinct = list(dict.fromkeys(sources))
    return [merged(distinct[first : first + size]) for first in range(0, len(distinct), size)]
