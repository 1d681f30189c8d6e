"""Names that libraries for PyTorch import or ask for around what runs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.distributions import kl_divergence, register_kl
from lazygrad.utils.dlpack import to_dlpack

_PROGRAM = """
import lazygrad
lazygrad.as_torch()
import torch
from torch._subclasses.fake_tensor import FakeTensor, is_fake
from torch.fx.experimental.proxy_tensor import get_proxy_mode
from torch.futures import Future
from torch.nn.parallel.scatter_gather import gather, scatter
from torch.optim.optimizer import ParamsT, required
from torch.serialization import MAP_LOCATION
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, load
from torch.utils.dlpack import from_dlpack, to_dlpack
import torchvision

assert torch.__name__ == "torch" and torch.torch is torch is lazygrad
assert torch.nn.functional.relu(torch.torch.ones(2)).tolist() == [1, 1]
assert not is_fake(torch.ones(1)) and get_proxy_mode() is None
assert not isinstance(3, torch.SymInt) and torch.float32 not in (torch.complex32,)
assert issubclass(torch.utils.hooks.RemovableHandle, object)
torch._C._log_api_usage_once("something")
try:
    load(name="kernels", sources=["kernels.cpp"])
except NotImplementedError as error:
    assert "generates its kernels itself" in str(error) and CUDA_HOME is None
else:
    raise AssertionError("there is nothing to load")
assert not torchvision._is_tracing()
assert torch._C._get_tracing_state() is None and not torch._C._are_functorch_transforms_active()
from lazygrad import special, vision  # modules below it are found under both names
import lazygrad.signal.windows
assert torch.signal.windows is lazygrad.signal.windows
print("it ran")
"""


def test_libraries_find_what_they_import() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True)
    assert done.stdout == "it ran\n", done.stderr


_TEXTS = """
x = torch.ones(2, 3, dtype=torch.float64)
print(x.shape, x.dtype, [x.dtype], x.type(), x.int().type(), x.layout, torch.preserve_format, torch.qint8, x)
print(torch.typename(x), torch.max(x, 1), x.to_sparse().type(), x.storage(), x.untyped_storage()[:0])
print(getattr(torch, str(x.dtype).replace("torch.", "")) is x.dtype, x.type(x.float().type()).dtype)
"""


def test_objects_call_themselves_as_pytorchs_do() -> None:
    """Programs compare these texts and take them apart."""
    pytest.importorskip("torch")
    start = "import lazygrad; lazygrad.as_torch(); import torch"
    expected, found = (
        subprocess.run([sys.executable, "-W", "ignore", "-c", first + _TEXTS], capture_output=True, text=True)
        for first in ("import torch", start)
    )
    assert found.stdout == expected.stdout and expected.stdout, found.stderr


def test_what_only_pytorch_has_is_said_to_be() -> None:
    with pytest.raises(AttributeError, match="PyTorch's own library"):
        _ = lg._C._VariableFunctions
    with pytest.raises(NotImplementedError, match="mark_dynamic"):
        lg.SymInt()
    with pytest.raises(NotImplementedError, match="complex64"):
        lg.complex32()
    assert lg.SymInt is lg.SymInt


def test_transforms_that_run_are_told() -> None:
    seen: list[bool] = []

    def function(x: lg.Tensor) -> lg.Tensor:
        seen.append(lg._C._are_functorch_transforms_active())
        return x * 2

    lg.vmap(function)(lg.ones(3))
    assert seen == [True] and not lg._C._are_functorch_transforms_active()


def test_a_capsule_is_memory_of_a_tensor() -> None:
    x = lg.arange(6.0).reshape(2, 3)
    y = lg.from_dlpack(to_dlpack(x))
    y[0, 0] = 7.0
    assert x[0, 0].item() == 7.0
    np.testing.assert_array_equal(y.numpy(), x.numpy())


def test_a_divergence_may_be_that_of_a_librarys_own_base_class() -> None:
    class Base:
        pass

    class Mine(lg.distributions.Normal, Base):
        pass

    @register_kl(Mine, Base)
    def _of_mine(p: Mine, q: Base) -> str:
        return "mine"

    p = Mine(lg.tensor(0.0), lg.tensor(1.0))
    assert kl_divergence(p, p) == "mine"  # type: ignore[comparison-overlap]
    with pytest.raises(TypeError, match="type_q"):
        register_kl(Mine, 3)  # type: ignore[arg-type]
