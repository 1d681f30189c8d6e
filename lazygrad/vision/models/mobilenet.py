"""MobileNetV2 and V3."""

from lazygrad.vision.models.mobilenetv2 import *
from lazygrad.vision.models.mobilenetv3 import *
