"""``LAZYGRAD_POISON=1`` fills memory that holds no value with set bits: reading it cannot go unnoticed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import lazygrad

ROOT = Path(lazygrad.__file__).parent.parent
PROGRAM = """
import gc
import numpy as np
import lazygrad as lg
from lazygrad.host.arena import arena
from lazygrad.host.buffer import Buffer, pool
from lazygrad.ir.dtype import float32, int64
from lazygrad.ir.node import tensor_type

for shape in ((3,), (300,), (300, 300)):
    assert np.isnan(Buffer.empty(tensor_type(shape, float32)).array).all()
    assert (Buffer.empty(tensor_type(shape, int64)).array == -1).all()
assert Buffer.empty(tensor_type((0, 3), float32)).array.shape == (0, 3)

x = lg.rand(200, 200)
memory = (x + 1).realize().detach().array()
gc.collect()
blocks = [block for blocks in pool._free.values() for block in blocks]
assert blocks and all((block.bytes == 0xFF).all() for block in blocks)

lg.set_interpreted_runs(0)
weight = lg.rand(200, 200).requires_grad_()
for _ in range(3):
    loss = ((x @ weight).softmax(1).cumsum(0) @ weight).square().mean()
    loss.backward()
assert np.isfinite(loss.item()) and bool(lg.isfinite(weight.grad).all())
assert arena.memory.nbytes
print("done")
"""


def test_memory_without_a_value_is_not_a_number(tmp_path: Path) -> None:
    environment = os.environ | {"LAZYGRAD_POISON": "1", "PYTHONPATH": str(ROOT)}
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert found.stdout == "done\n", found.stderr
