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
_SETTINGS = """
import torch._dynamo, torch._dynamo.config, torch._functorch.config, torch._inductor.config
from torch._inductor import config

torch._dynamo.config.suppress_errors = True
torch._inductor.config.coordinate_descent_tuning = True
torch._inductor.config.triton.unique_kernel_names = True
torch._functorch.config.donated_buffer = False
assert torch._dynamo.config.suppress_errors and config.coordinate_descent_tuning and config is torch._inductor.config
assert "__path__" not in config.to_dict() and config.to_dict()["triton.unique_kernel_names"]
try:
    import torch._inductor.utils
except ModuleNotFoundError as error:
    assert "lazygrad has no torch._inductor.utils: there is no Inductor" in str(error)
else:
    raise AssertionError("it is refused")
"""
_PROCESSES = """
import torch.multiprocessing as mp
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException, spawn
from torch.utils.weak import WeakTensorKeyDictionary

assert mp.spawn is spawn and callable(torch.multiprocessing.spawn) and issubclass(ProcessRaisedException, Exception)
mp.set_sharing_strategy("file_system")
assert ProcessExitedException("it ended", 1, 20, 3).exit_code == 3
assert mp.spawn(print, nprocs=2) is None
"""
PROGRAMS = {"processes": _PROCESSES, "hidden by functions": _HIDDEN, "layers": _LAYERS, "settings": _SETTINGS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_are_imported(name: str) -> None:
    text = f"import lazygrad\nlazygrad.as_torch()\nimport torch\n{PROGRAMS[name]}"
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120)
