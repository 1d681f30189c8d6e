"""Between an optimizer's state, whose keys are tensors, and a dictionary that can be saved, whose keys are numbers."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from lazygrad.ir.dtype import float32
from lazygrad.ops.creation.from_data import tensor
from lazygrad.tensor import Tensor

Group = dict[str, Any]
State = defaultdict[Tensor, dict[str, Any]]

# Step counts are Python numbers while training, so that they enter plans as arguments; saved, they are tensors.
_STEP = "step"
# Options that optimizers did not have at first, and what they were until then: older files lack them.
_LATER_OPTIONS = {
    "amsgrad": False,
    "capturable": False,
    "centered": False,
    "decoupled_weight_decay": False,
    "differentiable": False,
    "foreach": None,
    "fused": None,
    "maximize": False,
    "momentum": 0,
    "nesterov": False,
}


def pack_state_dict(groups: list[Group], state: Mapping[Tensor, dict[str, Any]]) -> dict[str, Any]:
    """The dictionary to save: every parameter is replaced by its position among all groups' parameters."""
    numbers: dict[int, int] = {}
    start = 0
    packed_groups = []
    for group in groups:
        for position, parameter in enumerate(group["params"], start):
            numbers.setdefault(id(parameter), position)
        packed = {name: value for name, value in group.items() if name != "params"}
        packed["params"] = [numbers[id(parameter)] for parameter in group["params"]]
        packed_groups.append(packed)
        start += len(group["params"])
    packed_state = {
        numbers[id(key)] if isinstance(key, Tensor) else key: _pack_values(values) for key, values in state.items()
    }
    return {"state": packed_state, "param_groups": packed_groups}


def unpack_state_dict(state_dict: dict[str, Any], groups: list[Group]) -> tuple[list[Group], State]:
    """Groups with the saved options and the tensors of ``groups``, and the saved state of these tensors.

    Raises:
        ValueError: the groups differ in number or size.
    """
    saved_groups = copy.deepcopy(state_dict["param_groups"])
    if len(groups) != len(saved_groups):
        raise ValueError("loaded state dict has a different number of parameter groups")
    parameters: dict[int, Tensor] = {}
    for group, saved in zip(groups, saved_groups, strict=True):
        if len(group["params"]) != len(saved["params"]):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameters.update(zip(saved["params"], group["params"], strict=True))
        saved["params"] = group["params"]
        for name, value in _LATER_OPTIONS.items():
            if name in group:
                saved.setdefault(name, value)
        if "param_names" in group:
            saved.setdefault("param_names", group["param_names"])
    state: State = defaultdict(dict)
    for number, values in state_dict["state"].items():
        if number in parameters:
            state[parameters[number]] = _unpack(values, parameters[number])
        else:
            state[number] = values
    return saved_groups, state


def _pack_values(values: Any) -> Any:
    if not isinstance(values, dict) or not isinstance(values.get(_STEP), (int, float)):
        return values
    return {**values, _STEP: tensor(float(values[_STEP]), dtype=float32)}


def _unpack(value: Any, parameter: Tensor, key: str | None = None) -> Any:
    """A saved value in its parameter's dtype and on its device; a step count as a Python number."""
    if key == _STEP:
        return int(value)
    if isinstance(value, Tensor):
        if parameter.is_floating_point():
            return value.to(dtype=parameter.dtype, device=parameter.device)
        return value.to(device=parameter.device)
    if isinstance(value, dict):
        return {name: _unpack(entry, parameter, name) for name, entry in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_unpack(entry, parameter) for entry in value)  # type: ignore[call-arg]
    return value
