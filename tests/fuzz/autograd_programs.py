"""Random programs about gradients: what Python code takes part in, what is computed twice, and who reads what, when.

A program is a number that all choices are drawn from. It runs on PyTorch and on lazygrad with the same text, and what
it looks at must be the same. Where PyTorch refuses an instruction, the program ends.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np

Values = list[np.ndarray | None]


class AutogradProgram:
    """One run of a program.

    Args:
        lib: PyTorch, or lazygrad.
        seed: which program.

    Attributes:
        seen: what the program looked at.
        done: how many instructions ran before one was refused.
        refused: the error, or None.
    """

    def __init__(self, lib: Any, seed: int) -> None:
        self.lib, self.choices, self.numbers = lib, random.Random(seed), np.random.default_rng(seed)
        self.length = self.choices.randint(4, 14)
        self.checkpoint = importlib.import_module(f"{lib.__name__}.utils.checkpoint").checkpoint
        # PyTorch's reentrant checkpoints know neither `grad` nor gradients of gradients, and call hooks of a weight
        # once for each of them.
        self.is_reentrant = self.choices.random() < 0.25
        self.size = self.choices.randint(1, 5)
        self.seen: Values = []
        self.done, self.refused = 0, None
        self.seen_by_hooks: list[list[np.ndarray]] = []
        # One list for each hook: PyTorch promises no order among the hooks of different tensors.
        self.kept_by_hooks: list[list[Any]] = []
        self.leaves = [self.leaf(self.size) for _ in range(3)]
        self.matrix = self.leaf(self.size, self.size)
        self.values: list[Any] = []
        self.losses: list[Any] = []
        self.gradients: list[Any] = []
        self.retained: list[Any] = []
        # What arrives at a checkpoint's result in a second derivative depends on whether the formulas of the first one
        # read it, as PyTorch's do, or its repetition, as here; so either is seen by a hook, or derived twice.
        self.results: list[Any] = []
        self.has_seen_results = self.has_derived_twice = False
        self.functions = functions(self)

    def leaf(self, *shape: int) -> Any:
        return self.data(*shape).requires_grad_()

    def data(self, *shape: int) -> Any:
        return self.lib.tensor(self.numbers.uniform(-1.2, 1.2, shape).round(3), dtype=self.lib.float64)

    def run(self, only: int | None = None) -> AutogradProgram:
        """Run it to its end, or its first ``only`` instructions."""
        for _ in range(self.length if only is None else only):
            instruction = self.choices.choice(INSTRUCTIONS)
            try:
                instruction(self)
            except (RuntimeError, ValueError, IndexError, AttributeError) as error:
                self.refused = error
                return self
            self.done += 1
        if only is None:
            try:
                self.finish()
            except (RuntimeError, ValueError, IndexError, AttributeError) as error:
                self.refused = error
        return self

    def finish(self) -> None:
        """Differentiate whatever was not, and look at all that is left, in some order."""
        if self.choices.random() < 0.6:
            losses = self.losses or [self.value().square().sum()]
            self.differentiate([self.choices.choice(losses)])
        pending = [leaf.grad for leaf in (*self.leaves, self.matrix, *self.retained)]
        pending += [*self.gradients, *self.values[-2:], *self.losses[-1:]]
        pending += [gradient for kept in self.kept_by_hooks for gradient in kept]
        self.look(pending)
        for seen in self.seen_by_hooks:
            self.seen += seen

    # What there is.

    def weight(self) -> Any:
        return self.choices.choice(self.leaves)

    def value(self) -> Any:
        if not self.values:
            self.values.append(self.weight() * self.data(self.size))
        return self.choices.choice([*self.values[-4:], *self.leaves[:1]])

    def loss(self) -> Any:
        if not self.losses:
            self.losses.append((self.value() * self.weight()).sum())
        return self.choices.choice(self.losses[-3:])

    # Looking.

    def look(self, tensors: list[Any]) -> None:
        """See the values of some tensors: one by one in some order, or several together."""
        order = list(range(len(tensors)))
        self.choices.shuffle(order)
        together = self.choices.random() < 0.3
        found: list[Any] = [None if tensor is None else tensor.detach() for tensor in tensors]
        if together:
            flat = [found[i].reshape(-1) for i in order if found[i] is not None]
            if flat:
                self.lib.cat(flat).numpy()
        arrays: Values = [None] * len(tensors)
        for i in order:
            if found[i] is not None:
                arrays[i] = np.array(found[i].numpy(), copy=True)
        self.seen += arrays

    def differentiate(self, outputs: list[Any], can_be_grad: bool = True) -> None:
        outputs = [output for output in outputs if output.requires_grad]
        if not outputs:
            return
        choices, lib = self.choices, self.lib
        keep = choices.choice([None, True, True])
        create = not self.is_reentrant and choices.random() < 0.2
        if self.is_reentrant or not can_be_grad or choices.random() < 0.4:
            some = choices.sample([*self.leaves, self.matrix], 2) if choices.random() < 0.2 else None
            if self.is_reentrant:
                some = None
            lib.autograd.backward(outputs, retain_graph=keep, create_graph=create, inputs=some)
        else:
            asked = [*self.leaves, self.matrix]
            choices.shuffle(asked)
            asked = asked[: choices.randint(1, 4)]
            found = lib.autograd.grad(outputs, asked, retain_graph=keep, create_graph=create, allow_unused=True)
            self.gradients += [gradient for gradient in found if gradient is not None]
        if keep is None and not create:
            self.values, self.losses = [], []


def functions(p: AutogradProgram) -> list[Callable[[Any, Any], Any]]:
    """Custom functions of two tensors, each in some form; they keep what they were given, in several ways."""
    lib, function = p.lib, p.lib.autograd.Function
    leaf, shared = p.leaves[0], []

    class Closing(function):
        """Saves one, closes over the other, and asks for a gradient of its own."""

        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.w = w
            ctx.save_for_backward(x)
            return lib.tanh(x * w)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            with lib.enable_grad():
                y = x.detach().requires_grad_()
                w = ctx.w if ctx.w.requires_grad and ctx.w.is_leaf else ctx.w.detach().requires_grad_()
                z = lib.tanh(y * w)
            return lib.autograd.grad(z, (y, w), g)

    class Recomputing(function):
        """As a checkpoint written by hand: runs a part again, and differentiates that."""

        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(x, w)
            return (x * w).sin() + w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            with lib.enable_grad():
                again = [each.detach().requires_grad_() for each in ctx.saved_tensors]
                out = (again[0] * again[1]).sin() + again[1]
                lib.autograd.backward(out, g)
            return again[0].grad, again[1].grad

    class Formula(function):
        """Gives formulas that can be differentiated again."""

        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(x, w)
            return x * x * w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, w = ctx.saved_tensors
            return 2 * g * x * w, g * x * x

    class Half(function):
        """Says nothing of its second input."""

        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(w)
            return x * w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0], None

    class Two(function):
        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(x, w)
            return x * w, x.cos() - w

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            x, w = ctx.saved_tensors
            shared.append(g.detach())
            return g * w - h * x.sin(), g * x - h

    class Bare(function):
        """Its outputs without a gradient are None."""

        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, w * 3

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return None if g is None else g * 2, None if h is None else h * 3

    class Dirty(function):
        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            ctx.save_for_backward(w)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2, ctx.saved_tensors[0] * g.sum() * 0.1

    class Reading(function):
        """Looks at the values of what it is given."""

        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(x)
            return x.exp() * 0.3 + w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            scale = 2.0 if float(g.abs().sum()) > 1 else 1.0
            return g * ctx.saved_tensors[0].exp() * 0.3 * scale, g

    class Outside(function):
        """Uses a leaf that is none of its inputs."""

        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            return x - w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            earlier = shared[-1].sum() if shared else 0.5
            return g * leaf, -g * earlier

    def both(name: Any) -> Callable[[Any, Any], Any]:
        return lambda x, w: sum(name.apply(x, w))

    return [
        Closing.apply, Closing.apply, Recomputing.apply, Formula.apply, Formula.apply, Half.apply, both(Two),
        both(Bare), lambda x, w: Two.apply(x, w)[p.size % 2], lambda x, w: Bare.apply(x, w)[0],
        lambda x, w: Dirty.apply(x * 1.5, w), Reading.apply, Outside.apply,
    ]  # fmt: skip


# Computing.


def operate(p: AutogradProgram) -> None:
    p.values.append(operation(p)(p.value(), p.weight()))


def operation(p: AutogradProgram) -> Callable[[Any, Any], Any]:
    return p.choices.choice(
        [
            lambda x, w: x * w,
            lambda x, w: x + w,
            lambda x, w: x - 0.5 * w,
            lambda x, w: x.tanh(),
            lambda x, w: (x * w).sin(),
            lambda x, w: x * x.detach() + w,
            lambda x, w: p.lib.mv(p.matrix, x),
            lambda x, w: (x.reshape(1, -1) @ p.matrix).reshape(-1) * w,
            lambda x, w: x * w.sum(),
            lambda x, w: p.lib.where(x > 0, x, 0.2 * x * w),
            lambda x, w: x.flip(0) + w[:1],
            lambda x, w: p.lib.cat([x[1:], w[:1]]),
            lambda x, w: x.sign() + w,
            lambda x, w: p.lib.softmax(x * w, 0),
        ]
    )


def write_in_place(p: AutogradProgram) -> None:
    value = p.value().clone() if p.choices.random() < 0.7 else p.value() * p.weight()
    kind = p.choices.randrange(5)
    if kind == 0:
        value.mul_(p.weight())
    elif kind == 1:
        value.add_(p.value())
    elif kind == 2:
        value[0] = p.weight()[-1] * 2
    elif kind == 3:
        value[:1].copy_(p.weight()[:1])
    else:
        value.sigmoid_()
    p.values.append(value)


def call_function(p: AutogradProgram) -> None:
    p.values.append(p.choices.choice(p.functions)(p.value(), p.weight()))


def checkpointed(p: AutogradProgram) -> None:
    """One checkpoint or several one after the other, over the same weights or others."""
    value = p.value()
    for _ in range(p.choices.choice([1, 1, 2, 4])):
        value = one_checkpoint(p, value)
    p.values.append(value)


def one_checkpoint(p: AutogradProgram, value: Any) -> Any:
    choices, weights = p.choices, [p.weight(), p.weight()]
    steps = [operation(p) for _ in range(choices.randint(1, 3))]
    if choices.random() < 0.15 and not p.is_reentrant:
        steps.append(choices.choice(p.functions[3:8]))
    kind = choices.randrange(4)

    def inside(x: Any, *given: Any) -> Any:
        used = [*given, *weights]
        for i, step in enumerate(steps):
            x = step(x, used[i % len(used)])
        return (x, x * weights[0]) if kind == 3 else x

    def nested(x: Any, *given: Any) -> Any:
        return p.checkpoint(inside, x * 1.1, *given, use_reentrant=p.is_reentrant)

    if p.is_reentrant and not value.requires_grad:
        value = value + p.leaves[0]
    given = [p.weight()] if choices.random() < 0.5 else []
    function = nested if choices.random() < 0.15 and kind != 3 else inside
    found = p.checkpoint(function, value, *given, use_reentrant=p.is_reentrant)
    if kind == 3:
        return found[0] + found[1]
    p.results.append(found)
    return found


def make_loss(p: AutogradProgram) -> None:
    value = p.value()
    kind = p.choices.randrange(5)
    if kind == 0:
        p.losses.append(value.square().sum())
    elif kind == 1:
        p.losses.append((value * p.weight()).mean())
    elif kind == 2:
        p.losses.append((value - p.value().detach()).abs().sum())
    elif kind == 3:
        p.losses.append(p.loss() + 0.3 * value.sum())
    else:
        p.losses.append((value * p.value()).sum())


# Differentiating.


def differentiate(p: AutogradProgram) -> None:
    p.differentiate([p.loss()])


def differentiate_two(p: AutogradProgram) -> None:
    """Two losses over the same leaves."""
    first, second = (p.value() * p.weight()).sum(), p.loss()
    if p.choices.random() < 0.5:
        p.differentiate([first, second])
        return
    if not first.requires_grad or not second.requires_grad:
        return
    if p.is_reentrant:
        first.backward(retain_graph=True)
        second.backward(retain_graph=True)
        return
    asked = [*p.leaves, p.matrix]
    one, two = (p.lib.autograd.grad(loss, asked, retain_graph=True, allow_unused=True) for loss in (first, second))
    kind = p.choices.randrange(3)
    for a, b in zip(one, two, strict=True):
        if a is None or b is None:
            continue
        p.gradients.append([a - b, a * 2 + b, (a * b).sum()][kind])
        if p.choices.random() < 0.3:
            p.look([p.gradients[-1]])


def compare_with_plain(p: AutogradProgram) -> None:
    """The gradient of a function beside an ordinary one of the same value, combined before either is read."""
    if p.is_reentrant:
        return
    x, w = p.weight(), p.weight()
    special = p.choices.choice(p.functions)(x * 1, w) if p.choices.random() < 0.6 else one_checkpoint(p, x)
    asked = list({id(leaf): leaf for leaf in (x, w, *p.leaves)}.values())
    own = p.lib.autograd.grad(special.square().sum(), asked, allow_unused=True)
    plain = p.lib.autograd.grad((x * w).tanh().square().sum(), asked, allow_unused=True)
    both = [a - b for a, b in zip(own, plain, strict=True) if a is not None and b is not None]
    p.look(both) if p.choices.random() < 0.6 else p.gradients.extend(both)


def differentiate_twice(p: AutogradProgram) -> None:
    """A gradient that is a part of a loss."""
    loss = p.loss()
    if p.is_reentrant or p.has_seen_results or not loss.requires_grad:
        return
    p.has_derived_twice = True
    asked = p.choices.sample(p.leaves, 2)
    found = p.lib.autograd.grad(loss, asked, create_graph=True, allow_unused=True)
    parts = [(gradient * (i + 1)).square().sum() for i, gradient in enumerate(found) if gradient is not None]
    if not parts:
        return
    if p.choices.random() < 0.4:
        p.look([parts[0]])
    penalty = sum(parts[1:], parts[0])
    p.losses.append(penalty if p.choices.random() < 0.5 else penalty + loss)


def weigh(p: AutogradProgram) -> None:
    """A vector's gradient, with a weight for each element."""
    value = p.value()
    if not value.requires_grad or value.is_leaf:
        return
    weight = p.data(*value.shape)
    if p.is_reentrant:
        value.backward(weight, retain_graph=True)
        return
    found = p.lib.autograd.grad(value, p.leaves, weight, retain_graph=True, allow_unused=True)
    p.gradients += [gradient for gradient in found if gradient is not None]


