"""Every graph any test plans is checked after every pass, and survives being printed and parsed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Kind
from lazygrad.ir.text import parse, same_graph
from lazygrad.ir.verify import verify
from lazygrad.passes.pipeline import PRIMITIVE_KINDS, observing

_LARGEST_CHECKED = 2000
_WITHOUT_GRADIENTS = frozenset(Kind) - {Kind.GRADIENT}
_ALLOWED = {"recorded": frozenset(Kind), "differentiate": _WITHOUT_GRADIENTS, 
            "reuse_realized": _WITHOUT_GRADIENTS}  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backend",
        choices=("numpy", "c"),
        default="numpy",
        help="what runs the plans of all tests; with c, each waits for the compiler",
    )


def pytest_configure(config: pytest.Config) -> None:
    os.environ["LAZYGRAD_BACKEND"] = config.getoption("--backend")
    os.environ["LAZYGRAD_WAIT_FOR_COMPILER"] = "1"


def check_graph(pass_name: str, graph: Graph) -> None:
    """`verify` with the kinds of op this stage may hold, and print → parse → equal."""
    if len(graph) > _LARGEST_CHECKED:
        return
    verify(graph, _ALLOWED.get(pass_name, PRIMITIVE_KINDS))
    assert same_graph(parse(str(graph)), graph), f"after {pass_name} the text does not read back:\n{graph}"


@pytest.fixture(autouse=True)
def verified_passes() -> Iterator[None]:
    with observing(check_graph):
        yield
