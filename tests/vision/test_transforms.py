"""Transforms beside torchvision's: the same image from the same seed, over Pillow's images and over tensors."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
from PIL import Image

import lazygrad as lg
from lazygrad.vision import transforms
from tests.oracle.comparing import assert_close

SEEDS = range(4)
MODE = {"nearest": "NEAREST", "bilinear": "BILINEAR", "bicubic": "BICUBIC", "lanczos": "LANCZOS"}

# Constructions as source, with T for the module of transforms.
BOTH = """
T.Resize(12)
T.Resize([10, 31])
T.Resize(40, max_size=45)
T.Resize((9, 9), T.InterpolationMode.NEAREST)
T.Resize((30, 13), T.InterpolationMode.BICUBIC)
T.CenterCrop(16)
T.CenterCrop((40, 10))
T.CenterCrop([50])
T.Pad(3)
T.Pad((2, 5), fill=7)
T.Pad([1, 2, 3, 4], padding_mode="edge")
T.Pad(4, padding_mode="reflect")
T.Pad((3, 0, 2, 1), padding_mode="symmetric")
T.RandomCrop(20)
T.RandomCrop((24, 28), padding=4)
T.RandomCrop(36, pad_if_needed=True, padding_mode="reflect")
T.RandomCrop(32, padding=4, fill=9)
T.RandomHorizontalFlip()
T.RandomHorizontalFlip(p=1.0)
T.RandomVerticalFlip()
T.RandomResizedCrop(16)
T.RandomResizedCrop((10, 20), scale=(0.5, 1), ratio=(3, 4))
T.RandomResizedCrop(8, scale=(2, 3))
T.RandomResizedCrop(8, ratio=(0.1, 0.2), scale=(0.9, 1))
T.FiveCrop(9)
T.TenCrop((8, 12), vertical_flip=True)
T.Grayscale()
T.Grayscale(3)
T.RandomGrayscale(0.5)
T.RandomInvert()
T.RandomPosterize(3)
T.RandomSolarize(100)
T.RandomOrder([T.RandomHorizontalFlip(), T.RandomVerticalFlip(), T.CenterCrop(9)])
T.RandomChoice([T.Resize(8), T.CenterCrop(9), T.Pad(1)], p=[1, 2, 3])
T.RandomApply([T.CenterCrop(9), T.Pad(2)], p=0.6)
T.Compose([T.RandomCrop(20), T.RandomHorizontalFlip()])
T.Lambda(lambda img: img)
""".strip().splitlines()
# Their results in bytes may differ by one where a rounding comes out otherwise.
NEARLY_BOTH = """
T.ColorJitter(0.4)
T.ColorJitter(contrast=(0.2, 3))
T.ColorJitter(saturation=0.9)
T.ColorJitter(hue=0.3)
T.ColorJitter(0.5, 0.5, 0.5, 0.2)
T.RandomAdjustSharpness(2.5)
T.RandomAutocontrast(1.0)
T.RandomEqualize(1.0)
T.GaussianBlur(5)
T.GaussianBlur((3, 7), sigma=1.5)
T.RandomRotation(40)
T.RandomRotation((10, 80), T.InterpolationMode.BILINEAR, expand=True, fill=5)
T.RandomRotation(30, center=(3, 4), fill=(9, 8, 7))
T.RandomAffine(20)
T.RandomAffine((-5, 5), (0.2, 0.3), (0.5, 1.5), 10, fill=3)
T.RandomAffine(0, shear=(-5, 5, 2, 9), interpolation=T.InterpolationMode.BILINEAR, center=(2, 8))
T.RandomPerspective(p=1.0)
T.RandomPerspective(0.3, 0.7, T.InterpolationMode.NEAREST, fill=100)
T.ElasticTransform(alpha=30.0, sigma=2.0)
""".strip().splitlines()
AUTOMATIC = """
T.AutoAugment()
T.AutoAugment(T.AutoAugmentPolicy.CIFAR10, fill=7)
T.AutoAugment(T.AutoAugmentPolicy.SVHN, T.InterpolationMode.BILINEAR)
T.RandAugment()
T.RandAugment(3, 20, 25, T.InterpolationMode.BILINEAR, fill=3)
T.TrivialAugmentWide()
T.TrivialAugmentWide(15, fill=9)
T.AugMix()
T.AugMix(5, 2, 2, 0.7, all_ops=False)
""".strip().splitlines()
OF_PICTURES = """
T.ToTensor()
T.PILToTensor()
T.Resize((12, 40), T.InterpolationMode.LANCZOS)
T.Compose([T.ToTensor(), T.ToPILImage()])
""".strip().splitlines()
OF_TENSORS = """
T.ConvertImageDtype(FLOAT)
T.ToPILImage()
T.RandomErasing()
T.RandomErasing(1.0, value="random")
T.RandomErasing(0.9, (0.1, 0.2), (0.5, 2), value=[1, 2, 3])
T.Normalize((0.1, 0.2, 0.3), [0.5, 0.6, 0.7])
T.Normalize(0.5, 0.25, inplace=True)
""".strip().splitlines()


def pixels(height: int = 33, width: int = 27) -> np.ndarray:
    waves = np.sin(np.arange(height * width * 3).reshape(height, width, 3) / 17.0) * 90 + 120
    return (waves + np.random.default_rng(0).integers(0, 40, (height, width, 3))).astype(np.uint8)


def results(source: str, module: Any, framework: Any, image: Any) -> list[Any]:
    """What a transform makes of an image, seed after seed, and its repr."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transform = eval(source, {"T": module, "FLOAT": framework.float32})
        found: list[Any] = []
        for seed in SEEDS:
            framework.manual_seed(seed)
            random.seed(seed)
            given = image.clone() if hasattr(image, "clone") else image
            found.append(as_arrays(transform(given)))
    found.append(repr(transform).replace("lazygrad.", "torch."))
    return found


