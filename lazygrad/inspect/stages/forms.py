"""The forms of a program as objects: recorded → primitive → fused → plan → the source of each target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lazygrad.inspect.kernels.taken_kernel import TakenKernel, taken_kernels
from lazygrad.inspect.showing import show
from lazygrad.inspect.stages.plan_network import PlanNetwork
from lazygrad.inspect.stages.plan_text import describe_plan
from lazygrad.ir.network import AsNetwork
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.runtime.kept_plan import whole_plan
from lazygrad.runtime.partitioned_plan import PartitionedPlan
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.realize import cache, new_plan
from lazygrad.runtime.recording import Recording
from lazygrad.targets.base import Target
from lazygrad.targets.devices import target_called
from lazygrad.tensor import Tensor

FORM_NAMES = ("recorded", "differentiated", "primitive", "fused", "plan")


class Form:
    """One form of a program: prints as text, can be shown and saved.

    Attributes:
        name: one of `FORM_NAMES`, or of a source the name of its target.
        value: the object behind it (a Graph, a FusedGraph, a Plan or a target's source).
        suffix: of files that hold it.
        network: the form for networkx and for drawing; None of what is no graph.
    """

    def __init__(
        self, name: str, value: Any, text: str, suffix: str = ".txt", network: AsNetwork | None = None
    ) -> None:
        self.name, self.value, self._text, self.suffix = name, value, text, suffix
        self.network = value if network is None and isinstance(value, AsNetwork) else network

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self.name} form, {len(self._text.splitlines())} lines; print it or .show() it>"

    def show(self) -> None:
        """Print this form; what the terminal cannot encode becomes an escape."""
        show(self._text)

    def save(self, path: str | Path) -> Path:
        """Write this form to ``path`` and return it; missing folders are made.

        A graph, and the plan, is written as its ending says, ``.dot``, ``.json`` or ``.graphml``; everything else is
        written as text.
        """
        target = Path(path)
        if self.network is not None and target.suffix in (".dot", ".json", ".graphml"):
            return self.network.save(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self._text + "\n", encoding="utf-8")
        return target


class _Sources(dict[str, Form]):
    """Sources by target. That of a target of another device is made when it is asked for, from a plan of its own."""

    def __init__(self, plan: Plan) -> None:
        super().__init__({target.name: _source_form(target, plan) for target in plan.targets})
        self._recorded = plan.stages.recorded

    def __missing__(self, name: str) -> Form:
        try:
            target = target_called(name)
        except KeyError:
            raise KeyError(f"there is no source {name!r}; this program has {', '.join(map(repr, self))}") from None
        return _source_form(target, Plan(self._recorded, targets=(target,)))


def _source_form(target: Target[Any], plan: Plan) -> Form:
    source = plan.source_in_force(target)
    return Form(target.name, source, source.text, target.suffix)


class Forms:
    """All forms of one program: ``forms.recorded`` … ``forms.plan``, and its sources; iterates in order.

    Those of a program on several devices show its parts one below the other from ``primitive`` on, and ``sources`` has
    one per part and target, for example ``forms.sources["0_numpy"]``.

    Attributes:
        plan_object: the compiled plan they belong to.
        sources: by target, for example ``forms.sources["c"]``. On a machine without a GPU, ``forms.sources["cuda"]`` is
            what the program would be there.
    """

    recorded: Form
    differentiated: Form
    primitive: Form
    fused: Form
    plan: Form
    sources: dict[str, Form]

    def __init__(self, plan: Plan | PartitionedPlan) -> None:
        self.plan_object = plan
        stages = plan.stages
        values: dict[str, tuple[Any, str]] = {
            "recorded": (stages.recorded, str(stages.recorded)),
            "differentiated": (stages.differentiated, str(stages.differentiated)),
        }
        if isinstance(plan, PartitionedPlan):
            parts = [Forms(part) for part in plan.plans]
            for name in ("primitive", "fused", "plan"):
                forms: list[Form] = [getattr(part, name) for part in parts]
                values[name] = [form.value for form in forms], _one_below_the_other(plan, forms)
            self.sources = {
                f"{number}_{name}": Form(f"{number}_{name}", form.value, str(form), form.suffix)
                for number, part in enumerate(parts)
                for name, form in part.sources.items()
            }
        else:
            values["primitive"] = stages.primitive, str(stages.primitive)
            values["fused"] = stages.fused, str(stages.fused)
            values["plan"] = plan, describe_plan(plan)
            self.sources = _Sources(plan)
        for name, (value, text) in values.items():
            network = PlanNetwork(value) if isinstance(value, Plan) else None
            setattr(self, name, Form(name, value, text, network=network))

    @property
    def kernels(self) -> list[TakenKernel]:
        """The kernels in the order in which they run, which can be saved as programs, edited and put back."""
        plans = self.plan_object.plans if isinstance(self.plan_object, PartitionedPlan) else [self.plan_object]
        return [taken for plan in plans for taken in taken_kernels(plan)]

    def __iter__(self) -> Iterator[Form]:
        return iter([*[getattr(self, name) for name in FORM_NAMES], *self.sources.values()])

    def __repr__(self) -> str:
        plan = self.plan_object
        return (
            f"<forms of plan {plan.number}: {len(plan.stages.recorded)} recorded nodes, "
            f"{len(plan.stages.primitive)} primitive, {plan.kernel_calls} kernels, {plan.library_calls} library calls>"
        )

    def save(self, folder: str | Path) -> list[Path]:
        """Write every form into ``folder`` as a numbered file."""
        return [form.save(Path(folder) / f"{number}_{form.name}{form.suffix}") for number, form in enumerate(self, 1)]


def _one_below_the_other(plan: PartitionedPlan, forms: list[Form]) -> str:
    titles = [f"part {number} on {part.device}" for number, part in enumerate(plan.plans)]
    return "\n\n".join([f"# {title}\n{form}" for title, form in zip(titles, forms, strict=True)])


def stages(x: Tensor | Sequence[Tensor]) -> Forms:
    """What ``x`` becomes when it is realized, without computing it. Of a realized tensor: a graph of one buffer.

    Args:
        x: a tensor; or a list of tensors that one program computes, such as a loss and the gradients of all parameters.

    Returns:
        ``recorded``, ``differentiated``, ``primitive``, ``fused``, ``plan``, ``sources`` by target and ``kernels``.
        Each form prints; its ``value`` is the object behind it.

    Raises:
        TypeError: it is no tensor, or not a list of tensors.
    """
    several = isinstance(x, (list, tuple)) and len(x) > 0
    return Forms(new_plan(Recording([tensor_argument(each, "stages", "x").node() for each in (x if several else [x])])))


def last_step() -> Forms:
    """The forms of the plan that ran last; of a training step that of the loss and all gradients.

    Raises:
        RuntimeError: nothing was planned yet.
    """
    if cache.last is None and cache.interpreted:
        raise RuntimeError(
            "no program was planned yet: what is new is computed node by node. Run it more often, call "
            "set_interpreted_runs(0) before, or look at a pending tensor with stages"
        )
    if cache.last is None:
        raise RuntimeError("nothing was realized yet: compute something first")
    return Forms(whole_plan(cache.last))


def dump(x: Tensor | Sequence[Tensor], folder: str | Path, targets: Sequence[str] = ()) -> list[Path]:
    """Write all forms of ``x`` as numbered files into ``folder`` (made if missing) and return their paths.

    Args:
        x: a tensor, or a list of tensors that one program computes.
        folder: where to.
        targets: names of targets whose source is written too, though the device of ``x`` has others, for example
            ``("cuda",)``.

    Raises:
        KeyError: there is no such target.
        NotImplementedError: an operation has no form on one of them.
    """
    forms = stages(x)
    forms.sources |= {name: forms.sources[name] for name in targets}
    return forms.save(folder)
