"""``lazygrad.distributed.optim``: the optimizers of several processes, which programs ask for by isinstance."""

from __future__ import annotations

from lazygrad.distributed import ONE_PROCESS
from lazygrad.left_out import stand_in_class

__all__ = ["DistributedOptimizer", "PostLocalSGDOptimizer", "ZeroRedundancyOptimizer"]

DistributedOptimizer = stand_in_class("distributed.optim.DistributedOptimizer", ONE_PROCESS)
PostLocalSGDOptimizer = stand_in_class("distributed.optim.PostLocalSGDOptimizer", ONE_PROCESS)
ZeroRedundancyOptimizer = stand_in_class("distributed.optim.ZeroRedundancyOptimizer", ONE_PROCESS)
