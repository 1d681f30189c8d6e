"""``grad_fn`` has PyTorch's name of the step, for functions whose result says which they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg

TABLE = [[0.1, -0.2, 0.3], [0.5, 0.4, -0.6], [1.0, 2.0, 3.0], [-1.0, 0.7, 0.2]]


class _Given:
    """The same operands on either framework."""

    def __init__(self, framework: Any) -> None:
        self.framework, self.f, self.nn = framework, framework.nn.functional, framework.nn
        self.x = framework.tensor(TABLE, requires_grad=True)
        self.y = framework.tensor(TABLE).abs() / 4
        self.classes = framework.tensor([0, 1, 2, 0])
        self.images = framework.ones(2, 3, 8, 8, requires_grad=True)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "mse_loss": lambda g: g.f.mse_loss(g.x, g.y),
    "mse_loss of each": lambda g: g.f.mse_loss(g.x, g.y, reduction="none"),
    "the mean of squares": lambda g: ((g.x - g.y) ** 2).mean(),
    "l1_loss": lambda g: g.f.l1_loss(g.x, g.y),
    "smooth_l1_loss": lambda g: g.f.smooth_l1_loss(g.x, g.y),
    "huber_loss": lambda g: g.f.huber_loss(g.x, g.y),
    "cross_entropy": lambda g: g.f.cross_entropy(g.x, g.classes),
    "nll_loss": lambda g: g.f.nll_loss(g.x, g.classes),
    "nll_loss of images": lambda g: g.f.nll_loss(g.images, g.framework.zeros(2, 8, 8, dtype=g.framework.int64)),
    "binary_cross_entropy": lambda g: g.f.binary_cross_entropy(g.x.sigmoid(), g.y),
    "binary_cross_entropy_with_logits": lambda g: g.f.binary_cross_entropy_with_logits(g.x, g.y),
    "soft_margin_loss": lambda g: g.f.soft_margin_loss(g.x, g.y),
    "embedding": lambda g: g.nn.Embedding(5, 3)(g.classes),
    "rows": lambda g: g.x[g.classes],
    "a row": lambda g: g.x[0],
    "an element": lambda g: g.x[0, 1],
    "a column": lambda g: g.x[:, 1],
    "a slice": lambda g: g.x[1:3],
    "a convolution": lambda g: g.nn.Conv2d(3, 4, 3)(g.images),
    "a convolution without bias": lambda g: g.nn.Conv2d(3, 4, 3, bias=False)(g.images),
    "a transposed convolution": lambda g: g.nn.ConvTranspose2d(3, 4, 3)(g.images),
    "max_pool2d": lambda g: g.f.max_pool2d(g.images, 2),
    "linear": lambda g: g.nn.Linear(3, 2)(g.x),
    "linear of three dimensions": lambda g: g.nn.Linear(3, 2)(g.x[None]),
    "dropout": lambda g: g.f.dropout(g.x),
    "stack": lambda g: g.framework.stack([g.x, g.y], 1),
    "cat": lambda g: g.framework.cat([g.x, g.y]),
    "squeeze": lambda g: (g.x * 2)[:, None].squeeze(1),
    "view": lambda g: g.x.view(2, 6),
    "sum": lambda g: g.x.sum(),
    "sum of rows": lambda g: g.x.sum(1),
    "mean of rows": lambda g: g.x.mean(1),
    "max": lambda g: g.x.max(),
    "max of rows": lambda g: g.x.max(1).values,
    "amax": lambda g: g.x.amax(1),
    "std": lambda g: g.x.std(),
    "var": lambda g: g.x.var(),
    "norm": lambda g: g.x.norm(),
    "logsumexp": lambda g: g.x.logsumexp(1),
    "clamp": lambda g: g.x.clamp(0, 1),
    "clamp from below": lambda g: g.x.clamp(min=0),
    "log1p": lambda g: (g.x * g.x).log1p(),
    "contiguous": lambda g: g.x.t().contiguous(),
    "products of four dimensions": lambda g: g.images @ g.images,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_steps_have_pytorchs_names(program: Callable[[Any], Any], torch: Any) -> None:
    expected, given = program(_Given(torch)).grad_fn.name(), _Given(lg)
    assert [program(given).grad_fn.name() for _ in range(4)] == [expected] * 4  # the later ones are made from a trace


@pytest.mark.host_memory("PyTorch's tensor is on the CPU, and the text names another device")
def test_a_written_view_is_named_as_it_is_printed(torch: Any) -> None:
    def program(framework: Any) -> str:
        x = framework.ones(3, requires_grad=True) * 2
        x[0] = 5
        return str(x)

    assert program(lg) == program(torch)


@pytest.mark.parametrize(
    "program",
    [
        lambda g: g.f.mse_loss(g.nn.Linear(3, 3)(g.x), g.y),
        lambda g: g.f.nll_loss(g.f.log_softmax(g.x, 1), g.classes),
        lambda g: g.f.binary_cross_entropy(g.x.sigmoid(), g.y),
        lambda g: g.nn.Embedding(5, 3)(g.classes),
        lambda g: g.nn.Conv2d(3, 4, 3)(g.images.exp()),
        lambda g: (g.x * 2).mean(),
        lambda g: g.f.mse_loss(g.nn.Linear(3, 3)(g.x.exp()), g.y).grad_fn.next_functions[0][0].next_functions[1][0],
        lambda g: g.framework.stack([g.x.exp(), g.x.sin()]),
        lambda g: g.x.exp()[0],
    ],
    ids="mse_loss nll_loss binary_cross_entropy embedding conv2d mean linear stack row".split(),
)
def test_a_step_leads_to_what_the_function_was_given(program: Callable[[Any], Any], torch: Any) -> None:
    def program_names(framework: Any) -> list[list[str | None]]:
        given = _Given(framework)
        results = [program(given) for _ in range(4)]
        steps = [getattr(result, "grad_fn", result).next_functions for result in results]
        return [[step.name() for step, _ in found if step is not None] for found in steps]

    expected = [[name.replace("torch::autograd::", "") for name in found] for found in program_names(torch)]
    assert program_names(lg) == expected