# Hooks.


def may_see(p: AutogradProgram, value: Any) -> bool:
    """Whether a hook may stand at a value; from then on the program derives no checkpoint's result twice."""
    if not any(value is result for result in p.results):
        return True
    p.has_seen_results = True
    return not p.has_derived_twice


def hook(p: AutogradProgram) -> None:
    value = p.value()
    if not value.requires_grad or (p.is_reentrant and value.is_leaf) or not may_see(p, value):
        return
    kind, seen, kept = p.choices.randrange(5), list[np.ndarray](), list[Any]()
    p.seen_by_hooks.append(seen)
    p.kept_by_hooks.append(kept)

    def function(gradient: Any) -> Any:
        if gradient is None:  # PyTorch calls hooks also where a function has said nothing
            return None
        if kind == 0:
            kept.append(gradient.detach() * 2)
        elif kind == 1:
            seen.append(np.array(float(gradient.sum())))
        elif kind == 2:
            return gradient * p.leaves[1].detach()
        elif kind == 3:
            return gradient.clamp(-1, 1)
        return None

    handle = value.register_hook(function)
    if kind == 4:
        handle.remove()


def hook_of_leaf(p: AutogradProgram) -> None:
    if p.is_reentrant:
        return
    leaf, kind, kept = p.weight(), p.choices.randrange(3), list[Any]()
    p.kept_by_hooks.append(kept)
    if kind == 0:
        leaf.register_hook(lambda gradient: None if gradient is None else gradient * 0.5)
    elif kind == 1:
        leaf.register_hook(lambda gradient: None if gradient is None else kept.append(gradient.detach().abs()))
    else:
        leaf.register_post_accumulate_grad_hook(
            lambda tensor: None if tensor.grad is None else kept.append(tensor.grad.detach() * 1)
        )


