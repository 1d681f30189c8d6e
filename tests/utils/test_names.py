"""Names that libraries take from `torch.utils` and beside it, compared with PyTorch's."""

from __future__ import annotations

import importlib
import sys
import warnings
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import lazygrad as lg


def _module(t: Any, name: str) -> Any:
    return importlib.import_module(f"{t.__name__}.{name}")


def _tracked(t: Any) -> list[Any]:
    log: list[Any] = []

    class Block(t.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = t.nn.Linear(2, 2), t.nn.Tanh()

        def forward(self, x: Any) -> Any:
            x = self.first(x)
            x.register_hook(lambda gradient: log.append(("backward", sorted(tracker.parents), tracker.is_bw)))
            log.append(("forward", sorted(tracker.parents), tracker.is_bw))
            return self.last(x)

    net, x = t.nn.Sequential(Block(), Block()), t.ones(1, 2, requires_grad=True)
    with _module(t, "utils.module_tracker").ModuleTracker() as tracker:
        for _ in range(2):
            y = net(x)
            log.append(sorted(tracker.parents))
            y.sum().backward()
            log.append((sorted(tracker.parents), tracker.is_bw))
    net(x)
    return [*log, sorted(tracker.parents)]


def test_a_module_tracker_knows_what_runs(torch: Any) -> None:
    assert _tracked(lg) == _tracked(torch)


def _swapped(t: Any) -> list[Any]:
    swap = _module(t, "utils").swap_tensors
    a, b = t.nn.Parameter(t.tensor([1.0, 2.0])), t.tensor([[3.0]], requires_grad=True)
    a.note, a.grad = "a", t.ones(2)
    swap(a, b)
    seen = [a.tolist(), b.tolist(), type(a).__name__, type(b).__name__, hasattr(a, "note"), b.note, a.is_leaf]
    seen += [b.is_leaf, b.grad.tolist(), a.grad]
    (a * 2).sum().backward()
    (b * 3).sum().backward()
    layer, new = t.nn.Linear(2, 1), t.nn.Parameter(t.ones(1, 2))
    swap(layer.weight, new)
    optimizer = t.optim.SGD(layer.parameters(), lr=0.5)
    layer(t.ones(1, 2)).sum().backward()
    optimizer.step()
    plain, other = t.ones(2), t.zeros(3)
    swap(plain, other)
    plain += 1
    seen += [plain.tolist(), other.tolist(), plain.requires_grad]
    names = [name for name, _ in layer.named_parameters()]
    return [*seen, a.grad.tolist(), b.grad.tolist(), layer.weight.tolist(), new.requires_grad, names]


def test_two_tensors_are_swapped(torch: Any) -> None:
    assert _swapped(lg) == _swapped(torch)


def test_tensors_of_other_slots_are_not_swapped() -> None:
    class Slotted(lg.Tensor):
        __slots__ = ("extra",)

    with pytest.raises(RuntimeError, match="different slots"):
        lg.utils.swap_tensors(lg.ones(2), lg.ones(2).as_subclass(Slotted))


def test_a_dispatch_mode_is_derived_from_and_not_entered() -> None:
    dispatch = _module(lg, "utils._python_dispatch")

    class Counting(dispatch.TorchDispatchMode):  # type: ignore[misc, name-defined]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    with pytest.raises(NotImplementedError, match=r"not dispatched one by one.*lazygrad\.profile"), Counting():
        pass
    assert not dispatch.is_traceable_wrapper_subclass(lg.ones(2)) and not dispatch.is_in_torch_dispatch_mode()
    assert dispatch._get_current_dispatch_mode() is None and dispatch._get_current_dispatch_mode_stack() == []
    with dispatch._disable_current_modes() as modes:
        assert modes == []
    register = _module(lg, "utils.flop_counter").register_flop_formula
    assert register([lg.ops.aten.mm])(len) is len


def _storages(t: Any) -> list[Any]:
    x, typed, untyped = t.ones(3), t.ones(3).storage(), t.ones(3).untyped_storage()
    base = t.storage._StorageBase
    seen = [isinstance(typed, each) for each in (t.FloatStorage, t.DoubleStorage, t.Storage, t.storage.TypedStorage)]
    seen += [isinstance(untyped, each) for each in (t.FloatStorage, t.UntypedStorage, t.Storage, base)]
    seen += [isinstance(typed, base), isinstance(typed, t.cuda.FloatStorage), isinstance(x, t.FloatStorage)]
    seen += [t.is_storage(typed), isinstance(t.LongStorage(2), t.LongStorage), isinstance(t.FloatStorage(2), t.Storage)]
    seen += [t.FloatStorage([1.5, 2.0]).tolist(), len(t.Storage(4)), t.Storage is t.FloatStorage]
    return [*seen, t.DoubleStorage(1).dtype is t.float64, t.FloatStorage.__name__, t.cuda.LongStorage.__module__[-4:]]


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages_are_asked_for_by_their_types(torch: Any) -> None:
    assert _storages(lg) == _storages(torch)


def _switches(t: Any) -> list[Any]:
    cuda = t.backends.cuda
    names = ("flash", "math", "mem_efficient", "cudnn")
    before = [getattr(cuda, f"{name}_sdp_enabled")() for name in names]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with cuda.sdp_kernel(enable_math=False):
            inside = [getattr(cuda, f"{name}_sdp_enabled")() for name in names]
    query = t.ones(1, 1, 2, 8)
    params = cuda.SDPAParams(query, query, query, None, 0.0, False, False)
    usable = [getattr(cuda, f"can_use_{name}_attention")(params) for name in ("flash", "efficient", "cudnn")]
    after = [getattr(cuda, f"{name}_sdp_enabled")() for name in names]
    kinds = [(each.name, each.value) for each in _module(t, "nn.attention").SDPBackend.__members__.values()]
    texts = [(each.category, str(each.message)) for each in found]
    return [
        inside,
        after == before,
        usable,
        params.is_causal,
        cuda.is_flash_attention_available(),
        texts,
        len(kinds) > 4,
    ]


def test_attention_is_chosen_by_the_former_name(torch: Any) -> None:
    assert _switches(lg) == _switches(torch)


def _drawn(t: Any) -> list[Any]:
    t.manual_seed(3)
    concentration = t.tensor([0.3, 1.0, 4.0], requires_grad=True)
    gammas, point = t._standard_gamma(concentration), t._sample_dirichlet(concentration)
    total = concentration.detach().sum().expand(3)
    slopes = [
        t._standard_gamma_grad(concentration.detach(), gammas.detach()),
        t._dirichlet_grad(point.detach(), concentration.detach(), total),
        t.autograd.grad(gammas.sum(), concentration)[0],
    ]
    return [each.detach().tolist() for each in (gammas, point, *slopes)]


def test_gamma_and_dirichlet_numbers_by_their_private_names(torch: Any) -> None:
    for ours, theirs in zip(_drawn(lg), _drawn(torch), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)


QUESTIONS = "utilization memory_usage temperature power_draw clock_rate device_memory_used list_gpu_processes".split()


def test_what_a_gpu_says_of_itself_needs_a_package(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    for name in QUESTIONS[:-1]:
        with pytest.raises(ModuleNotFoundError, match="nvidia-ml-py does not seem to be installed"):
            getattr(lg.cuda, name)()
    assert lg.cuda.list_gpu_processes() == torch.cuda.list_gpu_processes()


def test_what_a_gpu_says_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    library: Any = ModuleType("pynvml")
    library.nvmlInit = lambda: None
    library.nvmlDeviceGetHandleByIndex = lambda index: index
    library.nvmlDeviceGetUtilizationRates = lambda handle: SimpleNamespace(gpu=40 + handle, memory=7)
    library.nvmlDeviceGetTemperature = lambda handle, sensor: 55
    library.nvmlDeviceGetPowerUsage = lambda handle: 70_000
    library.nvmlDeviceGetClockInfo = lambda handle, kind: 1_980
    library.nvmlDeviceGetMemoryInfo = lambda handle: SimpleNamespace(used=1 << 30)
    process = SimpleNamespace(pid=12, usedGpuMemory=3 << 20)
    library.nvmlDeviceGetComputeRunningProcesses = lambda handle: [process] * (handle == 1)
    monkeypatch.setitem(sys.modules, "pynvml", library)
    monkeypatch.setattr("lazygrad.cuda.sensors.place_of", lambda device: lg.device("cuda", device or 0))
    assert [getattr(lg.cuda, name)(1) for name in QUESTIONS[:-1]] == [41, 7, 55, 70_000, 1_980, 1 << 30]
    assert lg.cuda.list_gpu_processes(1) == "GPU:1\nprocess         12 uses        3.000 MB GPU memory"
    assert lg.cuda.list_gpu_processes() == "GPU:0\nno processes are running"
    library.nvmlInit = lambda: 1 / 0
    assert lg.cuda.list_gpu_processes().startswith("cuda driver can't be loaded")
