"""Which targets a device has: the one that runs a plan first, then faster ones; and what interprets programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from lazygrad.host.allocator import Allocator, register_allocator
from lazygrad.ir.device import CPU, Device
from lazygrad.targets.c import host_functions
from lazygrad.targets.compiled_calls import provide_compiled_calls
from lazygrad.targets.cuda import drivers
from lazygrad.targets.evaluator import provide_host_evaluator

if TYPE_CHECKING:
    from lazygrad.targets.base import Target
    from lazygrad.targets.compiled_calls import CompiledCall
    from lazygrad.targets.evaluator import Evaluator
    from lazygrad.targets.executable import Executable

MakeTarget = Callable[[], "Target[Any]"]


def _numpy() -> Target[Any]:
    from lazygrad.targets.numpy.target import NumpyTarget  # renderers load with the first plan

    return NumpyTarget()


def _c() -> Target[Any]:
    from lazygrad.targets.c.target import CTarget

    return CTarget()


def _cuda() -> Target[Any]:
    from lazygrad.targets.cuda.target import CudaTarget

    return CudaTarget()


_HOST: dict[str, MakeTarget] = {"numpy": _numpy, "c": _c}
# By device type; those that are not here have the host's.
_registered: dict[str, dict[str, MakeTarget]] = {"cpu": _HOST, "cuda": {"cuda": _cuda}}
_OWN = {device_type: list(targets) for device_type, targets in _registered.items()}
_made: dict[str, tuple[Target[Any], ...]] = {}


def _cuda_memory(device: Device) -> Allocator:
    from lazygrad.targets.cuda.allocator import CudaAllocator

    return CudaAllocator(device)


register_allocator("cuda", _cuda_memory, drivers.why_unavailable)


def register_target(device_type: str, name: str, make: MakeTarget) -> None:
    """Add a target behind those that a device has; what comes later is faster.

    The first target of a device must not compile, and must not refuse what it can name the fault of: it is the one
    that says what is wrong. Plans that were made before do not know the new target.

    Args:
        device_type: for example "cpu".
        name: of the target, which `set_backend` then takes.
        make: makes it, when the first plan is.

    Raises:
        ValueError: the device has a target of this name.
    """
    targets = _registered.setdefault(device_type, {})
    if name in targets:
        raise ValueError(f"device {device_type!r} has a target called {name!r} already")
    targets[name] = make
    _made.clear()
    target_names.cache_clear()


def unregister_target(device_type: str, name: str) -> None:
    """Take a target from a device; plans that were made before keep it.

    Raises:
        KeyError: the device has no target of this name.
    """
    del _registered[device_type][name]
    _made.clear()
    target_names.cache_clear()


@cache
def target_names() -> tuple[str, ...]:
    """The names of the targets that can be chosen: those of devices that have several."""
    return tuple(dict.fromkeys(name for targets in _registered.values() if len(targets) > 1 for name in targets))


def has_no_choice(device_type: str) -> bool:
    """Whether a type of device has a target of its own, and only that."""
    return len(_registered.get(device_type, ())) == 1


def device_targets(device: Device = CPU) -> tuple[Target[Any], ...]:
    """The targets of a device in the order in which a plan uses them: the first runs at once, the last is fastest."""
    targets = _made.get(device.type)
    if targets is None:
        makers = _registered.get(device.type) or _HOST
        targets = _made[device.type] = tuple([make() for make in makers.values()])
    return targets


def target_called(name: str) -> Target[Any]:
    """The target of this name, for programs that are only looked at.

    Raises:
        KeyError: no device has one.
    """
    makers = {name: make for targets in _registered.values() for name, make in targets.items()}
    return makers[name]()


def has_own_targets(device: Device = CPU) -> bool:
    """Whether the targets of a device are those it came with."""
    return list(_registered.get(device.type, _HOST)) == _OWN[device.type]


def restored_executable(target: str, kept: Mapping[str, Any]) -> Executable | None:
    """What `Executable.kept` told of in an earlier process; None where it can no longer be had.

    Raises:
        LoadError: it cannot be loaded.
        OSError: the cache on disk cannot be read.
    """
    restore = _RESTORE.get(target)
    return None if restore is None else restore(kept)


def compiled_code_depends_on() -> str:
    """What decides, beside its source, of the code that a program's compiled executable on the CPU has."""
    from lazygrad.targets.c.toolchain import identity

    return identity()


def _restored_driver(kept: Mapping[str, Any]) -> Executable | None:
    from lazygrad.targets.c.driver import restored

    return restored(kept)


_RESTORE: dict[str, Callable[[Mapping[str, Any]], Executable | None]] = {"c": _restored_driver}


def host_function(name: str) -> Any | None:
    """A compiled function for the host's own use (`lazygrad.targets.c.host_functions`); None while it is not there."""
    return host_functions.host_function(name)


def want_host_functions() -> None:
    """Have those functions made in the background, once, where that is possible."""
    host_functions.want()


@cache
def device_evaluator(device: Device) -> Evaluator | None:
    """What computes single primitives on a device; None where only whole programs are run."""
    if device is not CPU:
        return None
    return _numpy_evaluator()


@cache
def _numpy_evaluator() -> Evaluator:
    from lazygrad.targets.numpy.evaluate import NumpyEvaluator  # with the first program

    return NumpyEvaluator()


provide_host_evaluator(_numpy_evaluator)


def _compiled_call(name: str) -> CompiledCall | None:
    from lazygrad.targets.c.direct_calls import compiled_call  # with the first large call

    return compiled_call(name)


provide_compiled_calls(_compiled_call)
