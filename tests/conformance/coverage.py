"""Which of PyTorch's public names behave as PyTorch's: the table docs/api_coverage.md, made from what passes."""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from multiprocessing import get_context
from typing import Any

import torch

import lazygrad as lg

from . import scenarios_functions, scenarios_gradients, scenarios_objects  # noqa: F401
from .checks import Report, check_errors, check_gradients, check_out, check_results
from .known import DIFFERENCES, LEFT_OUT, reason
from .names import NAMESPACES, names, path
from .opinfo import OPS, dtypes, found, public_names
from .outcome import difference, outcome_of
from .scenarios import SCENARIOS

_HEADER = """# What of PyTorch is there

Made by `python -m tests.conformance.coverage` from what passes, not from what exists. Every name of PyTorch 2.13's
`torch`, `Tensor`, `linalg`, `fft`, `special`, `autograd` and `func` is compared with PyTorch itself: on the sample
inputs and bad inputs that PyTorch tests its own operations with (values, dtypes, shapes, gradients, `out=`, error
classes; every dtype), or by a short program that uses it (`tests/conformance/scenarios_*.py`). Tier A is what most
programs use, tier B what many use, tier C the rest.

*equal*: everything compared is equal. *equal but*: with the differences named. *left out*: raises
NotImplementedError and says what to use instead. *differs*, *missing*: not as PyTorch has it.
"""


def reports(op: Any, name: str, at_most: int | None) -> dict[str, Report]:
    """Everything compared for one operation, by check; what `known` explains is left out."""
    found_: dict[str, Report] = {}
    if not reason(name, "errors"):
        found_["errors"] = check_errors(op)
    for dtype in dtypes(op):
        short = str(dtype)[6:]
        if not reason(name, short):
            found_[short] = check_results(op, dtype, at_most)
        if dtype in (torch.float32, torch.int64) and not reason(name, "out="):
            found_[f"{short} out="] = check_out(op, dtype)
        differentiable = dtype in (torch.float64, torch.complex128) and op.supports_autograd
        if differentiable and not reason(name, f"{short} gradients"):
            found_[f"{short} gradients"] = check_gradients(op, dtype, at_most)
    return found_


def _operation(arguments: tuple[str, int | None]) -> tuple[str, int, list[str]]:
    """Name, how many comparisons were made, and the checks that failed."""
    name, at_most = arguments
    torch.set_num_threads(1)
    result = reports(OPS[name], name, at_most)
    return name, sum(r.compared for r in result.values()), [check for check, r in result.items() if r.failures]


def _scenarios() -> dict[str, str | None]:
    """What is wrong with each name that a scenario covers; None when nothing."""
    wrong: dict[str, str | None] = {}
    for covered, scenario in SCENARIOS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fault = difference(outcome_of(scenario(torch)), outcome_of(scenario(lg)))
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
        for name in covered:
            wrong[name] = wrong.get(name) or fault
    return wrong


def statuses(at_most: int | None, processes: int) -> dict[str, str]:
    """The status of every public path, such as `linalg.svd`."""
    with get_context("spawn").Pool(processes) as pool:
        results = pool.map(_operation, [(name, at_most) for name in OPS], chunksize=4)
    by_path: dict[str, list[tuple[str, int, list[str]]]] = {}
    for result in results:
        for public in public_names(OPS[result[0]]):
            by_path.setdefault(public, []).append(result)
    shown = _scenarios()
    return {
        path(namespace, name): _status(path(namespace, name), by_path, shown)
        for namespace in NAMESPACES
        for tier in "ABC"
        for name in names(namespace, tier)
    }


def _status(public: str, by_path: dict[str, list[tuple[str, int, list[str]]]], shown: dict[str, str | None]) -> str:
    if public in LEFT_OUT:
        return f"left out: {LEFT_OUT[public]}"
    if found(public) is None and not (public.startswith("Tensor.") and hasattr(lg.Tensor, public[7:])):
        return "missing"
    if shown.get(public):
        return "differs in a scenario"
    compared = by_path.get(public, [])
    failed = [f"{name} ({', '.join(checks)})" for name, _, checks in compared if checks]
    if failed:
        return f"differs: {'; '.join(failed)}"
    count = sum(number for _, number, _ in compared)
    if not count and public not in shown:
        return "not compared"
    reasons = sorted({why for (name, _), why in DIFFERENCES.items() if name in {entry[0] for entry in compared}})
    evidence = f"{count} comparisons" if count else "a scenario"
    return f"equal but: {'; '.join(reasons)} ({evidence})" if reasons else f"equal ({evidence})"


def table(found_: dict[str, str]) -> str:
    """The page in Markdown."""
    lines = [_HEADER, "| | tier A | tier B | tier C |", "| --- | --- | --- | --- |"]
    for namespace in NAMESPACES:
        cells = []
        for tier in "ABC":
            every = [found_[path(namespace, name)] for name in names(namespace, tier)]
            good = sum(status.startswith("equal") for status in every)
            cells.append(f"{good} of {len(every)}" if every else "–")
        lines.append(f"| `{namespace}` | {' | '.join(cells)} |")
    for namespace in NAMESPACES:
        for tier in "ABC":
            every = names(namespace, tier)
            plain = [name for name in every if found_[path(namespace, name)].startswith("equal (")]
            lines.append(f"\n## {namespace}, tier {tier}\n") if every else None
            if plain:
                lines.append("equal: " + " ".join(f"`{name}`" for name in plain) + "\n")
            lines += [f"- `{name}`: {found_[path(namespace, name)]}" for name in every if name not in plain]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.coverage", description=__doc__)
    parser.add_argument("--samples", type=int, default=12, help="of each operation and dtype; 0 for all")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", help="the file to write; otherwise the table is printed")
    options = parser.parse_args()
    found_ = statuses(options.samples or None, options.processes)
    page = table(found_)
    if options.write:
        with open(options.write, "w") as file:
            file.write(page)
    else:
        print(page)
    print(Counter(status.partition(" ")[0].rstrip(":") for status in found_.values()))


if __name__ == "__main__":
    main()
