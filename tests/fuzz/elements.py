"""Random programs that read and write elements and parts of tensors, between work that is pending, on both libraries.

A program is a list of instructions of four small integers, as in `tests.fuzz.training`: what to do, and three operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

ROWS, COLUMNS = 4, 3

Instruction = tuple[int, int, int, int]
operand = st.integers(0, 11)
element_programs = st.lists(st.tuples(st.integers(0, 1 << 10), operand, operand, operand), min_size=8, max_size=32)


class Elements:
    """One run of a program.

    Attributes:
        tensors: of one size, each with memory of its own.
        views: of these, and of one another.
        results: what was recorded from them.
        weight: a leaf that requires gradients.
        seen: what the program looked at.
        refused: the error that ended the program, or None.
        done: how many instructions ran before that.
    """

    def __init__(self, lib: Any, compiled: Callable[[Any], Any]) -> None:
        self.lib = lib
        self.tensors = [self._data(ROWS, COLUMNS) for _ in range(3)]
        self.tensors.append(lib.zeros(ROWS, COLUMNS, dtype=lib.float64))
        self.whole_numbers = lib.arange(ROWS)
        self.weight = self._data(ROWS, COLUMNS).requires_grad_()
        self.views = [self.tensors[0][1], self.tensors[0].view(-1)]
        self.results: list[Any] = []
        self.arrays: list[np.ndarray] = []
        self.seen: list[Any] = []
        self.refused: Exception | None = None
        self.done = 0
        scale = self.scale = self._data(COLUMNS)
        first = scale[:1]
        counts = self.counts = lib.zeros(2)

        def call(x: Any) -> Any:
            counts[1] += 1
            return x * scale + first

        self.call = compiled(call)

    def _data(self, *shape: int) -> Any:
        count = len(getattr(self, "tensors", ())) + 2
        return self.lib.tensor(np.cos(np.arange(float(np.prod(shape))) * count).round(2).reshape(shape))

    def run(self, program: list[Instruction]) -> Elements:
        for number, *operands in program:
            try:
                INSTRUCTIONS[number % len(INSTRUCTIONS)](self, *operands)
            except (RuntimeError, ValueError, IndexError, TypeError) as error:
                self.refused = error
                return self
            self.done += 1
        kept = [*self.tensors, *self.views, *self.results, self.weight, self.counts, self.scale, self.whole_numbers]
        if self.weight.grad is not None:
            kept.append(self.weight.grad)
        self.seen += [tensor.detach().tolist() for tensor in kept]
        self.seen += [array.tolist() for array in self.arrays]
        self.seen += [tensor.requires_grad for tensor in kept]
        return self

    def tensor(self, i: int) -> Any:
        return self.tensors[i % len(self.tensors)]

    def any(self, i: int) -> Any:
        """A tensor or a view; of two dimensions or one."""
        everything = [*self.tensors, *self.views]
        return everything[i % len(everything)]

    def part(self, i: int, j: int) -> Any:
        """A part of something, which is not kept."""
        x = self.any(i)
        return x[j % x.shape[0]] if x.ndim else x

    def vector(self, i: int, j: int) -> Any:
        """Some COLUMNS numbers: computed, pending, or a part of a tensor."""
        makers = [
            lambda: self.lib.tensor([0.5, i, j], dtype=self.lib.float64),
            lambda: self.tensor(i)[j % ROWS],
            lambda: self.tensor(i)[j % ROWS] * 2,
            lambda: self.tensor(i).sum(0),
            lambda: self.tensor(i)[1:, j % COLUMNS].clone(),  # PyTorch writes over what it has yet to read
        ]
        return makers[j % len(makers)]()


# Reading.


def read_element(t: Elements, i: int, j: int, k: int) -> None:
    x = t.tensor(i)
    t.seen.append([x[j % ROWS, k % COLUMNS].item(), float(x[j % ROWS][k % COLUMNS])])


def read_part(t: Elements, i: int, j: int, k: int) -> None:
    part = t.part(i, j)
    t.seen.append([part.tolist(), tuple(part.shape), part.ndim, part.requires_grad])


def read_number(t: Elements, i: int, j: int, k: int) -> None:
    t.seen.append([bool(t.tensor(i)[j % ROWS, 0] > 0.25), t.any(i).sum().item(), int(t.whole_numbers[j % ROWS])])


def iterate(t: Elements, i: int, j: int, k: int) -> None:
    t.seen.append([row.tolist() for row in t.any(i)] + [len(t.any(i)), [int(number) for number in t.whole_numbers]])


def compare(t: Elements, i: int, j: int, k: int) -> None:
    t.seen.append([bool((t.tensor(i) == t.tensor(j)).all()), t.tensor(i).argmax().item(), t.tensor(k).max().item()])


def read_result(t: Elements, i: int, j: int, k: int) -> None:
    if t.results:
        t.seen.append(t.results[i % len(t.results)].detach().tolist())


# Writing.


def write_number(t: Elements, i: int, j: int, k: int) -> None:
    t.tensor(i)[j % ROWS, k % COLUMNS] = k / 4 - 1


def write_to_row(t: Elements, i: int, j: int, k: int) -> None:
    t.tensor(i)[j % ROWS] = t.vector(j, k)


def write_to_rows(t: Elements, i: int, j: int, k: int) -> None:
    t.tensor(i)[j % 2 : 3] = [t.vector(j, k), k, t.lib.tensor(k)][k % 3]


def write_to_column(t: Elements, i: int, j: int, k: int) -> None:
    t.tensor(i)[:, j % COLUMNS] = [float(k), t.tensor(j)[:, 0], t.tensor(j)[:, 1] + 1][k % 3]


def write_to_part(t: Elements, i: int, j: int, k: int) -> None:
    x = t.any(i)
    if x.ndim:
        x[j % x.shape[0]] = k


def write_integer(t: Elements, i: int, j: int, k: int) -> None:
    t.whole_numbers[i % ROWS] = [j, t.whole_numbers[j % ROWS], t.whole_numbers[j % ROWS] + 1, 1.75][k % 4]


def add_to_element(t: Elements, i: int, j: int, k: int) -> None:
    t.any(i)[j % 2] += k


def multiply_in_place(t: Elements, i: int, j: int, k: int) -> None:
    [t.any(i), t.part(i, j)][k % 2].mul_(0.5)


def write_through_data(t: Elements, i: int, j: int, k: int) -> None:
    x = [t.any(i), t.weight][j % 2]
    (x.data if k % 2 else x.detach())[j % 2] = k / 8
    forget_losses(t)


def forget_losses(t: Elements) -> None:
    """Across an unseen write, gradients are those of the recorded values here, and of a mixture in PyTorch."""
    t.results = [result for result in t.results if not result.requires_grad]


def write_weight(t: Elements, i: int, j: int, k: int) -> None:
    with t.lib.no_grad():
        t.weight[i % ROWS, j % COLUMNS] = k / 8
        t.seen.append(t.weight[i % ROWS].tolist())


def write_in_inference_mode(t: Elements, i: int, j: int, k: int) -> None:
    with t.lib.inference_mode():
        made = t.tensor(i) * 2
        made[j % ROWS] = k
        t.seen.append(made[j % ROWS, 0].item() + made.sum().item())
        t.tensor(i)[j % ROWS, 1] = k


def write_twice(t: Elements, i: int, j: int, k: int) -> None:
    x = t.tensor(i)
    x[0] = x[1]
    x[1:] = x[:-1].clone()


# What is pending, and who looks on.


def keep_view(t: Elements, i: int, j: int, k: int) -> None:
    x = t.any(i)
    if x.ndim == 2:
        views = [x[j % 2], x[:, j % 2], x.t(), x[1:], x[:, 1:], x.reshape(-1), x[None, 0], x[..., 1]]
        t.views.append(views[k % len(views)])
    elif x.ndim == 1:
        t.views.append([x[1:], x[j % 2], x.unsqueeze(0), x.detach(), x[:1].expand(3)][k % 5])


def combine(t: Elements, i: int, j: int, k: int) -> None:
    t.results.append([t.tensor(i) * t.tensor(j) + k, t.any(i) * 2, t.any(i).sum(), t.tensor(i).t() - 1][k % 4])


def of_row(t: Elements, i: int, j: int, k: int) -> None:
    t.results.append(t.part(i, j) * 3)


def join(t: Elements, i: int, j: int, k: int) -> None:
    rows = [t.tensor(i)[j % ROWS], t.tensor(j)[k % ROWS], t.vector(j, k)]
    rows = [t.tensor(i)[j % ROWS], t.tensor(j)[k % ROWS], t.vector(j, k)]
    x = t.tensor(i)
    ways = [lambda: t.lib.stack(rows, k % 2), lambda: t.lib.cat(rows), lambda: t.lib.cat([x, x], 1)]
    t.results.append(ways[k % 3]())


def loss(t: Elements, i: int, j: int, k: int) -> None:
    t.results.append((t.weight * t.tensor(i)).sum() + (t.weight[j % ROWS] * t.vector(i, k)).mean())


def backward(t: Elements, i: int, j: int, k: int) -> None:
    losses = [result for result in t.results if result.requires_grad and result.ndim == 0]
    if losses:
        losses[i % len(losses)].backward(retain_graph=True)


def write_gradient(t: Elements, i: int, j: int, k: int) -> None:
    if t.weight.grad is not None:
        t.weight.grad[i % ROWS] = k
        t.seen.append(t.weight.grad[j % ROWS, 0].item())


def require_gradient(t: Elements, i: int, j: int, k: int) -> None:
    fresh = t.tensor(i).clone()
    row = fresh[j % ROWS]
    fresh.requires_grad_()
    # PyTorch says of the older view that it requires a gradient, too, though none arrives anywhere.
    t.results += [(row * 2).detach(), fresh[0] * 2]


def look_from_outside(t: Elements, i: int, j: int, k: int) -> None:
    t.arrays.append(t.any(i).numpy())


def write_from_outside(t: Elements, i: int, j: int, k: int) -> None:
    if t.arrays:
        t.arrays[i % len(t.arrays)][...] = k / 2
        forget_losses(t)


def look_away(t: Elements, i: int, j: int, k: int) -> None:
    t.arrays.clear()


def call_compiled(t: Elements, i: int, j: int, k: int) -> None:
    with t.lib.no_grad():
        t.results.append(t.call(t.tensor(i)))


def write_what_is_compiled(t: Elements, i: int, j: int, k: int) -> None:
    t.scale[j % COLUMNS] = k / 4
    t.counts[0] = j


def forget(t: Elements, i: int, j: int, k: int) -> None:
    listed: list[Any] = [t.results, t.views][k % 2]
    if listed:
        del listed[i % len(listed)]


def forget_results(t: Elements, i: int, j: int, k: int) -> None:
    t.results.clear()


INSTRUCTIONS: list[Callable[[Elements, int, int, int], None]] = [
    read_element, read_element, read_part, read_part, read_number, iterate, compare, read_result, write_number,
    write_number, write_number, write_to_row, write_to_row, write_to_rows, write_to_column, write_to_part,
    write_to_part, write_integer, add_to_element, multiply_in_place, write_through_data, write_weight,
    write_in_inference_mode, write_twice, keep_view, keep_view, combine, combine, of_row, join, loss, backward,
    write_gradient, require_gradient, look_from_outside, write_from_outside, look_away, call_compiled,
    call_compiled, write_what_is_compiled, forget, forget_results,
]  # fmt: skip
