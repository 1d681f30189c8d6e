"""transforms.v2 beside torchvision's: the same sample from the same seed, labels and all."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from PIL import Image

import lazygrad as lg
from lazygrad.vision.transforms import v2
from tests.oracle.comparing import assert_close
from tests.vision.test_transforms import pixels

# With V for the module, and D for the framework.
OF_BOTH = """
V.Compose([V.Resize((20, 18)), V.RandomCrop((20, 9)), V.RandomHorizontalFlip(), V.RandomVerticalFlip(0.3)])
V.Compose([V.RandomResizedCrop(16), V.RandomApply([V.CenterCrop(9)], 0.6), V.Pad(2)])
V.RandomChoice([V.CenterCrop(9), V.CenterCrop(7), V.Identity()], [1, 2, 1])
V.RandomOrder([V.CenterCrop(9), V.RandomHorizontalFlip(), V.RandomCrop(7)])
V.RandomCrop(12, padding=4)
V.RandomGrayscale(0.5)
V.Compose([V.Grayscale(), V.RGB()])
V.Compose([V.ToImage(), V.ToDtype(D.float32, scale=True), V.Normalize([0.5] * 3, [0.2, 0.3, 0.4])])
V.Compose([V.ToImage(), V.ToDtype({"others": D.float32})])
V.Lambda(lambda label: label + 1, int)
V.RandomInvert()
V.RandomSolarize(100)
V.RandomPosterize(3)
""".strip().splitlines()
OF_TENSORS = """
V.RandomChannelPermutation()
V.GaussianNoise()
V.GaussianNoise(0.1, 0.3, clip=False)
V.Compose([V.ToDtype(D.float32), V.GaussianNoise(sigma=0.2), V.RandomErasing(1.0)])
V.ColorJitter(0.4, 0.3, 0.2, 0.1)
V.GaussianBlur(3)
""".strip().splitlines()


@pytest.fixture(scope="module")
def theirs(torchvision: Any) -> Any:
    import torchvision.transforms.v2 as found

    return found


def results(source: str, module: Any, framework: Any, image: Any) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transform = eval(source, {"V": module, "D": framework})
        found = []
        for seed in range(3):
            framework.manual_seed(seed)
            for given in (transform(image, 7), transform({"image": image, "label": 5})):
                image_given, label = given.values() if isinstance(given, dict) else given
                found.append((np.asarray(image_given), label))
    return found


def compare(source: str, theirs: Any, image: Any, their_image: Any, bytes_off: int) -> None:
    import torch

    have, want = results(source, v2, lg, image), results(source, theirs, torch, their_image)
    for (ours, label), (expected, expected_label) in zip(have, want, strict=True):
        assert label == expected_label and ours.dtype == expected.dtype and ours.shape == expected.shape
        apart = np.abs(ours.astype(float) - expected.astype(float))
        assert apart.max() <= (bytes_off if ours.dtype == np.uint8 else 2e-4 if "Noise" in source else 1e-5)


@pytest.mark.parametrize("source", OF_BOTH)
def test_pictures(source: str, theirs: Any) -> None:
    picture = Image.fromarray(pixels())
    compare(source, theirs, picture, picture, 0)


@pytest.mark.parametrize("source", [*OF_BOTH, *OF_TENSORS])
def test_tensors(source: str, theirs: Any) -> None:
    import torch

    array = np.ascontiguousarray(pixels().transpose(2, 0, 1))
    compare(source, theirs, lg.tensor(array), torch.tensor(array), 1)


@pytest.mark.parametrize(
    "source", ["V.MixUp(num_classes=4)", "V.CutMix(alpha=0.5, num_classes=4)", "V.MixUp(alpha=0.3)"]
)
def test_mixtures(source: str, theirs: Any) -> None:
    import torch

    array = np.random.default_rng(0).random((3, 2, 9, 7), np.float32)
    found = []
    for module, framework in ((v2, lg), (theirs, torch)):
        framework.manual_seed(2)
        labels = framework.tensor([1, 0, 3]) if "classes" in source else framework.eye(3)
        mix = eval(source, {"V": module})
        found.append([mix(framework.tensor(array), labels), mix({"x": framework.tensor(array), "labels": labels})])
    assert_close(found[0], found[1])


@pytest.mark.parametrize(
    "source",
    """
V.Compose([])
V.Compose(3)
V.RandomApply([V.Identity()], 2)
V.RandomChoice([V.Identity()], [1, 2])
V.ToDtype(3)
V.RandomCrop(99)(D.ones(3, 4, 4))
V.MixUp()(D.ones(2, 3, 4, 4), D.tensor([1, 2]))
V.MixUp(num_classes=3)(D.ones(3, 4, 4), D.tensor([1, 2]))
V.CutMix(num_classes=3)(D.ones(3, 3, 4, 4), D.tensor([1, 2]))
V.CutMix(num_classes=3)(D.ones(2, 3, 4, 4), 1)
V.GaussianNoise(sigma=-1)(D.ones(3, 4, 4))
V.GaussianNoise()(D.ones(3, 4, 4, dtype=D.int64))
V.functional.to_image("x")
""".strip().splitlines(),
)
def test_what_is_refused(source: str, theirs: Any) -> None:
    import torch

    errors = []
    for module, framework in ((v2, lg), (theirs, torch)):
        with pytest.raises(Exception) as caught:
            eval(source, {"V": module, "D": framework})
        errors.append(type(caught.value).__name__)
    assert errors[0] == errors[1]


def test_names_are_those_of_torchvision(theirs: Any) -> None:
    of_boxes = {"ClampBoundingBoxes", "ClampKeyPoints", "ConvertBoundingBoxFormat", "RandomIoUCrop", "RandomZoomOut"}
    of_boxes |= {"SanitizeBoundingBoxes", "SanitizeKeyPoints", "SetClampingMode", "ScaleJitter", "RandomShortestSize"}
    not_built = {"JPEG", "RandomPhotometricDistort", "RandomResize", "UniformTemporalSubsample"} | of_boxes
    public = {name for name in vars(theirs) if name[0].isupper()}
    assert public - set(vars(v2)) == not_built
