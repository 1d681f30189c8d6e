"""Modules spread over devices."""

from lazygrad.nn.parallel.data_parallel import DataParallel, data_parallel
from lazygrad.nn.parallel.distributed import DistributedDataParallel
from lazygrad.nn.parallel.parallel_apply import parallel_apply
from lazygrad.nn.parallel.replicate import replicate
from lazygrad.nn.parallel.scatter_gather import gather, scatter

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
]
