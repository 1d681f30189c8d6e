"""Names that libraries for PyTorch import or ask for around what runs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.distributions import kl_divergence, register_kl
from lazygrad.distributions.kl import registry
from lazygrad.utils.dlpack import to_dlpack

_PROGRAM = """
import lazygrad
lazygrad.as_torch()
import torch
from torch._C import Value, _TensorMeta
from torch._jit_internal import BroadcastingList2, boolean_dispatch
from torch._subclasses.fake_tensor import FakeTensor, is_fake
from torch.amp.autocast_mode import autocast
from torch.autograd.grad_mode import no_grad
from torch.autograd.profiler import EventList, emit_nvtx, record_function
from torch.cuda.amp.autocast_mode import autocast as cuda_autocast
from torch.cuda.amp.grad_scaler import GradScaler
from torch.distributed import rpc
from torch.distributed.optim import DistributedOptimizer, PostLocalSGDOptimizer, ZeroRedundancyOptimizer
from torch.fx.experimental.proxy_tensor import get_proxy_mode
from torch.futures import Future
from torch.jit import _overload, _overload_method
from torch.nn.modules.module import _IncompatibleKeys
from torch.nn.parallel.distributed import DistributedDataParallel
from torch.nn.parallel.scatter_gather import gather, scatter
from torch.optim.adamw import AdamW
from torch.optim.optimizer import ParamsT, required
from torch.overrides import TorchFunctionMode, is_tensor_like
from torch.serialization import MAP_LOCATION
from torch.storage import TypedStorage, UntypedStorage
from torch.types import Device, FileLike, Number, _size, _TensorOrTensors
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, load
from torch.utils.flop_counter import FlopCounterMode
from torch.utils.dlpack import from_dlpack, to_dlpack
import torch.utils.model_zoo as model_zoo
import torchvision

assert torch.__name__ == "torch" and torch.torch is torch is lazygrad
assert AdamW is torch.optim.AdamW and no_grad is torch.no_grad and autocast is torch.autocast
assert callable(model_zoo.load_url) and torch.utils.model_zoo is model_zoo and not torch._jit_internal.is_scripting()
assert torch.nn.functional.relu(torch.torch.ones(2)).tolist() == [1, 1]
assert not is_fake(torch.ones(1)) and get_proxy_mode() is None
assert not isinstance(3, torch.SymInt) and torch.float32 not in (torch.complex32,)
assert isinstance(torch.ones(1).untyped_storage(), UntypedStorage)
assert isinstance(torch.Tensor, _TensorMeta)
assert torch._C._disabled_torch_function_impl(torch.add, (), (torch.ones(1), 2), {}).item() == 3
assert isinstance(2.0, Number) and not isinstance(torch.optim.SGD([torch.ones(1)]), ZeroRedundancyOptimizer)
assert "numpy" in torch.__config__.show() and "threads" in torch.__config__.parallel_info()
assert not isinstance(torch.nn.Linear(1, 1), (torch.ScriptModule, torch.PyTorchFileReader))
assert isinstance(torch.nn.Linear(1, 1).load_state_dict({}, strict=False), _IncompatibleKeys)
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
import copy, pickle
x = torch.ones(2, requires_grad=True)
assert type(x).__module__ == "torch" and pickle.loads(pickle.dumps(torch.Tensor)) is torch.Tensor
assert [other.tolist() for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)))] == [[1, 1]] * 2
step = torch.compile(lambda given: given * x)
assert [step(torch.ones(2)).tolist() for _ in range(4)] == [[1, 1]] * 4
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


def test_a_divergence_may_be_that_of_a_librarys_own_base_class(monkeypatch: pytest.MonkeyPatch) -> None:
    class Base:
        pass

    class Mine(lg.distributions.Normal, Base):
        pass

    monkeypatch.setattr(registry, "_registered", {**registry._registered})

    @register_kl(Mine, Base)
    def _of_mine(p: Mine, q: Base) -> str:
        return "mine"

    p = Mine(lg.tensor(0.0), lg.tensor(1.0))
    assert kl_divergence(p, p) == "mine"  # type: ignore[comparison-overlap]
    with pytest.raises(TypeError, match="type_q"):
        register_kl(Mine, 3)  # type: ignore[arg-type]


class _Length:
    """Something with a length of its own."""

    def __init__(self, value: float) -> None:
        self.value = value

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return ("its own", function.__name__, len(types), args[0].value) if function is length_of else NotImplemented


def length_of(x: Any) -> Any:
    """A function of a library that asks the class of its argument."""
    if lg.overrides.has_torch_function((x,)):
        return lg.overrides.handle_torch_function(length_of, (x,), x)
    return x.numel()


def width_of(x: Any) -> Any:
    """One more of them, which the class does not implement."""
    return lg.overrides.handle_torch_function(width_of, (x,), x)


def test_functions_of_libraries_may_ask_classes() -> None:
    assert length_of(lg.ones(3)) == 3
    assert length_of(_Length(2.0)) == ("its own", "length_of", 1, 2.0)
    assert lg.overrides.is_tensor_like(_Length(1.0)) and lg.overrides.is_tensor_like(lg.ones(1))
    assert not lg.overrides.is_tensor_like(3)
    with pytest.raises(TypeError, match="no implementation found for"):
        width_of(_Length(2.0))


def test_names_of_operators_are_keys() -> None:
    aten = lg.ops.aten
    known = {aten.add.Tensor: 1, aten.clone.default: 2}
    assert aten.add is aten.add and known[aten.add.Tensor] == 1 and aten.add.Scalar not in known
    assert (aten.add.__name__, aten.add.Tensor.__name__) == ("aten.add", "Tensor")
    for call in (aten.add, aten.add.Tensor):
        with pytest.raises(NotImplementedError, match="public function"):
            call(lg.ones(1), 2)


def test_classes_of_libraries_print_as_tensors_do() -> None:
    from lazygrad import _tensor_str

    x = lg.arange(2000.0)
    text = _tensor_str._add_suffixes("tensor(" + _tensor_str._tensor_str(x, 7), ["requires_grad=True"], 7, False)
    assert text == repr(x.requires_grad_())
    assert _tensor_str.PRINT_OPTS.threshold == 1000
    with pytest.raises(AttributeError):
        _ = _tensor_str.missing


def test_arguments_of_to_are_told_apart() -> None:
    parse = lg._C._nn._parse_to
    assert parse("cpu", lg.float64) == (lg.device("cpu"), lg.float64, False, None)
    assert parse(lg.ones(1), True) == (lg.device("cpu"), lg.float32, True, None)
    assert parse(memory_format=lg.channels_last, non_blocking=True) == (None, None, True, lg.channels_last)


def test_a_module_may_define_to_in_terms_of_its_short_forms() -> None:
    class Mine(lg.nn.Linear):
        def to(self, *args: Any, **kwargs: Any) -> Any:
            return self.cpu().double()

    assert Mine(1, 1).to("anywhere").weight.dtype is lg.float64


def test_operations_are_not_counted() -> None:
    from lazygrad.utils.flop_counter import FlopCounterMode

    counter = FlopCounterMode(display=False, depth=3)
    assert counter.get_total_flops() == 0 and counter.get_flop_counts() == {"Global": {}}
    with pytest.raises(NotImplementedError, match="costs"), counter:
        pass
