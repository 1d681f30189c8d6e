"""What the source of a settled replay says, and what its names mean; the template is ``replay.py.j2``."""

from __future__ import annotations

from typing import Any

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.compiling.bindings import Returned, Role
from lazygrad.compiling.capture import Count
from lazygrad.compiling.recorded_call import RecordedCall
from lazygrad.compiling.updates import Update
from lazygrad.host.buffer import is_small
from lazygrad.ir.node import TensorType
from lazygrad.tensor import Tensor


class SettledSource:
    """The parts of one function.

    Args:
        call: what it does again.
        is_direct: whether to run the plan is one foreign call, which reads addresses.

    Attributes:
        values: for the template.
        names: what the source refers to and that does not change, beside what all such sources name.
        is_interruptible: whether a Ctrl-C that comes at any time leaves everything as before the call or as after it.
    """

    def __init__(self, call: RecordedCall, is_direct: bool) -> None:
        self._call, self._is_direct = call, is_direct
        self.names: dict[str, Any] = {
            "plan": call.bindings.plan, "fastest": call.bindings.plan.fastest, "written": call.written,
            "numbers": call.numbers, "scalars": call.numbers.scalars, "drawings": call.drawings,
            "check_views": call.check_views,
        }  # fmt: skip
        counts = self._counts()
        draws = bool(call.bindings.drawings)
        fresh = [(f"r{output.number}", output) for output in call.fresh]
        given = [name for name, output in fresh if output.end.role is not Role.RESULT]
        results = [name for name, output in fresh if output.end.role is Role.RESULT]
        is_straight = is_direct and counts["counts_apart"] and not (draws or given)
        self.is_interruptible = is_straight or not call.changes_state
        for name, output in fresh:
            self.names |= {f"output_{name}": output, f"type_{name}": output.type}
        self.values: dict[str, Any] = {
            **self._arguments(),
            **counts,
            **self._kept(),
            **self._returned(),
            "is_direct": is_direct,
            "has_written": bool(call.written),
            "checks_views": bool(call.bindings.argument_chains),
            "draws": draws,
            "drawn": code_lines([f"v{slot}" for slot in call.drawings.slots]),
            "watches": bool(call.updates),
            "fresh": code_lines([name for name, _ in fresh]),
            "spares": code_lines([name for name, output in fresh if is_small(output.type)]),
            "given": code_lines(given),
            "results": code_lines(results),
            "placed": self._placed([name for name, _ in fresh]),
        }

    def _arguments(self) -> dict[str, Any]:
        """The arguments, whose parts of the key are a class, a type and a flag each if all of them are tensors."""
        call, key = self._call, self._call.key
        arguments = [f"a{number}" for number in range(call.argument_count)]
        kinds, types, flags = key[1::3], key[2::3], key[3::3]
        is_flat = (
            len(key) == 1 + 3 * key[0] == 1 + 3 * len(arguments)
            and all([isinstance(kind, type) and issubclass(kind, Tensor) for kind in kinds])
            and all([isinstance(each, TensorType) for each in types])
        )
        self.names["key"] = key
        if is_flat:
            for name, kind, each in zip(arguments, kinds, types, strict=True):
                self.names |= {f"class_{name}": kind, f"type_{name}": each}
        moving = [f"v{slot}" for slot, _ in call.moving]
        for name, (slot, end) in zip(moving, call.moving, strict=True):
            self.names |= {f"end_{name}": end, f"type_{name}": call.bindings.input_types[slot]}
        return {
            "is_flat": is_flat,
            "arguments": code_lines(arguments),
            "tracked": [name for name, flag in zip(arguments, flags, strict=True) if flag] if is_flat else [],
            "passed": [(Code(f"v{slot}"), Code(f"a{number}")) for slot, number in call.arguments],
            "moving": code_lines(moving),
        }

    def _counts(self) -> dict[str, Any]:
        """Step counts and numbers, where they can be done in any order, so that all counts can come first."""
        bindings = self._call.bindings
        states = [action.state for action in bindings.actions if isinstance(action, Count)]
        counts_apart = not bindings.blocks and len({id(state) for state in states}) == len(states)
        counters, computed = [], []
        for number, (action, places) in enumerate(self._call.numbers.actions if counts_apart else ()):
            if isinstance(action, Count):
                self.names[f"state_{number}"] = action.state
                counters.append(Code(f"state_{number}"))
            else:
                self.names[f"compute_{number}"] = action.compute
                computed.append((Code(f"compute_{number}"), places))
        varying = [slot for _, places in computed for slot, _ in places]
        packed = [f"scalars[{slot}]" for slot in range(len(bindings.scalars))]
        for slot in varying:
            packed[slot] = f"number_{slot}"
        return {
            "counts_apart": counts_apart,
            "counters": counters,
            "computed": computed,
            "varying": varying,
            "packed": code_lines(packed),
        }

    def _kept(self) -> dict[str, Any]:
        """What must be as the last replay has left it, and what the next one changes."""
        call = self._call
        numbers = {storage: number for number, storage in enumerate(call.storages)}
        gradients: dict[Update, int] = {update: number for number, update in enumerate(call.gradients)}
        conditions, renewed, remembered, taking_turns = [], [], [], {}
        for number, update in enumerate([update for update in call.updates if update.takes_turns]):
            remembered += [f"now_{number}", f"next_{number}"]
            node = numbers.get(update.output.end.of)
            if node is not None:
                taking_turns[node] = f"now_{number}"
            name = f"gradient_node_{gradients[update]}" if node is None else f"node_{node}"
            renewed.append((Code(name), Code(f"next_{number}")))
        remembered += [f"r{output.number}" for output in call.fresh if is_small(output.type)]
        for storage, number in numbers.items():
            self.names[f"storage_{number}"] = storage
            value = taking_turns.get(number, f"value_{number}")
            conditions += [f"storage_{number}.value is not node_{number}", f"node_{number}.value is not {value}"]
        parameters = [gradient.output.end.of for gradient in call.gradients]
        for number, parameter in enumerate(parameters):
            self.names[f"parameter_{number}"] = parameter
            conditions.append(f"parameter_{number}._grad is not gradient_{number}")
        with_gradient = [t for t in call.bindings.with_gradient if all(t is not p for p in parameters)]
        for number, tensor in enumerate([*with_gradient, *call.bindings.without_gradient]):
            self.names[f"leaf_{number}"] = tensor
            conditions.append(f"leaf_{number}._grad is{'' if number < len(with_gradient) else ' not'} None")
        written = [(Code(f"storage_{numbers[storage]}"), writes, unseen) for storage, writes, unseen in call.counted]
        return {
            "kept": code_lines(conditions),
            "remembered": code_lines(remembered),
            "renewed": renewed,
            "written_to": written,
        }

    def _placed(self, fresh: list[str]) -> list[tuple[Code, Code]]:
        """Where in the plan's inputs and outputs what is put."""
        call = self._call
        inputs, first = ("places", len(call.bindings.inputs)) if self._is_direct else ("inputs", 0)
        outputs = "places" if self._is_direct else "outputs"
        slots = [slot for slot, _ in [*call.arguments, *call.moving]] + call.drawings.slots
        placed = [(Code(f"{inputs}[{slot}]"), Code(f"v{slot}")) for slot in slots]
        numbers = [output.number for output in call.fresh]
        return placed + [
            (Code(f"{outputs}[{first + number}]"), Code(name)) for number, name in zip(numbers, fresh, strict=True)
        ]

    def _returned(self) -> dict[str, Any]:
        bindings = self._call.bindings
        contents = {output.end.of: f"r{output.number}" for output in self._call.fresh if output.end.role is Role.RESULT}
        self.names |= bindings.build.names
        return {
            "returned": [Code(self._tensor(n, each, contents)) for n, each in enumerate(bindings.returned)],
            "expression": Code(bindings.build.expression),
        }

    def _tensor(self, number: int, returned: Returned, contents: dict[int, str]) -> str:
        """An expression for a returned tensor."""
        role, of = returned.end
        if role is Role.ARGUMENT:
            return f"a{of}"
        if role is not Role.RESULT:
            self.names[f"returned_{number}"] = of
            return f"returned_{number}._grad" if role is Role.GRADIENT else f"returned_{number}"
        storage = f"contents_{contents[of]}"
        if not returned.chain and not returned.detached and not returned.is_view:
            return f"tensor_of({storage})"
        self.names[f"chain_{number}"] = returned.chain
        base = f"tensor_of({storage})" if returned.is_view else None
        return f"tensor_of({storage}, chain_{number}, {base}, {returned.detached})"
