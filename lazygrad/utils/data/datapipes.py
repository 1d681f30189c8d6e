"""PyTorch's data pipes, which it keeps for old programs: they are not here; datasets and samplers do what they did."""

from __future__ import annotations

from lazygrad.left_out import stand_in, stand_in_class

__all__ = [
    "DFIterDataPipe",
    "DataChunk",
    "IterDataPipe",
    "MapDataPipe",
    "argument_validation",
    "functional_datapipe",
    "guaranteed_datapipes_determinism",
    "non_deterministic",
    "runtime_validation",
    "runtime_validation_disabled",
]

_STREAM = "derive from utils.data.IterableDataset"
_MAP = "derive from utils.data.Dataset"
_PIPES = "there are no data pipes; use datasets and samplers"

IterDataPipe = stand_in_class("utils.data.IterDataPipe", _STREAM)
DFIterDataPipe = stand_in_class("utils.data.DFIterDataPipe", _STREAM)
MapDataPipe = stand_in_class("utils.data.MapDataPipe", _MAP)
DataChunk = stand_in_class("utils.data.DataChunk", "a list holds several samples")
argument_validation = stand_in("utils.data.argument_validation", _PIPES)
functional_datapipe = stand_in("utils.data.functional_datapipe", _PIPES)
guaranteed_datapipes_determinism = stand_in("utils.data.guaranteed_datapipes_determinism", _PIPES)
non_deterministic = stand_in("utils.data.non_deterministic", _PIPES)
runtime_validation = stand_in("utils.data.runtime_validation", _PIPES)
runtime_validation_disabled = stand_in("utils.data.runtime_validation_disabled", _PIPES)
