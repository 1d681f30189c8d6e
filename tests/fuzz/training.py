"""Random training programs: several models, optimizers, copies and gradients in random order, on torch and on lazygrad.

A program is a list of instructions of four small integers: what to do, and three operands, taken modulo what there is.
Both libraries run it with the same text; what it looks at on the way, and everything that is there at its end, must
be the same. Where torch refuses an instruction, lazygrad has to refuse it too, and the program ends there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import lazygrad

WIDTH, ROWS = 3, 4
DECAY = 0.75

Instruction = tuple[int, int, int, int]
operand = st.integers(0, 11)
training_programs = st.lists(st.tuples(st.integers(0, 1 << 10), operand, operand, operand), min_size=12, max_size=36)


class Training:
    """One run of a program.

    Attributes:
        seen: what the program looked at, as arrays.
        refused: the error that ended the program, or None.
        done: how many instructions ran before that.
        unchecked: whether it asked for a gradient that can be differentiated, or froze weights, which have other nodes
            then: lazygrad may compute the gradient of recorded values where torch refuses.
    """

    def __init__(self, lib: Any) -> None:
        self.lib = lib
        self.seen: list[np.ndarray] = []
        self.refused: Exception | None = None
        self.done = 0
        self.unchecked = False
        self._draws = np.random.default_rng(0)
        self.models = [self._model(bias) for bias in (True, True, False)]
        self.copies = [copy.deepcopy(model) for model in self.models]
        for parameter in self.copies[0].parameters():
            parameter.requires_grad_(False)
        first, second, third = ([*model.parameters()] for model in self.models)
        optim = lib.optim
        self.optimizers = [
            optim.SGD(first, lr=0.1),
            optim.SGD(second, lr=0.05, momentum=0.9, nesterov=True),
            optim.Adam(third, lr=0.02),
            optim.AdamW([*first, *second], lr=0.01),
        ]
        self.outputs: list[Any] = []
        self.losses: list[Any] = []
        self.kept: list[Any] = []
        self.arrays: list[np.ndarray] = []
        self.retired: list[Any] = []

    def _model(self, bias: bool) -> Any:
        nn = self.lib.nn
        model = nn.Sequential(
            nn.Linear(WIDTH, WIDTH, bias=bias), nn.Tanh(), nn.Linear(WIDTH, WIDTH, bias=bias)
        ).double()
        with self.lib.no_grad():
            for parameter in model.parameters():
                parameter.copy_(self._data(*parameter.shape))
        return model

    def _data(self, *shape: int) -> Any:
        return self.lib.tensor(self._draws.standard_normal(shape).round(2))

    def run(self, program: list[Instruction]) -> Training:
        for number, *operands in program:
            try:
                INSTRUCTIONS[number % len(INSTRUCTIONS)](self, *operands)
            except (RuntimeError, ValueError, IndexError) as error:
                self.refused = error
                return self
            self.done += 1
        for model in (*self.models, *self.copies):
            for parameter in model.parameters():
                self._look(parameter)
                if parameter.grad is not None:
                    self._look(parameter.grad)
        for optimizer in self.optimizers:
            for state in optimizer.state.values():
                for value in state.values():
                    self.seen.append(np.array(value.tolist() if hasattr(value, "tolist") else value, dtype=float))
        for tensor in (*self.outputs, *self.losses, *self.kept):
            self._look(tensor)
        self.seen += self.arrays
        return self

    def _look(self, tensor: Any) -> None:
        self.seen.append(_array(tensor))

    def input(self, i: int) -> Any:
        return self.outputs[i % len(self.outputs)] if self.outputs and i % 3 else self._data(ROWS, WIDTH)

    def parameter(self, i: int, j: int) -> Any:
        parameters = [*self.models[i % len(self.models)].parameters()]
        return parameters[j % len(parameters)]

    def output(self, i: int) -> Any:
        if not self.outputs:
            self.outputs.append(self.models[i % 3](self._data(ROWS, WIDTH)))
        return self.outputs[i % len(self.outputs)]

    def loss(self, i: int) -> Any:
        if not self.losses:
            self.losses.append(self.output(i).square().mean())
        return self.losses[i % len(self.losses)]


def _array(tensor: Any) -> np.ndarray:
    return np.array(tensor.detach().numpy(), copy=True)


def _any_model(t: Training, i: int) -> Any:
    models = [*t.models, *t.copies]
    return models[i % len(models)]


# Forward.


def nothing(t: Training, i: int, j: int, k: int) -> None:
    pass


def forward(t: Training, i: int, j: int, k: int) -> None:
    t.outputs.append(_any_model(t, i)(t.input(j)))


def forward_of_detached(t: Training, i: int, j: int, k: int) -> None:
    t.outputs.append(_any_model(t, i)(t.input(j).detach()))


def forward_without_gradient(t: Training, i: int, j: int, k: int) -> None:
    with t.lib.no_grad():
        t.outputs.append(_any_model(t, i)(t.input(j)))


def combine(t: Training, i: int, j: int, k: int) -> None:
    a, b = t.output(i), t.output(j)
    t.outputs.append([lambda: a + b, lambda: a * b, lambda: a - b.detach(), lambda: a.sigmoid()][k % 4]())


def mean_square(t: Training, i: int, j: int, k: int) -> None:
    t.losses.append(t.output(i).square().mean())


def difference(t: Training, i: int, j: int, k: int) -> None:
    t.losses.append((t.output(i) - t.output(j).detach()).square().sum())


def sum_of_losses(t: Training, i: int, j: int, k: int) -> None:
    t.losses.append(t.loss(i) + 0.5 * t.loss(j))


def weight_penalty(t: Training, i: int, j: int, k: int) -> None:
    t.losses.append(t.loss(i) + 0.1 * sum(p.square().sum() for p in _any_model(t, j).parameters()))


def gradient_penalty(t: Training, i: int, j: int, k: int) -> None:
    x = t._data(ROWS, WIDTH).requires_grad_()
    t.unchecked = True
    (gradient,) = t.lib.autograd.grad(_any_model(t, i)(x).sum(), x, create_graph=True)
    t.losses.append((gradient.square().sum(1).sqrt() - 1).square().mean())


# Backward.


def backward(t: Training, i: int, j: int, k: int) -> None:
    loss = t.loss(i)
    if loss.requires_grad:
        keep = k % 3 == 0
        loss.backward(retain_graph=keep)
        if not keep:
            _spend(t, loss)


def backward_into_some(t: Training, i: int, j: int, k: int) -> None:
    loss = t.loss(i)
    into = [p for p in (t.parameter(j, 0), t.parameter(j, k))[: 1 + k % 2] if p.requires_grad]
    if loss.requires_grad and into:
        loss.backward(inputs=into, retain_graph=True)


def backward_keeping_graph(t: Training, i: int, j: int, k: int) -> None:
    loss = t.loss(i)
    if loss.requires_grad:
        t.unchecked = True
        loss.backward(create_graph=True)


def gradients(t: Training, i: int, j: int, k: int) -> None:
    loss, parameters = t.loss(i), [p for p in _any_model(t, j).parameters() if p.requires_grad]
    if loss.requires_grad and parameters:
        keep = k % 2 == 0
        found = t.lib.autograd.grad(loss, parameters, retain_graph=keep, allow_unused=True)
        t.kept += [gradient for gradient in found if gradient is not None]
        if not keep:
            _spend(t, loss)


def _spend(t: Training, loss: Any) -> None:
    """Keep the number and let go of what shared its history, most of which cannot be used again."""
    t.kept.append(loss.detach())
    t.losses.clear()
    t.outputs.clear()


def backward_on_the_spot(t: Training, i: int, j: int, k: int) -> None:
    x = t.input(j)
    loss = t.models[i % 3](x).square().mean()
    if loss.requires_grad:
        loss.backward()
        if x.requires_grad:
            _spend(t, loss)


# Python code inside the backward pass.


def custom_function(t: Training, i: int, j: int, k: int) -> None:
    """Two tensors in, two out; what it gives back depends on what it saved and on which gradients are wanted."""

    class Mixed(t.lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a * b, a.sin() - b

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            a, b = ctx.saved_tensors
            if k % 3 == 0:
                t.seen.append(np.array(float(g.sum())))
            return g * b + h * a.cos(), (g * a - 0.5 * h if ctx.needs_input_grad[1] else None)

    results = Mixed.apply(t.output(i), t.output(j))
    t.outputs += [results[0], results[1]] if k % 2 else [results[0] + results[1]]


def hook_output(t: Training, i: int, j: int, k: int) -> None:
    output = t.output(i)
    if not output.requires_grad:
        return

    def hook(gradient: Any) -> Any:
        if k % 4 == 0:
            t.kept.append(gradient.abs().sum())
        elif k % 4 == 1:
            t.seen.append(np.array(float(gradient.sum())))
        return gradient * 0.5 if k % 4 > 1 else None

    handle = output.register_hook(hook)
    if j % 4 == 0:
        handle.remove()


def retain_gradient(t: Training, i: int, j: int, k: int) -> None:
    output = t.output(i)
    if output.requires_grad and not output.is_leaf:
        output.retain_grad()
        if k % 2 and output.grad is not None:
            t._look(output.grad)


# Optimizers and gradients.


def step(t: Training, i: int, j: int, k: int) -> None:
    t.optimizers[i % len(t.optimizers)].step()


def train(t: Training, i: int, j: int, k: int) -> None:
    """Some whole steps, as a loop has them: the later ones need not be recorded."""
    model, optimizer, x = t.models[i % 3], t.optimizers[i % 3], t.input(j).detach()
    for _ in range(3 + k % 3):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        if loss.requires_grad:
            loss.backward()
        optimizer.step()
    t._look(loss)


def zero_grad(t: Training, i: int, j: int, k: int) -> None:
    t.optimizers[i % len(t.optimizers)].zero_grad(set_to_none=k % 2 == 0)


def zero_model(t: Training, i: int, j: int, k: int) -> None:
    _any_model(t, i).zero_grad(set_to_none=k % 2 == 0)


def keep_gradient(t: Training, i: int, j: int, k: int) -> None:
    gradient = t.parameter(i, j).grad
    if gradient is not None:
        t.kept.append([gradient, gradient.clone(), gradient.detach() * 2][k % 3])


def scale_gradients(t: Training, i: int, j: int, k: int) -> None:
    for parameter in t.models[i % 3].parameters():
        if parameter.grad is not None:
            parameter.grad.mul_(0.5) if k % 2 else parameter.grad.data.clamp_(-0.1, 0.1)


def clip_gradients(t: Training, i: int, j: int, k: int) -> None:
    t._look(t.lib.nn.utils.clip_grad_norm_(t.models[i % 3].parameters(), 0.5))


def add_gradient_hook(t: Training, i: int, j: int, k: int) -> None:
    parameter = t.parameter(i, j)
    if parameter.requires_grad:
        handle = parameter.register_hook(lambda gradient: gradient * 0.5)
        if k % 2:
            handle.remove()


def freeze_or_thaw(t: Training, i: int, j: int, k: int) -> None:
    t.unchecked = True
    for parameter in t.models[i % 3].parameters():
        parameter.requires_grad_(k % 2 == 0)


# Copies.


def average_into_copy(t: Training, i: int, j: int, k: int) -> None:
    with t.lib.no_grad():
        for target, source in zip(t.copies[i % 3].parameters(), t.models[i % 3].parameters(), strict=True):
            if k % 3 == 0:
                target.mul_(DECAY).add_(source, alpha=1 - DECAY)
            elif k % 3 == 1:
                target.lerp_(source, 1 - DECAY)
            else:
                target.copy_(DECAY * target + (1 - DECAY) * source)


def average_through_data(t: Training, i: int, j: int, k: int) -> None:
    for target, source in zip(t.copies[i % 3].parameters(), t.models[i % 3].parameters(), strict=True):
        target.data.mul_(DECAY).add_(source.data, alpha=1 - DECAY)
    # Gradients across such a write are those of the recorded values here, and of a mixture in torch.
    t.losses.clear()
    t.outputs.clear()


def load_into_copy(t: Training, i: int, j: int, k: int) -> None:
    pair = [t.copies[i % 3], t.models[i % 3]]
    target, source = pair if i % 3 == 2 or k % 2 else pair[::-1] if i % 3 != 2 else pair
    if target[2].bias is None or source[2].bias is not None:
        target.load_state_dict(source.state_dict())


def copy_model(t: Training, i: int, j: int, k: int) -> None:
    t.retired.append(t.copies[j % 3])  # a leaf that nobody holds has no gradient, so nothing on its way is checked
    t.copies[j % 3] = copy.deepcopy(t.models[j % 3])


def change_weights_by_hand(t: Training, i: int, j: int, k: int) -> None:
    parameter = t.parameter(i, j)
    with t.lib.no_grad():
        if k % 3 == 0 and parameter.grad is not None:
            parameter -= 0.1 * parameter.grad
        elif k % 3 == 1:
            parameter[0] = 0.25
        else:
            parameter.clamp_(-1, 1)


# Looking and letting go.


def read(t: Training, i: int, j: int, k: int) -> None:
    t.seen.append(np.array(t.loss(i).item()))


def read_output(t: Training, i: int, j: int, k: int) -> None:
    t._look(t.output(i))


def read_gradient(t: Training, i: int, j: int, k: int) -> None:
    gradient = t.parameter(i, j).grad
    if gradient is not None:
        t._look(gradient)


def read_weight(t: Training, i: int, j: int, k: int) -> None:
    t._look(t.parameter(i, j))


def keep_weight(t: Training, i: int, j: int, k: int) -> None:
    parameter = t.parameter(i, j)
    t.kept.append([parameter.detach().clone(), parameter.detach() * 1.5, parameter.detach()[0].clone()][k % 3])


def share_with_numpy(t: Training, i: int, j: int, k: int) -> None:
    parameter = t.parameter(i, j)
    array = parameter.detach().numpy()
    t.arrays.append(array)
    if k % 3 == 0:
        array *= 0.5
        t.losses.clear()  # what was recorded from them has been computed in torch, with the old weights
        t.outputs.clear()


def read_array(t: Training, i: int, j: int, k: int) -> None:
    if t.arrays:
        t.seen.append(t.arrays[i % len(t.arrays)].copy())


def write_to_output(t: Training, i: int, j: int, k: int) -> None:
    output = t.output(i)
    part = [output, output[k % ROWS], output[:, j % WIDTH]][j % 3]
    part.mul_(0.5) if k % 2 else part.add_(t._data(WIDTH)[0])


def forget(t: Training, i: int, j: int, k: int) -> None:
    for listed in (t.outputs, t.losses, t.kept)[k % 3 : k % 3 + 1]:
        if listed:
            del listed[i % len(listed)]


def forget_all(t: Training, i: int, j: int, k: int) -> None:
    t.outputs.clear()
    t.losses.clear()


INSTRUCTIONS: list[Callable[[Training, int, int, int], None]] = [
    nothing, forward, forward, forward_of_detached, forward_without_gradient, combine, mean_square, mean_square,
    difference, sum_of_losses, weight_penalty, gradient_penalty, backward, backward, backward_into_some,
    backward_keeping_graph, gradients, backward_on_the_spot, backward_on_the_spot, step, step, step, train, train,
    zero_grad, zero_grad, zero_model, keep_gradient, scale_gradients, clip_gradients, add_gradient_hook, freeze_or_thaw,
    average_into_copy, average_through_data, load_into_copy, copy_model, change_weights_by_hand, read, read_output,
    read_gradient, read_weight, keep_weight, forget, forget_all, share_with_numpy, read_array, write_to_output,
    custom_function, custom_function, hook_output, hook_output, retain_gradient,
]  # fmt: skip


def assert_same(program: list[Instruction], torch: Any, runs: int = 1) -> None:
    """lazygrad finds what torch finds, and refuses what torch refuses, each time it runs the program."""
    want = Training(torch).run(program)
    for _ in range(runs):
        _assert_found(Training(lazygrad).run(program), want)


def _assert_found(have: Training, want: Training) -> None:
    if have.done > want.done:
        # See `Training`: the gradient is that of the recorded values.
        assert want.unchecked and "modified by an inplace operation" in str(want.refused), want.refused
        return
    assert type(have.refused) is type(want.refused), (want.refused, have.refused)
    # A backward that is refused has called some functions in torch before it finds out.
    assert have.refused is not None or len(have.seen) == len(want.seen)
    for position, (ours, theirs) in enumerate(zip(have.seen, want.seen, strict=have.refused is None)):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, position
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9, err_msg=f"value {position}")
