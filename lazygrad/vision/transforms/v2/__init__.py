"""torchvision's transforms of samples: of the image in a tuple, a list or a dict, whatever else is in it.

There are no ``tv_tensors``: masks and bounding boxes are left as they are.
"""

from lazygrad.vision.transforms.autoaugment import AutoAugmentPolicy
from lazygrad.vision.transforms.interpolation import InterpolationMode
from lazygrad.vision.transforms.v2 import functional
from lazygrad.vision.transforms.v2._containers import *
from lazygrad.vision.transforms.v2._images import *
from lazygrad.vision.transforms.v2._mixing import *
from lazygrad.vision.transforms.v2._samples import Transform
from lazygrad.vision.transforms.v2._values import *
