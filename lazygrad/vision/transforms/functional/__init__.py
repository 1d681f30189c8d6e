"""The operations of the transforms as functions, for Pillow's images and for tensors alike."""

from lazygrad.vision.transforms.functional.color import *
from lazygrad.vision.transforms.functional.conversion import *
from lazygrad.vision.transforms.functional.geometry import *
from lazygrad.vision.transforms.functional.kinds import *
from lazygrad.vision.transforms.functional.warping import *
from lazygrad.vision.transforms.interpolation import InterpolationMode
