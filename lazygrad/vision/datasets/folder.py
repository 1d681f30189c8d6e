"""Files in folders, one folder for each class."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from PIL import Image

from lazygrad.vision.datasets.vision import Transform, VisionDataset

__all__ = ["DatasetFolder", "ImageFolder"]

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def has_file_allowed_extension(filename: str, extensions: str | tuple[str, ...]) -> bool:
    """Whether a file's name ends in one of them, in small or capital letters."""
    return filename.lower().endswith(extensions)


def is_image_file(filename: str) -> bool:
    """Whether a file's name is that of an image."""
    return has_file_allowed_extension(filename, IMG_EXTENSIONS)


def find_classes(directory: Any) -> tuple[list[str], dict[str, int]]:
    """The names of the folders, and their numbers by name.

    Raises:
        FileNotFoundError: there are none.
    """
    classes = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
    if not classes:
        raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
    return classes, {name: number for number, name in enumerate(classes)}


def make_dataset(
    directory: Any,
    class_to_idx: dict[str, int] | None = None,
    extensions: str | tuple[str, ...] | None = None,
    is_valid_file: Callable[[str], bool] | None = None,
    allow_empty: bool = False,
) -> list[tuple[str, int]]:
    """Paths and classes of the files in the classes' folders, sorted.

    Args:
        directory: above those folders.
        class_to_idx: their numbers by name; see `find_classes`.
        extensions: which files; either this
        is_valid_file: or a function of the path.
        allow_empty: accept folders without files.

    Raises:
        ValueError: no classes; both or neither of ``extensions`` and ``is_valid_file``.
        FileNotFoundError: a class without files.
    """
    directory = os.path.expanduser(directory)
    numbers = find_classes(directory)[1] if class_to_idx is None else class_to_idx
    if not numbers:
        raise ValueError("'class_to_index' must have at least one entry to collect any samples.")
    if (extensions is None) == (is_valid_file is None):
        raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
    found: list[tuple[str, int]] = []
    for name in sorted(numbers):
        for folder, _, files in sorted(os.walk(os.path.join(directory, name), followlinks=True)):
            paths = [os.path.join(folder, file) for file in sorted(files)]
            if is_valid_file is not None:
                paths = [path for path in paths if is_valid_file(path)]
            elif extensions is not None:
                paths = [path for path in paths if has_file_allowed_extension(path, extensions)]
            found += [(path, numbers[name]) for path in paths]
    empty = sorted(name for name, number in numbers.items() if number not in {number for _, number in found})
    if empty and not allow_empty:
        supported = extensions if isinstance(extensions, str) else ", ".join(extensions or ())
        raise FileNotFoundError(
            f"Found no valid file for the classes {', '.join(empty)}. "
            + (f"Supported extensions are: {supported}" if extensions is not None else "")
        )
    return found


class DatasetFolder(VisionDataset):
    """Files ``root/class/….ext``.

    Args:
        root: the folder above those of the classes.
        loader: makes a sample of a path.
        extensions: which files; either this
        transform, target_transform: of sample and class.
        is_valid_file: or a function of the path.
        allow_empty: accept classes without files.

    Attributes:
        classes, class_to_idx: the names of the classes, sorted, and their numbers.
        samples, targets: paths with numbers, and the numbers alone.

    Raises:
        FileNotFoundError: no classes, or one without files.
    """

    def __init__(
        self,
        root: Any,
        loader: Callable[[str], Any],
        extensions: tuple[str, ...] | None = None,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.classes, self.class_to_idx = self.find_classes(self.root)
        self.samples = self.make_dataset(self.root, self.class_to_idx, extensions, is_valid_file, allow_empty)
        self.loader = loader
        self.extensions = extensions
        self.targets = [number for _, number in self.samples]

    @staticmethod
    def make_dataset(
        directory: Any,
        class_to_idx: dict[str, int],
        extensions: tuple[str, ...] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> list[tuple[str, int]]:
        """The module's function; subclasses may choose files otherwise."""
        return make_dataset(directory, class_to_idx, extensions, is_valid_file, allow_empty)

    def find_classes(self, directory: Any) -> tuple[list[str], dict[str, int]]:
        """The module's function; subclasses may find classes otherwise."""
        return find_classes(directory)

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return self.transformed(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


def pil_loader(path: Any) -> Image.Image:
    """An image file as a Pillow image of red, green and blue."""
    with open(path, "rb") as file:
        return Image.open(file).convert("RGB")


default_loader = pil_loader


class ImageFolder(DatasetFolder):
    """Image files ``root/class/….png``. See `DatasetFolder`.

    Attributes:
        imgs: as `samples`.
    """

    def __init__(
        self,
        root: Any,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        loader: Callable[[str], Any] = default_loader,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(root, loader, extensions, transform, target_transform, is_valid_file, allow_empty)
        self.imgs = self.samples
