"""Imports of PyTorch's modules by their paths, in a process where torch is lazygrad."""

from __future__ import annotations

import subprocess
import sys

import pytest

_HIDDEN = """
import torch.nn.parallel.replicate, torch.autograd.gradcheck
from torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from torch.nn.parallel.data_parallel import DataParallel, data_parallel
from torch.nn.parallel.parallel_apply import get_a_var, parallel_apply
from torch.nn.parallel.replicate import replicate

assert torch.autograd.gradcheck is gradcheck and torch.nn.parallel.replicate is replicate
assert torch.nn.parallel.parallel_apply is parallel_apply and torch.nn.parallel.data_parallel is data_parallel
assert DataParallel is torch.nn.DataParallel
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(torch.sin, (x,)) and gradgradcheck(torch.sin, (x,))
"""
_LAYERS = """
import torch.nn._reduction as _Reduction
import torch.nn.grad
from torch.nn.parallel.distributed import DistributedDataParallel
from torch.nn.parallel.scatter_gather import gather, scatter, scatter_kwargs
from torch.optim import _functional as F

assert torch.nn.functional._Reduction is _Reduction and torch.nn.functional.grad is torch.nn.grad
by_weight = torch.nn.grad.conv2d_weight(torch.ones(1, 1, 3, 3), (1, 1, 2, 2), torch.ones(1, 1, 2, 2))
assert by_weight.tolist() == [[[[4, 4], [4, 4]]]]
weight, options = torch.ones(2), dict(momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False)
F.sgd([weight], [torch.ones(2)], [None], lr=0.5, **options)
assert weight.tolist() == [0.5, 0.5]
"""


@pytest.mark.parametrize("program", [_HIDDEN, _LAYERS], ids=["hidden by functions", "layers"])
def test_modules_are_imported(program: str) -> None:
    text = f"import lazygrad\nlazygrad.as_torch()\nimport torch\n{program}"
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120)
