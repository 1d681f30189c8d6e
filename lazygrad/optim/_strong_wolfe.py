"""A line search along a direction, until the strong Wolfe conditions hold.

Source: Nocedal and Wright, "Numerical optimization", 2006, algorithms 3.5 and 3.6, with the safeguards of minFunc
(Schmidt, 2005), which PyTorch has, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from lazygrad.tensor import Tensor

_SUFFICIENT_DECREASE = 1e-4
_CURVATURE = 0.9
_SMALLEST_CHANGE = 1e-9


@dataclass
class Point:
    """What is known of one step size.

    Attributes:
        step: the step size t.
        loss: the loss at x + t·d.
        gradient: its gradient there, a vector.
        slope: the gradient along d.
    """

    step: float
    loss: float
    gradient: Tensor
    slope: float


def strong_wolfe(
    evaluate: Callable[[float], Point], start: Point, first: float, largest_change: float, max_evaluations: int
) -> tuple[Point, int]:
    """A point at which the loss is lower and the slope flatter, and how often the loss was computed.

    Args:
        evaluate: computes the loss at a step size.
        start: the point of step size 0.
        first: the step size to begin with.
        largest_change: the largest magnitude in the direction.
        max_evaluations: how many further step sizes may be tried.
    """
    bracket, tried, is_done = _bracketing(evaluate, start, first, max_evaluations)
    evaluations = tried + 1
    if len(bracket) == 1:
        return bracket[0], evaluations
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    made_little_progress = False
    while not is_done and tried < max_evaluations:
        if abs(bracket[1].step - bracket[0].step) * largest_change < _SMALLEST_CHANGE:
            break
        step, made_little_progress = _inside(
            bracket, _minimum_of_cubic(bracket[0], bracket[1], None), made_little_progress
        )
        new = evaluate(step)
        evaluations += 1
        tried += 1
        if _is_too_high(new, start) or new.loss >= bracket[low].loss:
            bracket[high] = new
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        if _is_flat(new, start):
            is_done = True
        elif new.slope * (bracket[high].step - bracket[low].step) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
    return bracket[low], evaluations


def _bracketing(
    evaluate: Callable[[float], Point], start: Point, first: float, max_evaluations: int
) -> tuple[list[Point], int, bool]:
    """Two points with a good one between them, or the good one alone; how many steps were made, and whether it is."""
    before, new = start, evaluate(first)
    tried = 0
    while tried < max_evaluations:
        if _is_too_high(new, start) or (tried > 1 and new.loss >= before.loss):
            return [before, new], tried, False
        if _is_flat(new, start):
            return [new], tried, True
        if new.slope >= 0:
            return [before, new], tried, False
        limits = new.step + 0.01 * (new.step - before.step), new.step * 10
        before, new = new, evaluate(_minimum_of_cubic(before, new, limits))
        tried += 1
    return [start, new], tried, False


def _is_too_high(point: Point, start: Point) -> bool:
    return point.loss > start.loss + _SUFFICIENT_DECREASE * point.step * start.slope


def _is_flat(point: Point, start: Point) -> bool:
    return abs(point.slope) <= -_CURVATURE * start.slope


def _minimum_of_cubic(first: Point, second: Point, limits: tuple[float, float] | None) -> float:
    """Where the cubic through two points with their slopes is lowest, within ``limits``, else between the points."""
    left, right = (first, second) if first.step <= second.step else (second, first)
    lowest, highest = limits or (left.step, right.step)
    middle = first.slope + second.slope - 3 * (first.loss - second.loss) / (first.step - second.step)
    square = middle**2 - first.slope * second.slope
    if not square >= 0:
        return (lowest + highest) / 2.0
    root = math.sqrt(square)
    scale = right.slope - left.slope + 2 * root
    if scale == 0:
        return (lowest + highest) / 2.0
    share = (right.slope + root - middle) / scale
    return min(max(right.step - (right.step - left.step) * share, lowest), highest)


def _inside(bracket: list[Point], step: float, made_little_progress: bool) -> tuple[float, bool]:
    """A step size that is not too near to an end of the bracket twice, and whether it is near to one."""
    lowest, highest = sorted(point.step for point in bracket)
    margin = 0.1 * (highest - lowest)
    if min(highest - step, step - lowest) >= margin:
        return step, False
    if not made_little_progress and lowest < step < highest:
        return step, True
    is_near_highest = abs(step - highest) < abs(step - lowest)
    return (highest - margin if is_near_highest else lowest + margin), False
