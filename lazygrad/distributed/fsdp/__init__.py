"""``lazygrad.distributed.fsdp``: names of models that several processes share, which programs import and ask for."""

from __future__ import annotations

from enum import Enum

from lazygrad.distributed import ONE_PROCESS
from lazygrad.left_out import stand_in, stand_in_class

_CLASSES = (
    "CPUOffload", "CPUOffloadPolicy", "FSDPModule", "FullOptimStateDictConfig", "FullStateDictConfig",
    "FullyShardedDataParallel", "LocalOptimStateDictConfig", "LocalStateDictConfig", "MixedPrecision",
    "MixedPrecisionPolicy", "OffloadPolicy", "OptimStateDictConfig", "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig", "StateDictConfig", "StateDictSettings",
)  # fmt: skip
_FUNCTIONS = ("fully_shard", "register_fsdp_forward_method")

__all__ = ["BackwardPrefetch", "OptimStateKeyType", "ShardingStrategy", "StateDictType", *_CLASSES, *_FUNCTIONS]


class StateDictType(Enum):
    """Which part of the values a process would save."""

    FULL_STATE_DICT, LOCAL_STATE_DICT, SHARDED_STATE_DICT = 1, 2, 3


class ShardingStrategy(Enum):
    """What processes would keep parts of."""

    FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, _HYBRID_SHARD_ZERO2 = 1, 2, 3, 4, 5


class BackwardPrefetch(Enum):
    """When a process would ask for the next layer's parameters."""

    BACKWARD_PRE, BACKWARD_POST = 1, 2


class OptimStateKeyType(Enum):
    """By what optimizers' states would be named."""

    PARAM_NAME, PARAM_ID = 1, 2


globals().update({name: stand_in_class(f"distributed.fsdp.{name}", ONE_PROCESS) for name in _CLASSES})
globals().update({name: stand_in(f"distributed.fsdp.{name}", ONE_PROCESS) for name in _FUNCTIONS})
