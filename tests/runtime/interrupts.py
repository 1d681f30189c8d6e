"""Programs interrupted while they load or fill what a process has once: what they do afterwards is what they do alone.

Each point is a process of its own, forked before the program begins. A trace function counts the lines that Python
runs, and raises KeyboardInterrupt at one of them, as Ctrl-C does. Then the program runs twice more.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any


def first_step() -> Any:
    """The gradient of a small network, interpreted."""
    import lazygrad as lg

    lg.manual_seed(0)
    x, weight = lg.randn(4, 8, requires_grad=True), lg.randn(3, 8, requires_grad=True)
    hidden = x.reshape(2, 2, 8).transpose(0, 1).reshape(4, 8) @ weight.T
    loss = hidden.relu().square().mean() + lg.cumsum(weight, 0).softmax(0).sum()
    loss.backward()
    return [weight.grad.sum().item(), x.grad.sum().item()]


def first_import() -> Any:
    """The package itself, and a step."""
    return first_step()


def first_plan() -> Any:
    """The same by a plan of numpy."""
    import lazygrad as lg

    with lg.backend("numpy"):
        return [first_step(), first_step()]


def first_compiled_plan() -> Any:
    """The same by a plan of C, whose objects are on disk after the first time."""
    import lazygrad as lg

    with lg.backend("c"):
        found = [first_step(), first_step()]
        lg.wait_for_compiler()
        return [*found, first_step()]


def first_replay() -> Any:
    """A compiled function, called until it is replayed."""
    import lazygrad as lg

    lg.manual_seed(0)
    layer = lg.nn.Linear(4, 3)
    optimizer = lg.optim.Adam(layer.parameters())

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = lg.nn.functional.cross_entropy(layer(x), lg.tensor([0, 1]))
        loss.backward()
        optimizer.step()
        return loss

    compiled, x = lg.compile(step), lg.ones(2, 4)
    return [compiled(x).item() for _ in range(4)]


def first_transforms() -> Any:
    """Function transforms: batching rules, forward mode, second derivatives."""
    import lazygrad as lg
    from lazygrad import func

    x = lg.tensor([0.5, 1.5, 2.5])
    rows = lg.vmap(lambda row: lg.cumsum(row, 0) * row.sort().values)(lg.stack([x, x * 2]))
    curved = func.hessian(lambda x: (x.sin() * x).sum())(x)
    slopes = func.jvp(lambda x: x.tanh().reshape(3, 1), (x,), (x,))[1]
    return [rows.tolist(), curved.tolist(), slopes.tolist()]


def first_use_of_libraries() -> Any:
    """What the package imports when it is first named: files, distributions, explanations, classes of tensors."""
    import lazygrad as lg

    normal = lg.distributions.Normal(0.0, 1.0)
    divergence = lg.distributions.kl_divergence(normal, lg.distributions.Normal(1.0, 2.0)).item()
    path = os.path.join(tempfile.mkdtemp(), "tensor.pt")
    lg.save({"a": lg.arange(3)}, path)

    class Marked(lg.Tensor):
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return super().__torch_function__(function, types, args, kwargs or {})

    marked = lg.ones(2).as_subclass(Marked)
    added = lg.add(marked, 1)
    with lg.autocast("cpu", lg.bfloat16):
        product = lg.ones(2, 2) @ lg.ones(2, 2)
    scaler = lg.amp.GradScaler("cpu", init_scale=2.0)
    decimals = [divergence, scaler.scale(lg.ones(1)).item(), lg.fft.fft(lg.ones(2)).real.sum().item()]
    return [decimals, lg.load(path)["a"].tolist(), type(added).__name__, str(product.dtype)]


def first_import_as_torch() -> Any:
    """lazygrad in place of PyTorch."""
    import lazygrad as lg

    lg.as_torch()
    import torch
    import torch.nn.functional as functional
    from torch.utils.data import DataLoader, TensorDataset

    batches = DataLoader(TensorDataset(torch.arange(4.0)), batch_size=2)
    sums = [functional.relu(batch).sum().item() for (batch,) in batches]
    return [sums, torch.__version__, torch.float32.__repr__(), torch.Tensor.__module__]


PROGRAMS: dict[str, Callable[[], Any]] = {
    program.__name__: program
    for program in (
        first_step,
        first_import,
        first_plan,
        first_compiled_plan,
        first_replay,
        first_transforms,
        first_use_of_libraries,
        first_import_as_torch,
    )
}


# The part of Python's import system that is not made for errors between any two of its lines.
_ENTERS_MODULES = "<frozen importlib._bootstrap>"


class Interrupt:
    """A trace function that counts lines and raises KeyboardInterrupt at one.

    Attributes:
        lines: how many it has counted.
        place: file, line and function of the interrupt.
    """

    def __init__(self, line: int) -> None:
        self.lines, self.place, self._line = 0, "", line

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line" and frame.f_code.co_filename != _ENTERS_MODULES:
            self.lines += 1
            if self.lines == self._line:
                self.place = f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


def outcome(program: Callable[[], Any], line: int) -> dict[str, Any]:
    """What a process found that was interrupted at a line; 0 for none."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        os.write(writer, json.dumps(_interrupted(program, line)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        text = file.read()
    os.waitpid(process, 0)
    return json.loads(text) if text else {"error": "the process died"}


def _interrupted(program: Callable[[], Any], line: int) -> dict[str, Any]:
    interrupt = Interrupt(line)
    values = None
    sys.settrace(interrupt)
    try:
        values = program()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
    found = {"lines": interrupt.lines, "place": interrupt.place, "ended": values is not None}
    try:
        return {**found, "values": [program(), program()]}
    except BaseException:
        return {**found, "error": traceback.format_exc()}


def _rounded(values: Any) -> Any:
    """Values without the last digits, in which plans and interpreted programs may differ."""
    if isinstance(values, list):
        return [_rounded(value) for value in values]
    return round(values, 5) if isinstance(values, float) else values


def main(name: str, points: int, seed: int) -> None:
    """Interrupt a program at some lines, and print as JSON how many it has and what went wrong, each with its place."""
    program = PROGRAMS[name]
    outcome(program, 0)  # leaves in the cache on disk what a later one reads
    whole = outcome(program, 0)
    if "error" in whole:
        raise SystemExit(whole["error"])
    drawn = random.Random(seed).sample(range(1, whole["lines"]), min(points, whole["lines"] - 1))
    wrong = []
    for line in sorted(drawn):
        found = outcome(program, line)
        if _rounded(found.get("values")) != _rounded(whole["values"]):
            wrong.append(f"{found.get('place')}: {found.get('error') or found.get('values')}")
    print(json.dumps({"lines": whole["lines"], "points": len(drawn), "wrong": wrong}))


if __name__ == "__main__":
    import numpy  # noqa: F401, its loading is not what is interrupted

    if sys.argv[1] != first_import.__name__:
        import lazygrad  # noqa: F401
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
