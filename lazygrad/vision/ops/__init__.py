"""Operations and modules for images, with torchvision's names."""

from lazygrad.vision.ops.boxes import *
from lazygrad.vision.ops.drop_block import *
from lazygrad.vision.ops.feature_pyramid_network import FeaturePyramidNetwork
from lazygrad.vision.ops.losses import *
from lazygrad.vision.ops.misc import (
    MLP,
    Conv2dNormActivation,
    Conv3dNormActivation,
    FrozenBatchNorm2d,
    Permute,
    SqueezeExcitation,
)
from lazygrad.vision.ops.regions import *
from lazygrad.vision.ops.stochastic_depth import StochasticDepth, stochastic_depth
