"""Operations for images beside torchvision's, whose compiled ones are written out here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.vision import ops
from tests.oracle.comparing import assert_close

# With O for the module of operations, D for the framework, a and b for boxes, x for features, m for masks.
SAME = """
O.box_convert(a, "xyxy", "cxcywh")
O.box_convert(a, "xywh", "cxcywh")
O.box_convert(a, "cxcywh", "xyxy")
O.box_convert(a, "cxcywh", "xywh")
O.box_area(a), O.box_area(a, "xywh"), O.box_area(a.to(D.int16))
O.box_iou(a, b), O.box_iou(a, b, fmt="cxcywh"), O.box_iou(a[None], b[None])
O.generalized_box_iou(a, b)
O.distance_box_iou(a, b)
O.complete_box_iou(a, b)
O.clip_boxes_to_image(a, (7, 9))
O.remove_small_boxes(a, 4.5)
O.masks_to_boxes(m)
O.generalized_box_iou_loss(a, b), O.generalized_box_iou_loss(a, b, "mean")
O.distance_box_iou_loss(a, b, "sum")
O.complete_box_iou_loss(a, b)
O.sigmoid_focal_loss(a - 5, (b > 5).float()), O.sigmoid_focal_loss(a - 5, (b > 5).float(), -1, 1.5, "mean")
O.stochastic_depth(x, 0.4, "row"), O.stochastic_depth(x, 0.4, "batch"), O.stochastic_depth(x, 0.4, "row", False)
O.drop_block2d(x, 0.3, 3), O.DropBlock2d(0.2, 5).eval()(x)
O.drop_block3d(x[None], 0.3, 3)
O.MLP(9, [4, 3], D.nn.LayerNorm, dropout=0.2)(x)
O.SqueezeExcitation(3, 2)(x)
O.FrozenBatchNorm2d(3)(x)
O.Conv2dNormActivation(3, 4, (1, 3), dilation=2)(x)
list(O.FeaturePyramidNetwork([3, 3], 5)({"a": x, "b": x[..., ::2, ::2]}).values())
list(O.FeaturePyramidNetwork([3], 5, O.feature_pyramid_network.LastLevelMaxPool())({"a": x}).items())
list(O.FeaturePyramidNetwork([3], 5, O.feature_pyramid_network.LastLevelP6P7(3, 5))({"a": x}).items())
""".strip().splitlines()
REFUSED = """
O.box_convert(a, "x", "xyxy")
O.box_area(a, "x")
O.sigmoid_focal_loss(a, b, 3)
O.distance_box_iou_loss(a, b, "x")
O.stochastic_depth(x, 2, "row")
O.stochastic_depth(x, 0.5, "x")
O.drop_block2d(a, 0.5, 3)
O.drop_block2d(x, 0.5, 2)
O.FeaturePyramidNetwork([0], 5)
O.roi_align(x, a, 2)
""".strip().splitlines()
REPRS = """
O.FrozenBatchNorm2d(3)
O.StochasticDepth(0.1, "row")
O.DropBlock3d(0.1, 3)
O.RoIAlign((2, 3), 0.5, 2)
O.RoIPool(2, 1.0)
O.Conv3dNormActivation(3, 4)
O.FeaturePyramidNetwork([3], 5)
O.Permute([0, 1])
""".strip().splitlines()


@pytest.fixture(scope="module")
def theirs(torchvision: Any) -> Any:
    import torchvision.ops

    return torchvision.ops


def value(source: str, module: Any, framework: Any) -> Any:
    drawn = np.random.default_rng(0)
    boxes = drawn.uniform(0, 8, (2, 6, 4)).astype(np.float32)
    boxes[..., 2:] += boxes[..., :2]
    masks = drawn.random((4, 5, 6)) > 0.8
    masks[2] = False
    framework.manual_seed(0)
    names = {"O": module, "D": framework, "a": framework.tensor(boxes[0]), "b": framework.tensor(boxes[1])}
    names |= {"x": framework.tensor(drawn.random((2, 3, 8, 9), np.float32)), "m": framework.tensor(masks)}
    return eval(source, names)


@pytest.mark.parametrize("source", SAME)
def test_values(source: str, theirs: Any) -> None:
    import torch

    assert_close(value(source, ops, lg), value(source, theirs, torch), slack=4)


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_refused(source: str, theirs: Any) -> None:
    import torch

    errors = []
    for module, framework in ((ops, lg), (theirs, torch)):
        with pytest.raises(Exception) as caught:
            value(source, module, framework)
        errors.append(type(caught.value).__name__)
    assert errors[0] == errors[1]


@pytest.mark.parametrize("source", REPRS)
def test_reprs(source: str, theirs: Any) -> None:
    import torch

    assert repr(value(source, ops, lg)) == repr(value(source, theirs, torch))


@pytest.mark.parametrize("ratio", [2, -1])
@pytest.mark.parametrize("aligned", [False, True])
def test_roi_align(ratio: int, aligned: bool, theirs: Any) -> None:
    import torch
    from torchvision.ops.roi_align import _roi_align

    drawn = np.random.default_rng(1)
    features = drawn.random((2, 3, 12, 10), np.float32)
    corners = np.array([[0, 2, 3, 12, 17], [1, 0, 0, 19, 23], [1, 5.5, 2.25, 9, 20.5]], np.float32)
    weights = drawn.random((3, 3, 3, 2), np.float32)
    ours, other = lg.tensor(features, requires_grad=True), torch.tensor(features, requires_grad=True)
    have = ops.roi_align(ours, lg.tensor(corners), (3, 2), 0.5, ratio, aligned)
    want = _roi_align.__wrapped__(other, torch.tensor(corners), 0.5, 3, 2, ratio, aligned)
    (have * lg.tensor(weights)).sum().backward()
    (want * torch.tensor(weights)).sum().backward()
    assert_close([have, ours.grad], [want, other.grad], slack=4)
    listed = ops.roi_align(ours, [lg.tensor(corners[:1, 1:]), lg.tensor(corners[1:, 1:])], (3, 2), 0.5, ratio, aligned)
    assert_close(listed, have)


def test_roi_pool() -> None:
    features = np.random.default_rng(2).standard_normal((2, 2, 7, 6)).astype(np.float32)
    corners = np.array([[0, 2, 3, 9, 11], [1, 0, 0, 4, 2], [1, 9, 9, 30, 30]], np.float32)
    have = ops.roi_pool(lg.tensor(features), lg.tensor(corners), (3, 2), 0.5).numpy()
    for number, (image, *sides) in enumerate(corners):
        left, top, right, bottom = (int(np.floor(side * 0.5 + 0.5)) for side in sides)
        height, width = max(bottom - top + 1, 1) / 3, max(right - left + 1, 1) / 2
        for i in range(3):
            for j in range(2):
                rows = slice(
                    *(np.clip([np.floor(i * height) + top, np.ceil((i + 1) * height) + top], 0, 7).astype(int))
                )
                columns = slice(
                    *(np.clip([np.floor(j * width) + left, np.ceil((j + 1) * width) + left], 0, 6).astype(int))
                )
                cell = features[int(image), :, rows, columns]
                want = cell.max((1, 2)) if cell.size else np.zeros(2)
                assert np.array_equal(have[number, :, i, j], want)


def test_nms() -> None:
    """The definition: a box stays if no better box that stays overlaps it by more than the threshold."""
    drawn = np.random.default_rng(3)
    corners = drawn.uniform(0, 10, (40, 4)).astype(np.float32)
    corners[:, 2:] = corners[:, :2] + corners[:, 2:] / 2 + 1
    scores, classes = drawn.random(40, np.float32), drawn.integers(0, 3, 40)
    boxes = lg.tensor(corners)
    overlaps = ops.box_iou(boxes, boxes).numpy()

    def kept(may_drop: Any) -> list[int]:
        found: list[int] = []
        for each in np.argsort(-scores):
            if not any(overlaps[each, better] > 0.3 and may_drop(each, better) for better in found):
                found.append(int(each))
        return found

    assert ops.nms(boxes, lg.tensor(scores), 0.3).tolist() == kept(lambda each, better: True)
    given = ops.batched_nms(boxes, lg.tensor(scores), lg.tensor(classes), 0.3).tolist()
    assert given == kept(lambda each, better: classes[each] == classes[better])
    assert ops.nms(boxes[:0], lg.tensor(scores[:0]), 0.3).tolist() == []
    with pytest.raises(ValueError, match="scores"):
        ops.nms(boxes, lg.tensor(scores[:3]), 0.3)


def test_names_are_those_of_torchvision(theirs: Any) -> None:
    not_built = {"DeformConv2d", "deform_conv2d", "PSRoIAlign", "PSRoIPool", "ps_roi_align", "ps_roi_pool"}
    not_built |= {"MultiScaleRoIAlign"}
    assert set(theirs.__all__) - set(vars(ops)) == not_built
