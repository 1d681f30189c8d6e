"""Networks for images, with torchvision's names, parameters and initial values."""

from lazygrad.vision.models._api import (
    Weights,
    WeightsEnum,
    get_model,
    get_model_builder,
    get_model_weights,
    get_weight,
    list_models,
)
from lazygrad.vision.models.alexnet import *
from lazygrad.vision.models.convnext import *
from lazygrad.vision.models.densenet import *
from lazygrad.vision.models.efficientnet import *
from lazygrad.vision.models.googlenet import *
from lazygrad.vision.models.inception import *
from lazygrad.vision.models.mnasnet import *
from lazygrad.vision.models.mobilenet import *
from lazygrad.vision.models.mobilenetv2 import *
from lazygrad.vision.models.mobilenetv3 import *
from lazygrad.vision.models.regnet import *
from lazygrad.vision.models.resnet import *
from lazygrad.vision.models.shufflenetv2 import *
from lazygrad.vision.models.squeezenet import *
from lazygrad.vision.models.swin_transformer import *
from lazygrad.vision.models.vgg import *
from lazygrad.vision.models.vision_transformer import *
