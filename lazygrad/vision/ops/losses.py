"""Losses of detectors."""

from __future__ import annotations

import math

from lazygrad.grad_mode import no_grad
from lazygrad.nn import functional as F
from lazygrad.ops.public import atan, maximum, minimum
from lazygrad.tensor import Tensor

__all__ = ["complete_box_iou_loss", "distance_box_iou_loss", "generalized_box_iou_loss", "sigmoid_focal_loss"]


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return loss.mean() if loss.numel() > 0 else 0.0 * loss.sum()
    if reduction == "sum":
        return loss.sum()
    if reduction != "none":
        raise ValueError(
            f"Invalid Value for arg 'reduction': '{reduction} \n Supported reduction modes: 'none', 'mean', 'sum'"
        )
    return loss


def sigmoid_focal_loss(
    inputs: Tensor, targets: Tensor, alpha: float = 0.25, gamma: float = 2, reduction: str = "none"
) -> Tensor:
    """Binary cross entropy in which what is right already counts little: Lin et al., arXiv:1708.02002, equation 5.

    Args:
        inputs: logits.
        targets: 0 and 1, of their shape.
        alpha: weight of ones; -1 for none.
        gamma: how much less right answers count.
        reduction: "none", "mean" or "sum".

    Raises:
        ValueError: another reduction, or ``alpha`` is no share.
    """
    if not 0 <= alpha <= 1 and alpha != -1:
        raise ValueError(f"Invalid alpha value: {alpha}. alpha must be in the range [0,1] or -1 for ignore.")
    ones = inputs.sigmoid()
    right = ones * targets + (1 - ones) * (1 - targets)
    loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none") * (1 - right) ** gamma
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    return _reduced(loss, reduction)


def _overlap(boxes1: Tensor, boxes2: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Intersection over union and union of pairs of boxes [..., 4], and the sizes of the smallest boxes around them."""
    shared = (
        (minimum(boxes1[..., 2:], boxes2[..., 2:]) - maximum(boxes1[..., :2], boxes2[..., :2])).clamp(min=0).prod(-1)
    )
    areas = [(boxes[..., 2:] - boxes[..., :2]).prod(-1) for boxes in (boxes1, boxes2)]
    union = areas[0] + areas[1] - shared
    around = maximum(boxes1[..., 2:], boxes2[..., 2:]) - minimum(boxes1[..., :2], boxes2[..., :2])
    return shared / (union + eps), union, around


def _floats(boxes: Tensor) -> Tensor:
    return boxes if boxes.is_floating_point() and boxes.element_size() >= 4 else boxes.float()


def generalized_box_iou_loss(boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7) -> Tensor:
    """1 less the generalized overlap of pairs of boxes [..., 4]; see `generalized_box_iou`.

    Raises:
        ValueError: another reduction.
    """
    iou, union, around = _overlap(_floats(boxes1), _floats(boxes2), eps)
    area = around.prod(-1)
    return _reduced(1 - (iou - (area - union) / (area + eps)), reduction)


def _distance_loss(boxes1: Tensor, boxes2: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    iou, _, around = _overlap(boxes1, boxes2, eps)
    diagonal = around.pow(2).sum(-1) + eps
    between = ((boxes1[..., 2:] + boxes1[..., :2]) / 2 - (boxes2[..., 2:] + boxes2[..., :2]) / 2).pow(2).sum(-1)
    return 1 - iou + between / diagonal, iou


def distance_box_iou_loss(boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7) -> Tensor:
    """1 less the overlap, more by the distance, of pairs of boxes [..., 4]; see `distance_box_iou`.

    Raises:
        ValueError: another reduction.
    """
    return _reduced(_distance_loss(_floats(boxes1), _floats(boxes2), eps)[0], reduction)


def complete_box_iou_loss(boxes1: Tensor, boxes2: Tensor, reduction: str = "none", eps: float = 1e-7) -> Tensor:
    """`distance_box_iou_loss` with the difference of the shapes; see `complete_box_iou`.

    Raises:
        ValueError: another reduction.
    """
    boxes1, boxes2 = _floats(boxes1), _floats(boxes2)
    loss, iou = _distance_loss(boxes1, boxes2, 1e-7)
    angles = [
        atan(size[..., 0] / size[..., 1]) for size in (boxes[..., 2:] - boxes[..., :2] for boxes in (boxes1, boxes2))
    ]
    apart = 4 / math.pi**2 * (angles[1] - angles[0]).pow(2)
    with no_grad():
        share = apart / (1 - iou + apart + eps)
    return _reduced(loss + share * apart, reduction)
