"""L-BFGS, with PyTorch's stopping rules and line search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazygrad.direct_access import memory_of
from lazygrad.grad_mode import enable_grad, no_grad
from lazygrad.host.quiet import quietly
from lazygrad.ir.dtype import DType, float32, float64
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.linalg.products import dot
from lazygrad.ops.shapes.joining import cat
from lazygrad.optim._options import as_number
from lazygrad.optim._pairs import as_pairs
from lazygrad.optim._strong_wolfe import Point, strong_wolfe
from lazygrad.optim.optimizer import Optimizer, Parameters, assign
from lazygrad.tensor import Tensor, realize_all
from lazygrad.tensor_parts import computed_tensor

Closure = Callable[[], Any]

_KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")
_MOST_BYTES = 1 << 20  # of a vector whose direction numpy computes
_DTYPES: tuple[DType, ...] = (float32, float64)  # of such a vector


class LBFGS(Optimizer):
    """A quasi-Newton method: the inverse Hessian is estimated from the last steps and changes of the gradient.

    Source: Nocedal and Wright, "Numerical optimization", 2006, algorithm 7.4. All parameters are one vector in it.

    Args:
        params: see `Optimizer`; one group.
        lr: the step size, or the first one that a line search tries.
        max_iter: iterations per `step`.
        max_eval: how often a `step` may compute the loss; 1.25 times ``max_iter`` when left out.
        tolerance_grad: a `step` ends when no element of the gradient is larger.
        tolerance_change: a `step` ends when parameters or loss change by less.
        history_size: how many steps the estimate is made from.
        line_search_fn: ``"strong_wolfe"``, or None for steps of ``lr``.

    Raises:
        ValueError: a negative learning rate, or several groups.
    """

    def __init__(
        self,
        params: Parameters,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not as_number(lr) >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Closure | None = None) -> Any:
        """Makes up to ``max_iter`` iterations.

        Args:
            closure: clears the gradients, computes the loss and its gradients, and returns the loss.

        Returns:
            The loss before the first iteration.

        Raises:
            TypeError: no closure.
            RuntimeError: an unknown line search.
        """
        if closure is None:
            raise TypeError("LBFGS.step() needs a closure that computes the loss again")
        with no_grad():
            return _Step(self, closure).run()


class _Step:
    """One call of `LBFGS.step`.

    Attributes:
        state: what lasts from call to call, under PyTorch's names; kept with the first parameter.
        kept: what of it a call writes at its end, in PyTorch's order.
        evaluations: how often the loss was computed.
    """

    def __init__(self, optimizer: LBFGS, closure: Closure) -> None:
        self.options = optimizer.param_groups[0]
        self.parameters: list[Tensor] = self.options["params"]
        self.state = optimizer.state[self.parameters[0]]
        self.kept: dict[str, Any] = {name: self.state.get(name) for name in _KEPT}
        self.closure = enable_grad()(closure)
        self.evaluations = 0

    def run(self) -> Any:
        state, kept, options = self.state, self.kept, self.options
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = self.closure()
        self._count_evaluations(1)
        loss, gradient = _number(first_loss), self._flat_gradient()
        if self._is_flat(gradient):
            return first_loss
        iteration = 0
        while iteration < options["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            self._choose_direction(gradient)
            kept["prev_flat_grad"], kept["prev_loss"] = gradient, loss
            step = as_number(options["lr"])
            if state["n_iter"] == 1:
                step *= min(1.0, 1.0 / gradient.abs().sum().item())
            kept["t"] = step
            slope = dot(gradient, kept["d"]).item()
            if slope > -options["tolerance_change"]:
                break
            is_last = iteration == options["max_iter"]
            loss, gradient = self._move(Point(0.0, loss, gradient, slope), is_last)
            if is_last or self.evaluations >= options["max_eval"] or self._has_converged(loss, gradient):
                break
        state.update(kept)
        realize_all(self.parameters)
        return first_loss

    def _has_converged(self, loss: float, gradient: Tensor) -> bool:
        tolerance = self.options["tolerance_change"]
        if self._is_flat(gradient) or abs(loss - self.kept["prev_loss"]) < tolerance:
            return True
        return bool((self.kept["d"] * self.kept["t"]).abs().max().item() <= tolerance)

    def _is_flat(self, gradient: Tensor) -> bool:
        return bool(gradient.abs().max().item() <= self.options["tolerance_grad"])

    def _count_evaluations(self, count: int) -> None:
        self.evaluations += count
        self.state["func_evals"] += count

    # The direction.

    def _choose_direction(self, gradient: Tensor) -> None:
        """Writes the next direction to ``kept["d"]``: minus the estimated inverse Hessian times the gradient."""
        state, kept = self.state, self.kept
        if state["n_iter"] == 1:
            kept["old_dirs"], kept["old_stps"], kept["ro"], kept["H_diag"] = [], [], [], 1
            kept["d"] = -gradient
            return
        self._remember(gradient - kept["prev_flat_grad"], kept["d"] * float(kept["t"]))
        pairs = list(zip(kept["old_dirs"], kept["old_stps"], kept["ro"], strict=True))
        shares: list[Any] = state.setdefault("al", [None] * self.options["history_size"])
        found = _direction_now(gradient, pairs, kept["H_diag"], shares)
        kept["d"] = _direction(gradient, pairs, kept["H_diag"], shares, dot) if found is None else found

    def _remember(self, change: Tensor, moved: Tensor) -> None:
        """Adds how the gradient changed in a step, where the curvature along it is positive."""
        kept = self.kept
        curvature = dot(change, moved)
        if not curvature.item() > 1e-10:
            return
        pairs = kept["old_dirs"], kept["old_stps"], kept["ro"]
        if len(kept["old_dirs"]) == self.options["history_size"]:
            for each in pairs:
                each.pop(0)
        for each, new in zip(pairs, (change, moved, 1.0 / curvature), strict=True):
            each.append(new)
        kept["H_diag"] = curvature / dot(change, change)

    # The step along it.

    def _move(self, start: Point, is_last: bool) -> tuple[float, Tensor]:
        """Moves the parameters; the loss and the gradient there, or the old ones if nobody asks for them any more."""
        search, direction, step = self.options["line_search_fn"], self.kept["d"], self.kept["t"]
        if search is None:
            self._add(step, direction)
            if is_last:
                return start.loss, start.gradient
            self._count_evaluations(1)
            return _number(self.closure()), self._flat_gradient()
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        origin = [parameter.detach().clone() for parameter in self.parameters]

        def evaluate(step: float) -> Point:
            self._add(step, direction)
            loss, gradient = _number(self.closure()), self._flat_gradient()
            for parameter, value in zip(self.parameters, origin, strict=True):
                assign(parameter, value)
            return Point(step, loss, gradient, dot(gradient, direction).item())

        left = self.options["max_eval"] - self.evaluations
        point, evaluations = strong_wolfe(evaluate, start, step, direction.abs().max().item(), left)
        self._count_evaluations(evaluations)
        self.kept["t"] = point.step
        self._add(point.step, direction)
        return point.loss, point.gradient

    def _add(self, step: float, direction: Tensor) -> None:
        start = 0
        for parameter in map(as_pairs, self.parameters):
            part = direction[start : start + parameter.numel()].view(parameter.shape)
            assign(parameter, parameter + part * step)
            start += parameter.numel()

    def _flat_gradient(self) -> Tensor:
        """The gradients of all parameters as one vector, zeros where there is none."""
        parts = []
        for parameter in self.parameters:
            gradient: Any = parameter.grad
            if gradient is None:
                count = parameter.numel() * (2 if parameter.dtype.is_complex else 1)
                parts.append(zeros(count, dtype=as_pairs(parameter).dtype, device=parameter.device))
                continue
            gradient = gradient.to_dense() if gradient.is_sparse else gradient
            parts.append(as_pairs(gradient).reshape(-1))
        return cat(parts)


def _number(loss: Any) -> float:
    return float(loss.detach() if isinstance(loss, Tensor) else loss)


def _direction(gradient: Any, pairs: list[tuple[Any, Any, Any]], scale: Any, shares: list[Any], dot: Any) -> Any:
    """Minus the estimated inverse Hessian times the gradient.

    Args:
        gradient: a vector, a tensor or an array of numpy's, as all that follows.
        pairs: how the gradient changed in each step, how the parameters moved, and 1 through the product of both.
        scale: of the estimate that the pairs refine, the identity times this.
        shares: of each pair in the direction; written.
        dot: the product of two vectors.
    """
    direction = -gradient
    for number in reversed(range(len(pairs))):
        change, moved, inverse = pairs[number]
        shares[number] = dot(moved, direction) * inverse
        direction = direction - shares[number] * change
    direction = direction * scale
    for number, (change, moved, inverse) in enumerate(pairs):
        direction = direction + (shares[number] - dot(change, direction) * inverse) * moved
    return direction


def _direction_now(
    gradient: Tensor, pairs: list[tuple[Tensor, Tensor, Tensor]], scale: Any, shares: list[Any]
) -> Tensor | None:
    """`_direction` of short vectors that are computed; None where it has to be recorded.

    While the history grows each direction is another program, of hundreds of operations on short vectors: to record
    and to interpret it takes ten times as long as numpy needs.
    """
    dtype = gradient.dtype
    if dtype not in _DTYPES or dtype.itemsize * gradient.numel() > _MOST_BYTES or memory_of(gradient) is None:
        return None
    kept = [part for pair in pairs for part in pair]
    realize_all([*kept, scale] if isinstance(scale, Tensor) else kept)
    start, factor, *parts = (memory_of(each) if isinstance(each, Tensor) else each for each in (gradient, scale, *kept))
    if start is None or factor is None or any(part is None for part in parts):
        return None
    arrays = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    found = quietly(_direction, start, arrays, factor, shares, np.dot)
    shares[: len(pairs)] = [computed_tensor(np.asarray(share), dtype) for share in shares[: len(pairs)]]
    return computed_tensor(found, dtype)
