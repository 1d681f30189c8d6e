"""``lazygrad demo``: a small program is printed and run, and what became of one of its steps is shown."""

from __future__ import annotations

import argparse
import linecache
import time
from typing import Any

from lazygrad.command_line.output import declare_json, tell, tell_json
from lazygrad.inspect.stages.forms import Forms, stages

_FILE = "demo.py"
# It is run under a file name of its own, so that the forms name its lines.
_PROGRAM = """\
import lazygrad as lg
from lazygrad import nn, optim

lg.manual_seed(0)
label = lg.randint(0, 2, (512, 1)).float()
radius = lg.rand(512, 1).sqrt()
angle = 3 * lg.pi * radius + lg.pi * label
points = radius * lg.cat([angle.cos(), angle.sin()], 1)  # two spirals, one for each label

model = nn.Sequential(nn.Linear(2, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
optimizer = optim.AdamW(model.parameters(), lr=0.01)
losses = []
for step in range(300):
    optimizer.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(model(points), label)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
accuracy = ((model(points) > 0) == label.bool()).float().mean().item()

optimizer.zero_grad()
nn.functional.binary_cross_entropy_with_logits(model(points), label).backward()  # only recorded
"""


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--save", metavar="FOLDER", help="write all forms of the last gradient to files in this folder")
    declare_json(parser)


def execute(options: argparse.Namespace) -> int:
    linecache.cache[_FILE] = (len(_PROGRAM), None, _PROGRAM.splitlines(keepends=True), _FILE)
    names: dict[str, Any] = {"__name__": "__main__"}
    start = time.perf_counter()
    exec(compile(_PROGRAM, _FILE, "exec"), names)
    seconds = time.perf_counter() - start
    forms = stages(names["model"][2].weight.grad)
    plan = forms.plan_object
    facts = {
        "seconds": seconds,
        "losses": names["losses"],
        "accuracy": names["accuracy"],
        "recorded nodes": len(plan.stages.recorded),
        "primitive nodes": len(plan.stages.primitive),
        "kernels": plan.kernel_calls,
        "library calls": plan.library_calls,
        "files": [str(path) for path in forms.save(options.save)] if options.save else [],
    }
    if options.json:
        tell_json(facts)
    else:
        tell(_in_words(facts, forms))
    return 0


def _in_words(facts: dict[str, Any], forms: Forms) -> str:
    losses = facts["losses"]
    return "\n".join(
        [
            _PROGRAM,
            f"It took {facts['seconds']:.1f} s: in {len(losses)} steps the loss went from {losses[0]:.3f} to "
            f"{losses[-1]:.4f}; accuracy {facts['accuracy']:.1%}.",
            "",
            "The last line recorded this for the gradient of the second layer's weight:",
            str(forms.recorded),
            "",
            f"Its {facts['recorded nodes']} nodes became {facts['primitive nodes']} primitive operations, and these "
            f"{facts['kernels']} kernels and {facts['library calls']} library calls, here for numpy:",
            str(forms.sources["numpy"]),
            f"All forms: {', '.join(facts['files'])}"
            if facts["files"]
            else "lazygrad demo --save FOLDER writes all forms to files.",
        ]
    )
