"""Names of the classes that published weights tell apart."""

from pathlib import Path

_IMAGENET_CATEGORIES = Path(__file__).with_name("imagenet_categories.txt").read_text("utf-8").splitlines()
"""Those of ImageNet's challenge of 2012, in the order of the networks' outputs."""
