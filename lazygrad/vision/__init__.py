"""Images: ``torchvision``'s transforms, datasets and grids of pictures, over Pillow's images and over tensors.

Pillow is needed: ``pip install 'lazygrad[vision]'``.
"""

from importlib.util import find_spec

if find_spec("PIL") is None:
    raise ModuleNotFoundError("lazygrad.vision needs Pillow: pip install 'lazygrad[vision]'", name="PIL")

from lazygrad.vision import datasets, io, models, ops, transforms, utils

__version__ = "0.28.0+lazygrad"
"""That of the torchvision whose words these are."""


def _is_tracing() -> bool:
    """Whether a module is traced, which programs ask torchvision: none ever is."""
    return False


__all__ = ["datasets", "io", "models", "ops", "transforms", "utils"]
