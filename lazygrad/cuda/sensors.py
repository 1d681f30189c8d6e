"""What a GPU says of itself, asked of NVIDIA's management library by its Python package, which nothing else needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lazygrad.cuda.devices import place_of


def _library() -> Any:
    """The package ``pynvml``, ready to be asked. ModuleNotFoundError: it is not installed."""
    try:
        library = import_module("pynvml")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("nvidia-ml-py does not seem to be installed or it can't be imported.") from error
    library.nvmlInit()
    return library


def _handle(library: Any, device: Any) -> Any:
    return library.nvmlDeviceGetHandleByIndex(place_of(device).index)


def utilization(device: Any = None) -> int:
    """The percentage of the last moments in which a device computed. ModuleNotFoundError: ``pynvml`` is missing."""
    library = _library()
    return int(library.nvmlDeviceGetUtilizationRates(_handle(library, device)).gpu)


def memory_usage(device: Any = None) -> int:
    """The percentage of the last moments in which memory was read or written; see `utilization`."""
    library = _library()
    return int(library.nvmlDeviceGetUtilizationRates(_handle(library, device)).memory)


def temperature(device: Any = None) -> int:
    """Degrees Celsius; see `utilization`."""
    library = _library()
    return int(library.nvmlDeviceGetTemperature(_handle(library, device), 0))  # 0 is the sensor of the die


def power_draw(device: Any = None) -> int:
    """Milliwatts; see `utilization`."""
    library = _library()
    return int(library.nvmlDeviceGetPowerUsage(_handle(library, device)))


def clock_rate(device: Any = None) -> int:
    """The clock of the multiprocessors in MHz; see `utilization`."""
    library = _library()
    return int(library.nvmlDeviceGetClockInfo(_handle(library, device), 1))


def device_memory_used(device: Any = None) -> int:
    """Bytes that all processes use on a device; see `utilization`."""
    library = _library()
    return int(library.nvmlDeviceGetMemoryInfo(_handle(library, device)).used)


def list_gpu_processes(device: Any = None) -> str:
    """The processes that use a device and their memory, as text; it also says what is missing."""
    try:
        library = _library()
    except ModuleNotFoundError:
        return "pynvml module not found, please install nvidia-ml-py"
    except Exception as error:  # of a class that the package brings
        return f"cuda driver can't be loaded, is cuda enabled? ({error})"
    processes = library.nvmlDeviceGetComputeRunningProcesses(_handle(library, device))
    lines = [f"GPU:{place_of(device).index}"]
    for process in processes:
        lines.append(f"process {process.pid:>10d} uses {process.usedGpuMemory / (1024 * 1024):>12.3f} MB GPU memory")
    return "\n".join(lines if processes else [*lines, "no processes are running"])
