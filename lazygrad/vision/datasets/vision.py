"""What all datasets of images have in common: a folder, and transforms."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from lazygrad.data.dataset import Dataset

Transform = Callable[[Any], Any]


class StandardTransform:
    """A transform of the image and one of the target, as a function of both."""

    def __init__(self, transform: Transform | None = None, target_transform: Transform | None = None) -> None:
        self.transform = transform
        self.target_transform = target_transform

    def __call__(self, input: Any, target: Any) -> tuple[Any, Any]:
        if self.transform is not None:
            input = self.transform(input)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return input, target

    def __repr__(self) -> str:
        lines = [type(self).__name__]
        for head, transform in (("Transform: ", self.transform), ("Target transform: ", self.target_transform)):
            if transform is not None:
                first, *others = repr(transform).splitlines()
                lines += [head + first, *(" " * len(head) + line for line in others)]
        return "\n".join(lines)


class VisionDataset(Dataset[Any]):
    """Base of the datasets of images.

    Args:
        root: their folder.
        transforms: a function of image and target.
        transform: of the image alone.
        target_transform: of the target alone.

    Raises:
        ValueError: ``transforms`` beside one of the others.
    """

    def __init__(
        self,
        root: Any = None,
        transforms: Callable[[Any, Any], Any] | None = None,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        self.root: Any = os.path.expanduser(root) if isinstance(root, str) else root
        has_own = transform is not None or target_transform is not None
        if transforms is not None and has_own:
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.transform = transform
        self.target_transform = target_transform
        self.transforms = StandardTransform(transform, target_transform) if has_own else transforms

    def transformed(self, image: Any, target: Any) -> tuple[Any, Any]:
        """A sample after `transform` and `target_transform`, as they are now."""
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")

    def __repr__(self) -> str:
        body = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            body.append(f"Root location: {self.root}")
        body += self.extra_repr().splitlines()
        if self.transforms is not None:
            body.append(repr(self.transforms))
        return "\n".join([f"Dataset {type(self).__name__}", *(f"    {line}" for line in body)])

    def extra_repr(self) -> str:
        """More lines of the repr."""
        return ""
