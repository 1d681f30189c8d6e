"""Boxes [..., 4] around things in images: their formats, areas and overlaps, and which of them to keep."""

from __future__ import annotations

import math

import numpy as np

from lazygrad.grad_mode import no_grad
from lazygrad.ops.creation.sharing import from_numpy
from lazygrad.ops.public import atan, maximum, minimum, stack, where, zeros
from lazygrad.tensor import Tensor

__all__ = """
batched_nms box_area box_convert box_iou clip_boxes_to_image complete_box_iou distance_box_iou generalized_box_iou
masks_to_boxes nms remove_small_boxes
""".split()

_FORMATS = ("xyxy", "xywh", "cxcywh")


def _check(*formats: str) -> None:
    for name in formats:
        if name not in _FORMATS:
            raise ValueError(f"Unsupported format of boxes: {name}; lazygrad knows {', '.join(_FORMATS)}")


def box_convert(boxes: Tensor, in_fmt: str, out_fmt: str) -> Tensor:
    """Boxes in another format: corners "xyxy", corner and size "xywh", or center and size "cxcywh".

    Raises:
        ValueError: another format.
    """
    _check(in_fmt, out_fmt)
    if in_fmt == out_fmt:
        return boxes.clone()
    first, second, third, fourth = boxes.unbind(-1)
    if in_fmt == "xyxy":
        left, top, right, bottom = first, second, third, fourth
    elif in_fmt == "xywh":
        left, top, right, bottom = first, second, first + third, second + fourth
    else:
        left, top, right, bottom = (
            first - 0.5 * third,
            second - 0.5 * fourth,
            first + 0.5 * third,
            second + 0.5 * fourth,
        )
    if out_fmt == "xyxy":
        return stack([left, top, right, bottom], -1)
    if out_fmt == "xywh":
        return stack([left, top, right - left, bottom - top], -1)
    return stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top], -1)


def box_area(boxes: Tensor, fmt: str = "xyxy") -> Tensor:
    """Their areas.

    Raises:
        ValueError: another format.
    """
    _check(fmt)
    boxes = _upcast(boxes)
    if fmt == "xyxy":
        return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])
    return boxes[..., 2] * boxes[..., 3]


def _upcast(values: Tensor) -> Tensor:
    """Numbers large enough for products."""
    wide = values.element_size() >= 4
    return values if wide else values.float() if values.is_floating_point() else values.int()


