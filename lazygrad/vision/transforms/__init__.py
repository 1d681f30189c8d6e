"""What is done to images before they become batches, with torchvision's names, draws and results."""

from lazygrad.vision.transforms import functional
from lazygrad.vision.transforms.autoaugment import *
from lazygrad.vision.transforms.color import *
from lazygrad.vision.transforms.combining import *
from lazygrad.vision.transforms.converting import *
from lazygrad.vision.transforms.erasing import *
from lazygrad.vision.transforms.geometry import *
from lazygrad.vision.transforms.interpolation import InterpolationMode
from lazygrad.vision.transforms.warping import *
