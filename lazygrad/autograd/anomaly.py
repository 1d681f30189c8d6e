"""Looking for NaN in gradients: which operation of the forward pass sent the first one back."""

from __future__ import annotations

from lazygrad.autograd.gradient_function import gradient_function
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.settings import Settings
from lazygrad.ir.user_warning import warn_user
from lazygrad.tensor import Tensor, realize_all


class _Anomaly(Settings):
    enabled = False
    check_nan = True


_anomaly = _Anomaly()


def is_anomaly_enabled() -> bool:
    """Whether `detect_anomaly` or `set_detect_anomaly` is on."""
    return _anomaly.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether gradients are searched for NaN while anomaly detection is on."""
    return _anomaly.check_nan


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch anomaly detection on or off, see `set_detect_anomaly`."""
    _anomaly.enabled, _anomaly.check_nan = mode, check_nan


class set_detect_anomaly:
    """Switch anomaly detection on or off at once; as a context manager, until its end.

    Args:
        mode: on or off.
        check_nan: whether a NaN in a gradient raises RuntimeError, which names the line of the forward operation.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._outer = (_anomaly.enabled, _anomaly.check_nan)
        _anomaly.enabled, _anomaly.check_nan = mode, check_nan

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _anomaly.enabled, _anomaly.check_nan = self._outer


class detect_anomaly:
    """Within this context every backward pass is computed at once and searched for NaN.

    The first operation that sends one back raises RuntimeError naming the line that recorded it.

    Args:
        check_nan: False switches the search off.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        self._outer = (_anomaly.enabled, _anomaly.check_nan)
        warn_user(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
        )

    def __enter__(self) -> None:
        self._outer = (_anomaly.enabled, _anomaly.check_nan)
        _anomaly.enabled, _anomaly.check_nan = True, self._check_nan

    def __exit__(self, *_: object) -> None:
        _anomaly.enabled, _anomaly.check_nan = self._outer


def looks_for_nan() -> bool:
    """Whether a backward pass has to look at what its operations return."""
    return _anomaly.enabled and _anomaly.check_nan


class NaNWatch:
    """Collects what the operations of one backward pass return; all of it is computed by one program in the end."""

    def __init__(self) -> None:
        self._returned: list[tuple[Node, int, Node]] = []

    def add(self, node: Node, parts: tuple[Node | None, ...]) -> None:
        """Operation ``node`` returned ``parts``, one gradient per input."""
        for position, part in enumerate(parts):
            if part is not None and part.dtype.differentiable:
                self._returned.append((node, position, part))

    def check(self) -> None:
        """Raise RuntimeError for the first operation of the pass that returned NaN."""
        flags = [Tensor.from_node(ew.isnan(part)).any() for _, _, part in self._returned]
        realize_all(flags)
        for flag, (node, position, _) in zip(flags, self._returned, strict=True):
            if bool(flag.item()):
                name = gradient_function(node).name()
                where = f" It was recorded at {node.origin.place}." if node.origin is not None else ""
                said = f"Function '{name}' returned nan values in its {position}th output.{where}"
                raise RuntimeError(said + _said_of_forward(node))


def _said_of_forward(node: Node) -> str:
    """Which operation of the forward pass made the first NaN, if what ``node`` computes from it has one."""
    order = [
        each for each in topological_order([node]) if each.dtype.differentiable and each.op.kind is not Kind.GRADIENT
    ]
    flags = [Tensor.from_node(ew.isnan(each)).any() for each in order]
    try:
        realize_all(flags)
    except RuntimeError:  # the memory of some value was used again
        return ""
    first = next((each for each, flag in zip(order, flags, strict=True) if flag.item()), None)
    if first is None:
        return ""
    if not first.inputs:
        return " The forward pass was given NaN."
    where = f", recorded at {first.origin.place}" if first.origin is not None else ""
    return f" The first NaN of the forward pass is that of '{first.op.name}'{where}."
