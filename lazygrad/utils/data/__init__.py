"""`lazygrad.data` under PyTorch's name, with PyTorch's files: ``from lazygrad.utils.data.sampler import Sampler``."""

from lazygrad.data import *
from lazygrad.data import __all__ as _here
from lazygrad.utils.data import _utils as _utils
from lazygrad.utils.data import dataloader as dataloader
from lazygrad.utils.data import datapipes as datapipes
from lazygrad.utils.data import dataset as dataset
from lazygrad.utils.data import distributed as distributed
from lazygrad.utils.data import sampler as sampler
from lazygrad.utils.data.datapipes import *

__all__ = [*_here, *datapipes.__all__]
