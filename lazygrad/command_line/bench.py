"""``lazygrad bench``: a few programs of known shape on this machine, beside what it can do at best."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import lazygrad as lg
from lazygrad import nn
from lazygrad.command_line.output import declare_json, tell, tell_json
from lazygrad.inspect.comparing.compare import compare
from lazygrad.inspect.comparing.comparison import Comparison
from lazygrad.inspect.comparing.roofline import roofline

_HEAD = f"{'program':<34}{'fused ms':>10}{'unfused':>10}{'numpy':>10}{'GB/s':>8}{'% of best':>11}"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=15, metavar="N", help="rounds of timing (default 15)")
    parser.add_argument("names", nargs="*", choices=[*_PROGRAMS, []], metavar="program", help=", ".join(_PROGRAMS))
    declare_json(parser)


def execute(options: argparse.Namespace) -> int:
    limits, results = roofline(), []
    for name in options.names or _PROGRAMS:
        title, make = _PROGRAMS[name]
        program = make()
        fusion = compare(program, repeats=options.repeats, limits=limits)
        numpy = compare(program, backends=("numpy", "numpy"), repeats=options.repeats, limits=limits)
        results.append((name, title, fusion, numpy))
    if options.json:
        tell_json(
            {
                "machine": str(limits),
                "programs": {
                    name: {"total": _totals(fusion), "numpy": _totals(numpy)[0], "interference": fusion.interference}
                    for name, _, fusion, numpy in results
                },
            }
        )
    else:
        rows = [_row(title, fusion, numpy) for _, title, fusion, numpy in results]
        said = sorted({line for _, _, *both in results for each in both for line in each.verdicts() if "busy" in line})
        tell("\n".join([f"this machine: {limits}; medians", _HEAD, *rows, *said[:1]]))
    return 0


def _softmax() -> lg.Tensor:
    return lg.randn(1024, 1024).realize().softmax(1)


def _chain() -> lg.Tensor:
    x = lg.randn(1 << 20).realize()
    return nn.functional.gelu(x * 2 + 1).sin() * x


def _product() -> lg.Tensor:
    return lg.randn(512, 512).realize() @ lg.randn(512, 512).realize()


def _normalization() -> lg.Tensor:
    return nn.functional.layer_norm(lg.randn(4096, 256).realize(), (256,))


def _gradient() -> lg.Tensor:
    model = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 10))
    loss = nn.functional.cross_entropy(model(lg.randn(128, 256)), lg.randint(0, 10, (128,)))
    loss.backward()
    gradient = next(model.parameters()).grad
    assert gradient is not None
    return gradient


_PROGRAMS: dict[str, tuple[str, Callable[[], lg.Tensor]]] = {
    "product": ("a product, 512×512×512", _product),
    "chain": ("GELU and sine, 1,048,576 numbers", _chain),
    "softmax": ("a softmax, 1024×1024", _softmax),
    "layer_norm": ("a layer norm, 4096×256", _normalization),
    "gradient": ("a gradient of an MLP, batch 128", _gradient),
}


def _totals(comparison: Comparison) -> list[dict[str, object]]:
    return [dict(record) for record in comparison.records() if record["group"] == "total"]


def _row(title: str, fusion: Comparison, numpy: Comparison) -> str:
    (fused, unfused), (plain, _) = _totals(fusion), _totals(numpy)
    times = "".join([f"{record['ms']:>10.3f}" for record in (fused, unfused, plain)])
    return f"{title:<34}{times}{fused['GB/s']:>8.1f}{fused['% of roofline']:>11.0f}"