def as_arrays(result: Any) -> list[np.ndarray]:
    if isinstance(result, tuple):
        return [array for each in result for array in as_arrays(each)]
    return [np.asarray(result)]


def compare(source: str, torchvision: Any, image: Any, theirs: Any, differs: float = 0.0, bytes_off: int = 0) -> None:
    import torch

    have = results(source, transforms, lg, image)
    want = results(source, torchvision.transforms, torch, theirs)
    assert have[-1] == want[-1]
    for ours, expected in zip(have[:-1], want[:-1], strict=True):
        for a, b in zip(ours, expected, strict=True):
            assert a.shape == b.shape and a.dtype == b.dtype
            if a.dtype == np.uint8:
                apart = np.abs(a.astype(int) - b.astype(int))
                assert (apart > bytes_off).mean() <= differs, f"{apart.max()} apart"
            else:
                assert (~np.isclose(a, b, rtol=2e-5, atol=4e-6)).mean() <= differs, np.abs(a - b).max()


@pytest.mark.parametrize("source", [*BOTH, *NEARLY_BOTH, *AUTOMATIC, *OF_PICTURES])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_pictures(source: str, mode: str, torchvision: Any) -> None:
    if mode == "L" and "fill=(9" in source:
        pytest.skip("three colors for one channel")
    picture = Image.fromarray(pixels()).convert(mode)
    off = 1 if source.startswith(("T.GaussianBlur", "T.Elastic", "T.AugMix")) else 0
    compare(source, torchvision, picture, picture, 0.02 if "AugMix" in source else 0.0, off)


@pytest.mark.parametrize("source", [*BOTH, *NEARLY_BOTH, *AUTOMATIC, *OF_TENSORS])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_tensors(source: str, dtype: str, torchvision: Any) -> None:
    import torch

    needs_bytes, needs_floats = ("Posterize", "Equalize"), ("Normalize",)
    if any(name in source for name in (needs_bytes if dtype == "float32" else needs_floats)):
        pytest.skip("not for this dtype")
    if dtype == "float32" and source in AUTOMATIC:
        pytest.skip("for bytes")
    array = pixels().transpose(2, 0, 1)
    if dtype == "float32":
        array = array.astype(np.float32) / np.float32(255)
        source = source.replace("Solarize(100)", "Solarize(0.4)")
    array = np.ascontiguousarray(array)
    # A pixel on the border between two is either's: its place is computed in another order.
    differs = 0.02 if source in [*NEARLY_BOTH, *AUTOMATIC] else 0.0
    off = 0 if source in BOTH and "Resize" not in source else 1
    compare(source, torchvision, lg.tensor(array), torch.tensor(array), differs, off)