def _sides(boxes1: Tensor, boxes2: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The corners of all pairs: top left and bottom right of each first one, and of each second one."""
    return boxes1[..., None, :2], boxes1[..., None, 2:], boxes2[..., None, :, :2], boxes2[..., None, :, 2:]


def _shared_and_all(boxes1: Tensor, boxes2: Tensor) -> tuple[Tensor, Tensor]:
    """Areas of intersections and of unions."""
    start1, end1, start2, end2 = _sides(boxes1, boxes2)
    size = _upcast(minimum(end1, end2) - maximum(start1, start2)).clamp(min=0)
    shared = size[..., 0] * size[..., 1]
    return shared, box_area(boxes1)[..., None] + box_area(boxes2)[..., None, :] - shared


def _around(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Width and height of the smallest boxes around pairs."""
    start1, end1, start2, end2 = _sides(boxes1, boxes2)
    return _upcast(maximum(end1, end2) - minimum(start1, start2)).clamp(min=0)


def box_iou(boxes1: Tensor, boxes2: Tensor, fmt: str = "xyxy") -> Tensor:
    """Intersection over union of all pairs, [..., N, M] of [..., N, 4] and [..., M, 4].

    Raises:
        ValueError: another format.
    """
    if fmt != "xyxy":
        boxes1, boxes2 = box_convert(boxes1, fmt, "xyxy"), box_convert(boxes2, fmt, "xyxy")
    shared, both = _shared_and_all(boxes1, boxes2)
    return shared / both


def generalized_box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """`box_iou` less the empty share of the smallest box around both: Rezatofighi et al., arXiv:1902.09630."""
    shared, both = _shared_and_all(boxes1, boxes2)
    size = _around(boxes1, boxes2)
    around = size[..., 0] * size[..., 1]
    return shared / both - (around - both) / around


def distance_box_iou(boxes1: Tensor, boxes2: Tensor, eps: float = 1e-7) -> Tensor:
    """`box_iou` less the distance of the centers, in terms of the diagonal: Zheng et al., arXiv:1911.08287."""
    boxes1, boxes2 = _upcast(boxes1), _upcast(boxes2)
    diagonal = _around(boxes1, boxes2).pow(2).sum(-1) + eps
    start1, end1, start2, end2 = _sides(boxes1, boxes2)
    between = ((start1 + end1) / 2 - (start2 + end2) / 2).pow(2).sum(-1)
    return box_iou(boxes1, boxes2) - between / diagonal


def complete_box_iou(boxes1: Tensor, boxes2: Tensor, eps: float = 1e-7) -> Tensor:
    """`distance_box_iou` less the difference of the shapes: the same paper's section on CIoU."""
    boxes1, boxes2 = _upcast(boxes1), _upcast(boxes2)
    start1, end1, start2, end2 = _sides(boxes1, boxes2)
    (width1, height1), (width2, height2) = (end1 - start1).unbind(-1), (end2 - start2).unbind(-1)
    apart = 4 / math.pi**2 * (atan(width1 / height1) - atan(width2 / height2)).pow(2)
    with no_grad():
        share = apart / (1 - box_iou(boxes1, boxes2) + apart + eps)
    return distance_box_iou(boxes1, boxes2, eps) - share * apart


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Which boxes to keep, the best first: each one drops those after it that it overlaps by more than the threshold.

    Args:
        boxes: corners, [N, 4].
        scores: [N].
        iou_threshold: of `box_iou`.

    Returns:
        Their numbers, int64. Reads the values.

    Raises:
        ValueError: other shapes.
    """
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise ValueError(f"nms takes boxes [N, 4] and scores [N], got {list(boxes.shape)} and {list(scores.shape)}")
    values = boxes.detach().cpu().numpy()
    order = np.argsort(-scores.detach().cpu().numpy(), kind="stable")
    areas = (values[:, 2] - values[:, 0]) * (values[:, 3] - values[:, 1])
    kept = []
    while order.size:
        best, order = order[0], order[1:]
        kept.append(best)
        start, end = np.maximum(values[best, :2], values[order, :2]), np.minimum(values[best, 2:], values[order, 2:])
        shared = np.prod(np.maximum(end - start, 0), axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            order = order[~(shared / (areas[best] + areas[order] - shared) > iou_threshold)]
    return from_numpy(np.array(kept, np.int64)).to(boxes.device)


def batched_nms(boxes: Tensor, scores: Tensor, idxs: Tensor, iou_threshold: float) -> Tensor:
    """`nms` within each class, whose numbers ``idxs`` are."""
    if boxes.numel() == 0:
        return zeros(0, dtype=idxs.dtype, device=boxes.device).long()
    apart = idxs.to(boxes.dtype) * (boxes.max() + 1)  # boxes of different classes do not touch
    return nms(boxes + apart[:, None], scores, iou_threshold)


def remove_small_boxes(boxes: Tensor, min_size: float) -> Tensor:
    """The numbers of the boxes whose sides are not below ``min_size``."""
    width, height = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
    found: Tensor = where((width >= min_size) & (height >= min_size))[0]
    return found


def clip_boxes_to_image(boxes: Tensor, size: tuple[int, int]) -> Tensor:
    """The parts of boxes that are within an image of ``size`` (height, width)."""
    height, width = size
    across, down = boxes[..., 0::2].clamp(0, width), boxes[..., 1::2].clamp(0, height)
    return stack([across, down], -1).reshape(boxes.shape)


def masks_to_boxes(masks: Tensor) -> Tensor:
    """The corners [N, 4] of the smallest boxes around what is not zero in masks [N, height, width]; zeros for none."""
    if masks.numel() == 0:
        return zeros(0, 4, device=masks.device)
    sides = []
    for line in (masks.bool().any(1), masks.bool().any(2)):  # columns, then rows
        first = line.float().argmax(1)
        last = line.shape[1] - 1 - line.flip(1).float().argmax(1)
        sides.append((first, last))
    (left, right), (top, bottom) = sides
    some = masks.bool().flatten(1).any(1)
    return stack([left, top, right, bottom], 1).float() * some[:, None]
