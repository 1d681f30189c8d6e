"""Runs plans whose C code, and the library's, was compiled with sanitizers; a program for `test_sanitizers`.

    LD_PRELOAD=libasan.so:libubsan.so CC="gcc -fsanitize=…" python -m tests.targets.c.sanitized PART…

Every array has exactly the memory it needs, so that an access beyond it is one that the sanitizer sees.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

import lazygrad as lg
from lazygrad import nn
from lazygrad.host.arena import Arena, arena
from lazygrad.host.buffer import Buffer
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.node import TensorType
from lazygrad.nn import functional as F
from lazygrad.runtime.plan import Plan
from lazygrad.targets.c import library as c_library
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import running_c
from tests.codegen.plans import PROGRAMS, plan_of

PLAN_FLAGS = ("-O1", "-g")
LIBRARY_FLAGS = ("-O0", "-g")  # with optimizations its products take a minute to compile
_ALIGNMENT = 64


def exact_memory() -> None:
    """Let every buffer and the arena have exactly the bytes that were asked for."""

    def empty(type: TensorType) -> Buffer:
        return Buffer(np.empty(type.shape, to_numpy(type.dtype)))

    def at_least(self: Arena, size: int) -> np.ndarray:
        self.memory = _aligned(size)
        self.place.value = self.memory.__array_interface__["data"][0]
        return self.memory

    Buffer.empty = staticmethod(empty)  # type: ignore[method-assign]
    Arena.at_least = at_least  # type: ignore[method-assign]
    arena.at_least(0)


def _aligned(size: int) -> np.ndarray:
    """Memory of ``size`` bytes; never freed, as the arena isn't."""
    libc = ctypes.CDLL(None)
    libc.aligned_alloc.restype = ctypes.c_void_p
    libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    address = libc.aligned_alloc(_ALIGNMENT, size)
    return np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8)


def array(*shape: int) -> Tensor:
    return lg.tensor(np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32))


def small_plans() -> None:
    for text in PROGRAMS.values():
        run(plan_of(text))


def run(plan: Plan) -> None:
    inputs = [Buffer(np.ones(node.shape, to_numpy(node.dtype))) for node in plan.schedule.inputs]
    plan.run(inputs, [Buffer.empty(node.type) for node in plan.schedule.outputs], [0.3])


def training_step() -> None:
    features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    model = nn.Sequential(features, nn.Dropout(0.2), nn.Linear(36, 10))
    optimizer = lg.optim.Adam(model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        F.cross_entropy(model(array(8, 1, 8, 8)), lg.tensor(np.arange(8))).backward()
        optimizer.step()


def library_calls() -> None:
    """Every call of the library, with sizes that leave a remainder everywhere, and both orders of axes."""
    x, y = array(37, 53), array(3, 5, 19)
    rows = lg.tensor(np.arange(37)[::-1].copy() % 7)
    columns = lg.tensor(np.random.default_rng(0).integers(0, 53, (37, 4)))
    images, filters = lg.tensor(array(3, 4, 11, 13).numpy(), requires_grad=True), array(6, 2, 3, 2).requires_grad_()
    convolved = F.conv2d(images, filters, stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2)
    pooled, places = F.max_pool2d(images, (3, 2), stride=2, padding=1, return_indices=True)
    (convolved.sum() + pooled.sum()).backward()
    results = [
        x @ x.T, (x.double() @ x.T.double())[3:], y @ array(3, 19, 7), y @ y[0, 0], x.half() @ x.half().T,
        x.int() @ x.int().T, convolved, pooled, places, images.grad, filters.grad, F.avg_pool2d(images, 3, 2),
        x[rows], x.T[rows], x.gather(1, columns), lg.zeros(37, 53).scatter(1, columns, 1.0), x.unfold(1, 7, 3).sum(-1),
        lg.zeros(7, 53).index_add(0, rows, x), x.sort(1)[0], x.T.sort(0)[1], x.argsort(0, descending=True),
        x.cumsum(0), x.cumsum(1), x.cumprod(1), x.argmax(0), x.argmin(1), x.topk(5, 1)[0],
        lg.cat([x, x.flip(0)], 1), F.pad(x, (1, 2, 3, 0)), F.pad(x.T, (1, 2, 3, 0)) * 2,
        (F.pad(x, (1, -1)) + x).sum(1), F.pad(y, (2, 2), mode="reflect"), lg.arange(41) * 2,
        F.dropout(x, 0.5), x.T.exp(), x.flip(1) + x, x.diagonal() * 2, x.tril(), lg.where(x > 0, x, -x).T.sum(0),
    ]  # fmt: skip
    lg.realize_all([result for result in results if result is not None])


def convolutions() -> None:
    """Each way of the library: gathered lines, small images, few positions of many channels, patches."""
    ways = {
        (3, 24, 14, 14): ((20, 24, 3, 3), {"padding": 1}),
        (5, 20, 2, 2): ((33, 20, 1, 1), {}),
        (2, 20, 4, 5): ((48, 20, 3, 3), {"padding": 1, "stride": 2}),
        (3, 3, 13, 12): ((17, 3, 4, 4), {"stride": 4}),
    }
    for shape, (kernel, options) in ways.items():
        images, filters = array(*shape).requires_grad_(), array(*kernel).requires_grad_()
        F.conv2d(images, filters, **options).square().sum().backward()
        lg.realize_all([grad for grad in (images.grad, filters.grad) if grad is not None])


def beyond_the_end() -> None:
    """What must not pass: a loop that reads one element too many."""
    plan = plan_of(PROGRAMS["linear_relu"])
    wrong = plan.sources["c"].text.replace("i1 < 32", "i1 < 33")
    plan.sources.rendered["c"] = replace(plan.sources["c"], text=wrong)
    run(plan)


def prepare() -> None:
    """Give buffers exact memory, and let the library be compiled quickly."""
    exact_memory()
    flags = c_library._flags
    c_library._flags = lambda tools, file: (*flags(tools, file), *LIBRARY_FLAGS)


def main(parts: Sequence[Callable[[], None]]) -> None:
    prepare()
    for part in parts:
        start = time.perf_counter()
        with running_c(threads=2, flags=PLAN_FLAGS):
            part()
        print(f"{part.__name__}: {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main([globals()[name] for name in sys.argv[1:]])