def test_modes_of_pictures_and_arrays(torchvision: Any) -> None:
    rng = np.random.default_rng(1)
    arrays = [rng.integers(0, 255, (5, 6, channels)).astype(np.uint8) for channels in (1, 2, 3, 4)] + [
        rng.random((5, 6, 3), np.float32),
        rng.random((5, 6)),
        rng.integers(0, 9, (5, 6, 1)).astype(np.int32),
    ]
    for array in arrays:
        ours, theirs = transforms.functional, torchvision.transforms.functional
        assert_close(ours.to_tensor(array), theirs.to_tensor(array), slack=0)
        have, want = ours.to_pil_image(array), theirs.to_pil_image(array)
        assert have.mode == want.mode and have.tobytes() == want.tobytes()
    for mode in ("1", "L", "LA", "RGB", "RGBA", "CMYK", "I", "F", "I;16"):
        picture = Image.fromarray(pixels(7, 5)).convert("L" if mode == "I;16" else mode).convert(mode)
        assert_close(ours.to_tensor(picture), theirs.to_tensor(picture), slack=0)
        if mode != "I;16":  # uint16, which torch reads
            assert_close(ours.pil_to_tensor(picture), theirs.pil_to_tensor(picture), slack=0)
    for mode in ("YCbCr", "HSV", "CMYK", "RGBX"):
        image = rng.integers(0, 255, (5, 6, len(Image.new(mode, (1, 1)).getbands()))).astype(np.uint8)
        assert ours.to_pil_image(image, mode).tobytes() == theirs.to_pil_image(image, mode).tobytes()


BAD = """
T.Resize("x")
T.Resize([1, 2, 3])
T.Resize(4, "x")
T.CenterCrop([1, 2, 3])
T.Pad("x")
T.Pad([1, 2, 3])
T.Pad(1, fill="x")
T.Pad(1, padding_mode="x")
T.Lambda(3)
T.RandomChoice(3)
T.RandomChoice([], p=3)
T.RandomCrop(100)
T.RandomErasing(value={})
T.RandomErasing(value="x")
T.RandomErasing(scale=3)
T.RandomErasing(p=2)
T.RandomErasing(scale=(0.5, 2))
T.ColorJitter(-1)
T.ColorJitter("x")
T.ColorJitter(hue=0.6)
T.RandomRotation(-3)
T.RandomRotation([1, 2, 3])
T.RandomRotation(3, center=4)
T.RandomAffine(3, translate=(2, 3))
T.RandomAffine(3, scale=(0, 1))
T.GaussianBlur(2)
T.GaussianBlur(3, sigma=-1)
T.GaussianBlur(3, sigma=(2, 1))
T.RandomPerspective(fill="x" and {})
T.ElasticTransform(alpha=3)
T.RandomResizedCrop(3, scale=4)
T.Grayscale(2)
T.ToTensor()
T.FiveCrop(100)
T.Normalize(0, 0)
T.AutoAugment("x")
T.AugMix(11)
""".strip().splitlines()


@pytest.mark.parametrize("source", BAD)
def test_what_is_refused(source: str, torchvision: Any) -> None:
    import torch

    def error_of(module: Any, image: Any) -> str:
        with pytest.raises(Exception) as caught:
            eval(source, {"T": module})(image)
        return type(caught.value).__name__

    have, want = error_of(transforms, lg.ones(3, 8, 8)), error_of(torchvision.transforms, torch.ones(3, 8, 8))
    assert have == want


def test_names_are_those_of_torchvision(torchvision: Any) -> None:
    public = {
        name for name in vars(torchvision.transforms.transforms) if not name.startswith("_") and name[0].isupper()
    }
    missing = public & set(torchvision.transforms.transforms.__all__) - set(vars(transforms))
    assert missing == set()


def test_without_an_oracle() -> None:
    """What can be said without torchvision."""
    lg.manual_seed(0)
    array = pixels()
    picture = Image.fromarray(array)
    planes = transforms.ToTensor()(picture)
    assert planes.shape == (3, 33, 27) and planes.dtype == lg.float32
    assert np.array_equal((planes * 255).round().numpy(), array.transpose(2, 0, 1))
    assert np.array_equal(np.asarray(transforms.ToPILImage()(planes)), array)
    steps = transforms.Compose([transforms.RandomCrop(20), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    assert steps(picture).shape == (3, 20, 20)
    normal = transforms.Normalize(planes.mean((1, 2)).tolist(), planes.std((1, 2)).tolist())(planes)
    assert abs(normal.mean().item()) < 1e-5 and abs(normal.std().item() - 1) < 1e-3
    assert transforms.functional.hflip(planes).equal(planes.flip(-1))
    image = lg.rand(3, 8, 8, requires_grad=True)
    transforms.Resize(4)(transforms.Normalize(0.5, 0.5)(image)).sum().backward()
    assert image.grad is not None and image.grad.shape == image.shape
    assert isinstance(lg.nn.Sequential(transforms.CenterCrop(4), transforms.Normalize(0.5, 2))(image), lg.Tensor)