def retain(p: AutogradProgram) -> None:
    value = p.value()
    if value.requires_grad and not value.is_leaf and may_see(p, value):
        value.retain_grad()
        p.retained.append(value)


# Reading, and updating.


def read_value(p: AutogradProgram) -> None:
    p.look([p.value()])


def read_loss(p: AutogradProgram) -> None:
    p.seen.append(np.array(p.loss().item()))


def read_some_gradients(p: AutogradProgram) -> None:
    p.look([leaf.grad for leaf in p.choices.sample([*p.leaves, p.matrix], 2)])


def read_kept_gradients(p: AutogradProgram) -> None:
    p.look(p.gradients[-2:])


def combine_gradients(p: AutogradProgram) -> None:
    held = [leaf.grad for leaf in p.leaves if leaf.grad is not None]
    if held:
        p.gradients.append(sum((gradient.detach() for gradient in held[1:]), held[0].detach()).abs().max())


def zero_gradients(p: AutogradProgram) -> None:
    none = p.choices.random() < 0.5
    for leaf in (*p.leaves, p.matrix):
        if none:
            leaf.grad = None
        elif leaf.grad is not None and not leaf.grad.requires_grad:
            leaf.grad.zero_()


def step(p: AutogradProgram) -> None:
    """Update the weights; what was recorded of them is let go of, as a loop does it."""
    p.values, p.losses = [], []
    with p.lib.no_grad():
        for leaf in (*p.leaves, p.matrix):
            if leaf.grad is not None:
                leaf -= 0.1 * leaf.grad


INSTRUCTIONS: list[Callable[[AutogradProgram], None]] = [
    operate, operate, operate, write_in_place, call_function, call_function, call_function, checkpointed, checkpointed,
    checkpointed, make_loss, make_loss, make_loss, differentiate, differentiate, differentiate_two, differentiate_two,
    compare_with_plain, compare_with_plain, differentiate_twice, weigh, hook, hook, hook_of_leaf, retain, read_value,
    read_loss, read_some_gradients, read_kept_gradients, combine_gradients, zero_gradients, step,
]  # fmt: skip
