"""``python -m tests.conformance NAME …`` compares operations with torch on all sample inputs and prints what differs.

python -m tests.conformance linalg.svd add          # these, whole
python -m tests.conformance --all --quick           # a line per operation that fails
"""

from __future__ import annotations

import argparse
from typing import Any

import torch

from .checks import Report, check_errors, check_gradients, check_out, check_results
from .known import reason
from .opinfo import OPS, dtypes


def reports(op: Any, name: str, at_most: int | None) -> dict[str, Report]:
    """Everything compared for one operation, by check; what `known` explains is left out."""
    found: dict[str, Report] = {}
    if not reason(name, "errors"):
        found["errors"] = check_errors(op)
    for dtype in dtypes(op):
        short = str(dtype)[6:]
        if not reason(name, short):
            found[short] = check_results(op, dtype, at_most)
        if dtype in (torch.float32, torch.int64) and not reason(name, "out="):
            found[f"{short} out="] = check_out(op, dtype)
        differentiable = dtype in (torch.float64, torch.complex128) and op.supports_autograd
        if differentiable and not reason(name, f"{short} gradients"):
            found[f"{short} gradients"] = check_gradients(op, dtype, at_most)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("names", nargs="*", help="operations such as add or linalg.svd; prefixes end with *")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--quick", action="store_true", help="six samples per operation and dtype")
    parser.add_argument("--part", default="0/1", help="i/n: every n-th operation, from the i-th on")
    parser.add_argument("--lines", type=int, default=4, help="failures printed per check")
    options = parser.parse_args()
    torch.set_num_threads(1)
    failed = 0
    first, step = map(int, options.part.split("/"))
    for name, op in list(OPS.items())[first::step]:
        wanted = options.all or any(
            name.startswith(given[:-1]) if given.endswith("*") else given in (name, op.name) for given in options.names
        )
        if not wanted:
            continue
        found = reports(op, name, 6 if options.quick else None)
        bad = {check: report for check, report in found.items() if report.failures}
        failed += bool(bad)
        compared = sum(report.compared for report in found.values())
        print(f"{'FAILS' if bad else 'equal'} {name}: {compared} comparisons", flush=True)
        for check, report in bad.items():
            print(f"  {check}: {len(report.failures)} of {report.compared}")
            for line in report.failures[: options.lines]:
                print(f"    {line}")
    print(f"{failed} operations differ")


if __name__ == "__main__":
    main()
