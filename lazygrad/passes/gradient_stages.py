"""Sweeps in which Python code took part, as their stages say; see `lazygrad.ir.primitives.gradient`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from lazygrad.autodiff.registry import PullbackRule
from lazygrad.autodiff.reverse import reverse_sweep_of_sum
from lazygrad.ir.dtype import float32
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.gradient import gradient_passed_on, gradient_replaced, gradient_seeds
from lazygrad.ir.primitives.leaf import structural_number

Expanded = Callable[[Node], Node]
Answer = Callable[[Node, Node], None]


class Chains:
    """All chains of stages in a program."""

    def __init__(self) -> None:
        self._chains: dict[Node, _Chain] = {}  # by stage

    def add(self, gradient: Node) -> None:
        """Tell of a gradient of a stage."""
        new: list[Node] = []
        stage = gradient.inputs[0]
        while stage not in self._chains and stage.op is not gradient_seeds:
            new.append(stage)
            stage = stage.inputs[0]
        chain = self._chains.setdefault(stage, _Chain(stage))
        for each in reversed(new):
            chain.stages[each] = len(chain.stages)
            self._chains[each] = chain
        chain.gradients.append(gradient)

    def sweep(self, stage: Node, expanded: Expanded, answer: Answer) -> None:
        """Compute the gradients of a chain, unless that was begun before.

        Args:
            stage: one of the chain's.
            expanded: what a node is, with the gradients that it is computed from spelled out.
            answer: told of each gradient that a sweep arrives at. What a function was given is told before what it
                answered is expanded.
        """
        chain = self._chains[stage]
        if not chain.is_begun:
            chain.is_begun = True
            chain.sweep(expanded, answer)


class _Chain:
    """The stages of one backward pass.

    Attributes:
        stages: with their numbers, first to last.
        gradients: the `grad` nodes of any of them.
    """

    def __init__(self, root: Node) -> None:
        self.stages: dict[Node, int] = {root: 0}
        self.gradients: list[Node] = []
        self.is_begun = False

    def sweep(self, expanded: Expanded, answer: Answer) -> None:
        asked: dict[Node, list[Node]] = defaultdict(list)
        for gradient in self.gradients:
            asked[expanded(gradient.inputs[2])].append(gradient)
        seeds, *later = self.stages
        places = [expanded(stage.inputs[1]) for stage in later]
        replaced = {node: stage for node, stage in zip(places, later, strict=True) if stage.op is gradient_replaced}
        custom: dict[Node, PullbackRule] = {}
        for node, stage in zip(places, later, strict=True):
            if stage.op is gradient_passed_on:
                custom[node] = partial(_passed_on, stage, expanded)
                custom |= {expanded(output): _arrived for output in stage.inputs[2 : 2 + stage["outputs"]]}

        def on_gradient(node: Node, gradient: Node) -> Node:
            stage = replaced.get(node)
            for each in asked.get(node, ()):
                if stage is None or self.stages[each.inputs[0]] < self.stages[stage]:
                    answer(each, gradient)
            if stage is None:
                return gradient
            gradient = expanded(stage.inputs[2])
            for each in asked.get(node, ()):
                if self.stages[each.inputs[0]] >= self.stages[stage]:
                    answer(each, gradient)
            return gradient

        count = seeds["outputs"]
        outputs, cotangents = map(expanded, seeds.inputs[:count]), map(expanded, seeds.inputs[count:])
        # In the order in which the functions were called: one may have used what another one was given.
        following = dict(pairwise(places))
        pairs = [*zip(outputs, cotangents, strict=True)]
        reverse_sweep_of_sum(pairs, [*asked], on_gradient, custom, following=following)


def _arrived(gradient: Node, *_: Node) -> tuple[Node | None, ...]:
    """An output of a custom function lets the gradient go on from the function, as what the function says."""
    return None, structural_number(1.0, float32)


def _passed_on(stage: Node, expanded: Expanded, *_: Node) -> tuple[Node | None, ...]:
    answers = iter(stage.inputs[2 + stage["outputs"] :])
    return tuple([expanded(next(answers)) if given else None for given in stage["given"]])
