"""The sampler for several processes under PyTorch's path."""

from lazygrad.data.distributed_sampler import DistributedSampler

__all__ = ["DistributedSampler"]
