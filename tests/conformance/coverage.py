"""Which of PyTorch's public names behave as PyTorch's: docs/api_coverage.md, made from the results of the tests.

python -m pytest tests/conformance --whole --junitxml=results.xml
python -m tests.conformance.coverage results.xml --write docs/api_coverage.md
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from . import scenarios_functions, scenarios_gradients, scenarios_objects, scenarios_settings  # noqa: F401
from .known import DIFFERENCES, LEFT_OUT
from .names import NAMESPACES, names, path
from .opinfo import OPS, public_names
from .scenarios import SCENARIOS

_HEADER = """# What of PyTorch is there

Made by `python -m tests.conformance.coverage` from what passes, not from what exists. Every name of PyTorch 2.13's
`torch`, `Tensor`, `linalg`, `fft`, `special`, `autograd` and `func` is compared with PyTorch itself: on sample inputs
and bad inputs that PyTorch tests its own operations with (values, dtypes, shapes, gradients, `out=`, error classes),
or by a short program that uses it (`tests/conformance/scenarios_*.py`). Tier A is what most programs use, tier B what
many use, tier C the rest.

*equal*: everything compared is equal. *equal but*: with the differences named. *left out*: raises
NotImplementedError and says what to use instead. *differs*, *not compared*: not as PyTorch has it, or not shown.
"""


@dataclass
class Evidence:
    """The tests of one name: how many passed, and those that failed."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    reasons: set[str] = field(default_factory=set)


def evidence_of(results: list[Path]) -> dict[str, Evidence]:
    """By public path, such as `linalg.svd`, what the tests of the conformance folder showed."""
    found: dict[str, Evidence] = defaultdict(Evidence)
    scenarios = {function.__name__: covered for covered, function in SCENARIOS}
    for case in [case for file in results for case in ElementTree.parse(file).iter("testcase")]:
        test, _, parameters = case.get("name", "").partition("[")
        parameters = parameters.removesuffix("]")
        if "conformance" not in case.get("classname", ""):
            continue
        if test == "test_scenario":
            paths, operation = scenarios.get(parameters, ()), ""
        elif test in ("test_results", "test_gradients", "test_out", "test_errors"):
            operation = re.sub(r"-(bool|u?int\d+|b?float\d+|complex\d+)$", "", parameters)
            paths = tuple(public_names(OPS[operation]))
        else:
            continue
        for public in paths:
            _add(found[public], case, f"{test}[{parameters}]", operation)
    return found


def _add(evidence: Evidence, case: ElementTree.Element, test: str, operation: str) -> None:
    evidence.reasons |= {why for (name, _), why in DIFFERENCES.items() if name == operation}
    if case.find("failure") is not None or case.find("error") is not None:
        evidence.failed.append(test)
    elif case.find("skipped") is None:
        evidence.passed += 1


def status(public: str, evidence: Evidence) -> str:
    """One name's line in the table."""
    if public in LEFT_OUT:
        return f"left out: {LEFT_OUT[public]}"
    if evidence.failed:
        return f"differs: {', '.join(evidence.failed)}"
    if not evidence.passed:
        return "not compared"
    if evidence.reasons:
        return f"equal but: {'; '.join(sorted(evidence.reasons))}"
    return "equal"


def table(statuses: dict[str, str]) -> str:
    """The page in Markdown."""
    lines = [_HEADER, "| | tier A | tier B | tier C |", "| --- | --- | --- | --- |"]
    for namespace in NAMESPACES:
        cells = []
        for tier in "ABC":
            every = [statuses[path(namespace, name)] for name in names(namespace, tier)]
            good = sum(line.startswith("equal") for line in every)
            cells.append(f"{good} of {len(every)}" if every else "–")
        lines.append(f"| `{namespace}` | {' | '.join(cells)} |")
    for namespace in NAMESPACES:
        for tier in "ABC":
            every = names(namespace, tier)
            equal = [name for name in every if statuses[path(namespace, name)] == "equal"]
            if every:
                lines.append(f"\n## {namespace}, tier {tier}\n")
            if equal:
                lines.append("equal: " + " ".join(f"`{name}`" for name in equal) + "\n")
            lines += [f"- `{name}`: {statuses[path(namespace, name)]}" for name in every if name not in equal]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.coverage", description=__doc__)
    parser.add_argument("results", type=Path, nargs="+", help="what pytest --junitxml wrote, in one run or several")
    parser.add_argument("--write", type=Path, help="the file to write; otherwise the table is printed")
    options = parser.parse_args()
    evidence = evidence_of(options.results)
    statuses = {
        path(namespace, name): status(path(namespace, name), evidence.get(path(namespace, name), Evidence()))
        for namespace in NAMESPACES
        for tier in "ABC"
        for name in names(namespace, tier)
    }
    page = table(statuses)
    if options.write:
        options.write.write_text(page)
    else:
        print(page)
    print(Counter(line.partition(":")[0] for line in statuses.values()))


if __name__ == "__main__":
    main()
