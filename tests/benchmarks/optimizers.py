"""Steps of every optimizer over many small tensors, uncompiled, beside torch's forms of it.

What is measured is less the arithmetic, a microsecond a tensor, than what surrounds it. All run in turn, in
one process. Muon runs when it is named: its products take most of its step, and its plan takes minutes to compile.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from statistics import geometric_mean, median
from typing import Any

import numpy as np

TENSORS, SHAPE = 100, (25, 40)
FORMS: tuple[dict[str, bool], ...] = ({}, {"foreach": True}, {"fused": True})
OPTIMIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "SGD": ("SGD", {}),
    "SGD with momentum": ("SGD", {"momentum": 0.9}),
    **{
        name: (name, {})
        for name in (
            "Adam AdamW Adagrad RMSprop Adadelta Adamax NAdam RAdam ASGD Rprop Adafactor Muon".split()
        )
    },
}  # fmt: skip
_BLOCK = 10  # steps that are timed one after the other


def main(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks optimizers", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"default all but Muon: {', '.join(OPTIMIZERS)}")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=12, help=f"blocks of {_BLOCK} steps (default 12)")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall")
    arguments = parser.parse_args(given)
    clock = time.perf_counter if arguments.clock == "wall" else time.process_time
    print(f"µs a step over {TENSORS} tensors of {SHAPE[0] * SHAPE[1]:,} elements, {arguments.threads} thread(s)\n")
    print("| optimizer | lazygrad | torch | torch's best form | ratio |\n| --- | ---: | ---: | --- | ---: |")
    ratios = []
    for title in arguments.names or [title for title in OPTIMIZERS if title != "Muon"]:
        own, others = _microseconds(*OPTIMIZERS[title], arguments.threads, arguments.rounds, clock)
        form = min(others, key=others.__getitem__)
        ratios.append(others[form] / own)
        best = f"{others[form]:,.0f} | {form or 'default'}"
        print(f"| {title} | {own:,.0f} | {others['']:,.0f} | {best} | {ratios[-1]:.2f} |", flush=True)
    print(f"\nGeometric mean of the ratios {geometric_mean(ratios):.2f}, the least {min(ratios):.2f}")
    return 0


def _microseconds(
    name: str, options: dict[str, Any], threads: int, rounds: int, clock: Callable[[], float]
) -> tuple[float, dict[str, float]]:
    """Of lazygrad's step, and of torch's by form."""
    import torch

    import lazygrad

    torch.set_num_threads(threads)
    lazygrad.set_num_threads(threads)
    steps = {"lazygrad": _step_of(lazygrad, name, options)}
    for arguments in FORMS:
        form = "".join(arguments)
        try:
            steps[form] = _step_of(torch, name, {**options, **arguments})
            steps[form]()
        except (RuntimeError, TypeError, ValueError):  # this optimizer has no such form
            steps.pop(form, None)
    for step in steps.values():
        for _ in range(3 * _BLOCK):
            step()
    lazygrad.wait_for_compiler()
    samples: dict[str, list[float]] = {form: [] for form in steps}
    for _ in range(rounds):
        for form, step in steps.items():
            step()
            start = clock()
            for _ in range(_BLOCK):
                step()
            samples[form].append((clock() - start) / _BLOCK * 1e6)
    medians = {form: median(values) for form, values in samples.items()}
    return medians.pop("lazygrad"), medians


def _step_of(framework: Any, name: str, options: dict[str, Any]) -> Callable[[], Any]:
    draws = np.random.default_rng(0)
    parameters = [framework.tensor(draws.standard_normal(SHAPE, "float32")).requires_grad_() for _ in range(TENSORS)]
    for parameter in parameters:
        parameter.grad = framework.tensor(draws.standard_normal(SHAPE, "float32"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step: Callable[[], Any] = getattr(framework.optim, name)(parameters, **options).step
    return step
