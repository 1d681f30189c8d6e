"""Loss scaling: gradients multiplied by a power of two before backward, divided again before the step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from lazygrad.grad_mode import no_grad
from lazygrad.host.allocator import why_unavailable
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import float32
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.creation.filled import full
from lazygrad.ops.pointwise.relational import isfinite
from lazygrad.ops.reductions.sums import all as all_of
from lazygrad.tensor import Tensor


class _Optimizer(Protocol):
    param_groups: list[dict[str, Any]]

    def step(self, *args: Any, **kwargs: Any) -> Any: ...


@dataclass
class _SinceUpdate:
    """What has happened to an optimizer since the last update.

    Attributes:
        has_gradients: whether any were there to be unscaled.
        found_infinite: whether one of them was infinite or NaN.
        is_stepped: whether it was stepped, or the step was skipped.
    """

    has_gradients: bool
    found_infinite: bool
    is_stepped: bool = False


class GradScaler:
    """Scales a loss so that its gradients do not underflow in float16, and finds the largest scale that works.

        scaler.scale(loss).backward()
        scaler.step(optimizer)      # skipped when a gradient is infinite or NaN
        scaler.update()             # a smaller scale after such a step, a larger one after many good ones

    Source: P. Micikevicius et al., "Mixed precision training" (2018).

    Args:
        device: the type of device. Where CUDA cannot be used, one for "cuda" warns and is disabled, as PyTorch's is.
        init_scale: the first factor.
        growth_factor: what the scale is multiplied by after ``growth_interval`` good steps in a row.
        backoff_factor: what it is multiplied by after a step with infinite or NaN gradients.
        growth_interval: steps.
        enabled: False makes every method pass its argument through.

    Raises:
        AssertionError: a growth factor of at most 1, or a backoff factor of at least 1.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device == "cuda" and why_unavailable(Device("cuda", 0)) is not None:
            warn_user("lazygrad.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            enabled = False
        if enabled and growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if enabled and backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._device, self._enabled = device, enabled
        self._scale, self._good_steps = float(init_scale), 0
        self._growth, self._backoff, self._interval = growth_factor, backoff_factor, growth_interval
        self._has_scaled = False
        self._optimizers: dict[int, _SinceUpdate] = {}

    def scale(self, outputs: Any) -> Any:
        """A tensor, or tensors in lists, tuples and other iterables, times the scale.

        Raises:
            ValueError: something that is neither.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            self._has_scaled = True
            return outputs * full((), self._scale, dtype=float32)
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: _Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, for example to clip them before the step.

        Raises:
            AssertionError: nothing was scaled.
            RuntimeError: called twice between two updates, or after the step.
            ValueError: gradients in float16, which should be those of float32 parameters.
        """
        if not self._enabled:
            return
        self._require_scaled("unscale_")
        known = self._optimizers.get(id(optimizer))
        if known is not None:
            raise RuntimeError(
                "unscale_() is being called after step()."
                if known.is_stepped
                else "unscale_() has already been called on this optimizer since the last update()."
            )
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if any(gradient.dtype.name == "float16" for gradient in gradients):
            raise ValueError("Attempting to unscale FP16 gradients.")
        with no_grad():
            for gradient in gradients:
                gradient.mul_(1.0 / self._scale)
            finite = [all_of(isfinite(gradient)) for gradient in gradients]
        found_infinite = not all(bool(each) for each in finite)
        self._optimizers[id(optimizer)] = _SinceUpdate(bool(gradients), found_infinite)

    def step(self, optimizer: _Optimizer, *args: Any, **kwargs: Any) -> Any:
        """``optimizer.step(…)`` on unscaled gradients, unless one of them is infinite or NaN.

        Raises:
            AssertionError: nothing was scaled, or no parameter has a gradient.
            RuntimeError: called twice between two updates, or with a closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._require_scaled("step")
        if id(optimizer) not in self._optimizers:
            self.unscale_(optimizer)
        known = self._optimizers[id(optimizer)]
        if known.is_stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if not known.has_gradients:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if known.found_infinite else optimizer.step(*args, **kwargs)
        known.is_stepped = True
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Adjust the scale to what the last steps found.

        Raises:
            AssertionError: nothing was scaled, or no optimizer had gradients to step by since the last update.
        """
        if not self._enabled:
            return
        self._require_scaled("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not any(known.has_gradients for known in self._optimizers.values()):
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(known.found_infinite for known in self._optimizers.values()):
            self._scale, self._good_steps = self._scale * self._backoff, 0
        else:
            self._good_steps += 1
            if self._good_steps == self._interval:
                self._scale, self._good_steps = self._scale * self._growth, 0
        self._optimizers.clear()

    def _require_scaled(self, method: str) -> None:
        if not self._has_scaled:
            raise AssertionError(
                f"Attempted {method} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def get_scale(self) -> float:
        """The factor in use; 1 when disabled."""
        return self._scale if self._enabled else 1.0

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def get_growth_factor(self) -> float:
        """What the scale grows by."""
        return self._growth

    def set_growth_factor(self, new_factor: float) -> None:
        """Change what the scale grows by."""
        self._growth = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale shrinks by."""
        return self._backoff

    def set_backoff_factor(self, new_factor: float) -> None:
        """Change what the scale shrinks by."""
        self._backoff = new_factor

    def get_growth_interval(self) -> int:
        """Good steps until the scale grows."""
        return self._interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Change how many good steps it takes to grow."""
        self._interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` needs to go on; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth,
            "backoff_factor": self._backoff,
            "growth_interval": self._interval,
            "_growth_tracker": self._good_steps,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a saved state.

        Raises:
            RuntimeError: an empty state, from a disabled scaler.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance "
                               "of GradScaler.")  # fmt: skip
        self._scale = state_dict["scale"]
        self._growth, self._backoff = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._interval, self._good_steps = state_dict["growth_interval"], state_dict["_growth_tracker"]
