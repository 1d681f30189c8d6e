"""Images of noise."""

from __future__ import annotations

from typing import Any

from lazygrad.ops.random.generator import get_rng_state, manual_seed, set_rng_state
from lazygrad.ops.random.tensors import randint, randn
from lazygrad.vision.datasets.vision import Transform, VisionDataset
from lazygrad.vision.transforms.functional import to_pil_image

__all__ = ["FakeData"]


class FakeData(VisionDataset):
    """Images of noise with random classes; the same ones each time.

    Args:
        size: how many.
        image_size: channels, height and width.
        num_classes: how many.
        transform, target_transform: of image and class.
        random_offset: added to an image's number to seed it.
    """

    def __init__(
        self,
        size: int = 1000,
        image_size: tuple[int, int, int] = (3, 224, 224),
        num_classes: int = 10,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        random_offset: int = 0,
    ) -> None:
        super().__init__(transform=transform, target_transform=target_transform)
        self.size = size
        self.num_classes = num_classes
        self.image_size = image_size
        self.random_offset = random_offset

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        state = get_rng_state()
        manual_seed(index + self.random_offset)
        image = randn(*self.image_size).realize()
        target = randint(0, self.num_classes, (1,))[0]
        set_rng_state(state)
        found, label = self.transformed(to_pil_image(image), target)
        return found, label.item()

    def __len__(self) -> int:
        return self.size
