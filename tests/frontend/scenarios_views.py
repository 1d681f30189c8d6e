"""Views: aliasing through chains of movements, and what a view says of its storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

CASES: list[Case] = []
scenario = scenarios(CASES)

_VIEWS: dict[str, Callable[[Any], Any]] = {
    "view": lambda x: x.view(2, 12),
    "view of one dim": lambda x: x.view(-1),
    "reshape": lambda x: x.reshape(6, 4),
    "transpose": lambda x: x.transpose(0, 1),
    "t": lambda x: x.t(),
    "T": lambda x: x.T,
    "permute": lambda x: x.permute(1, 0),
    "slice": lambda x: x[1:3],
    "slice with steps": lambda x: x[::2, 1::3],
    "select": lambda x: x.select(1, 2),
    "index": lambda x: x[2],
    "index two": lambda x: x[2, 3],
    "narrow": lambda x: x.narrow(1, 2, 3),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x[:1].squeeze(0),
    "None": lambda x: x[None, :, None],
    "expand": lambda x: x[:, :1].expand(4, 5),
    "expand front": lambda x: x.expand(3, 4, 6),
    "broadcast_to": lambda x: x.narrow(0, 0, 1).broadcast_to(2, 6),
    "diagonal": lambda x: x.diagonal(1),
    "flatten": lambda x: x.flatten(),
    "unflatten": lambda x: x.unflatten(1, (2, 3)),
    "movedim": lambda x: x.movedim(0, 1),
    "unbind": lambda x: x.unbind(1)[3],
    "split": lambda x: x.split(3, dim=1)[1],
    "chunk": lambda x: x.chunk(2)[1],
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "view_as": lambda x: x.view_as(x.new_zeros(3, 8)),
    "ellipsis": lambda x: x[...],
    "detach": lambda x: x.detach(),
    "contiguous": lambda x: x.contiguous(),
    "copy of transposed": lambda x: x.t().contiguous(),
    "reshape of transposed": lambda x: x.t().reshape(4, 6),
    "clone": lambda x: x.clone(),
    "integer array": lambda x: x[[0, 1]],
    "mask": lambda x: x[x > 3],
    "to the same dtype": lambda x: x.to(x.dtype),
    "chain": lambda x: x.t()[1:4].unsqueeze(0).transpose(1, 2)[:, ::2].flatten(1),
    "chain of views": lambda x: x.view(2, 2, 6).permute(2, 0, 1)[1:, 1].unsqueeze(0).expand(2, 5, 2)[1],
}


def _grid(t: Any) -> Any:
    return t.arange(24.0).reshape(4, 6).clone()


def _view_case(name: str, view: Callable[[Any], Any]) -> Case:
    """Layout of a view, whether it shares memory, and what a write on either side does to the other."""

    def function(t: Any) -> list[Any]:
        x = _grid(t)
        y = view(x)
        layout = [tuple(y.shape), y.stride(), y.storage_offset(), y.is_contiguous(), y.data_ptr() - x.data_ptr()]
        outcome: list[Any] = layout if _shares(x, y) else [*layout[:-1], "its own memory"]
        outcome.append([y._version, x._version])
        x.mul_(2)
        outcome += [y.clone(), y._version == x._version]
        if 0 not in y.stride():
            y.add_(100)
            outcome += [x.clone(), y.clone(), x._version]
        return outcome

    return Case(f"view: {name}", function, gradient=False)


def _shares(x: Any, y: Any) -> bool:
    """Whether `y` begins inside the memory of `x`."""
    distance = y.data_ptr() - x.data_ptr()
    return 0 <= distance < x.numel() * x.element_size()


CASES += [_view_case(name, view) for name, view in _VIEWS.items()]


@scenario
def the_issues_example(t: Any) -> Any:
    x = t.rand(4, 4)
    b = x.view(2, 8)
    b[0][0] = 3.14
    return x[0][0], b[0, 0], x.data_ptr() == b.data_ptr()


@scenario
def write_to_the_base_is_seen_by_every_view(t: Any) -> list[Any]:
    x = _grid(t)
    views = [view(x) for name, view in _VIEWS.items() if name not in ("copy of transposed", "clone")]
    x[1] = -1.0
    x[:, 2].zero_()
    return views


@scenario
def write_to_a_view_is_seen_by_its_siblings(t: Any) -> list[Any]:
    x = _grid(t)
    row, column, corner = x[1], x[:, 2], x[:2, :3]
    row.fill_(7)
    column += 100
    corner.t()[0, 1] = -5
    return [x, row, column, corner, x._version, row._version]


@scenario
def write_through_a_chain(t: Any) -> list[Any]:
    x = t.zeros(2, 3, 4)
    view = x.transpose(0, 2)[1:3].select(1, 2).unbind(1)[1]
    view.copy_(t.tensor([5.0, 6.0]))
    view.unsqueeze(0)[0, 0] = 9
    return [x, view, view.stride(), view.storage_offset()]


@scenario
def a_view_outlives_its_base(t: Any) -> Any:
    x = _grid(t)
    view = x[1:3].t()
    x += 1
    del x
    view *= 2
    return view, view._base.shape == (4, 6)


@scenario
def writes_in_turn_through_many_aliases(t: Any) -> list[Any]:
    x = t.zeros(6)
    aliases = [x, x.view(2, 3), x.view(3, 2).t(), x[::2], x.flip(0)]
    for step, alias in enumerate(aliases):
        alias.add_(10**step)
    return [*aliases, x._version]


@scenario
def overlapping_copy_within_one_storage(t: Any) -> Any:
    x = t.arange(6.0)
    x[1:] = x[:-1].clone()
    y = t.arange(6.0)
    y.view(2, 3).copy_(y.view(3, 2).t().clone())
    return x, y


@scenario
def swapped_rows(t: Any) -> Any:
    x = _grid(t)
    x[[0, 2]] = x[[2, 0]]
    x[0], x[1] = x[1].clone(), x[0].clone()
    return x


@scenario
def reading_before_a_write_keeps_the_old_value(t: Any) -> list[Any]:
    x = t.ones(3)
    before = x + 1
    part = x[:2] * 1
    x.mul_(5)
    after = x + 1
    return [before, part, after]


@scenario
def expanded_views_see_writes_of_the_base(t: Any) -> Any:
    x = t.tensor([[1.0], [2.0]])
    wide = x.expand(2, 3)
    x[0] = 9
    return wide, wide.stride(), wide.is_contiguous(), wide.sum()


@scenario
def bases(t: Any) -> list[Any]:
    x = _grid(t)
    view = x[1:].t()
    return [
        x._base is None,
        view._base is x,
        view[0]._base is x,
        x.clone()._base is None,
        x._is_view(),
        view._is_view(),
    ]


@scenario
def detached_tensors_share_memory(t: Any) -> list[Any]:
    x = t.ones(3, requires_grad=True)
    y = x * 2
    shared = y.detach()
    shared[0] = 50
    return [y.detach().clone(), shared.requires_grad, shared.data_ptr() == y.data_ptr(), y._version, shared._version]


@scenario
def data_shares_memory_without_versions(t: Any) -> list[Any]:
    x = t.ones(3, requires_grad=True)
    x.data.mul_(3)
    x.data[0] = 8
    return [x.detach().clone(), x._version, x.data.requires_grad, x.data_ptr() == x.data.data_ptr()]


@scenario
def assigning_data(t: Any) -> list[Any]:
    x = t.ones(3, requires_grad=True)
    x.data = t.arange(4.0)
    x.sum().backward()
    return [x.detach().clone(), x.grad, x.is_leaf]


@scenario
def to_shares_only_without_a_change(t: Any) -> list[Any]:
    x = t.ones(3)
    same, cast, copied = x.to(t.float32), x.to(t.float64), x.to(t.float32, copy=True)
    x.add_(1)
    return [same, cast, copied]


@scenario
def numpy_shares_what_it_shows(t: Any) -> list[Any]:
    x = t.arange(6.0).reshape(2, 3)
    return [x.numpy().tolist(), x.t().numpy().tolist(), x[:, 1].numpy().tolist(), x.numpy().dtype.name]


@scenario
def contiguity(t: Any) -> list[Any]:
    x = _grid(t)
    made = [x, x.t(), x[1:], x[:, 1:], x[:1].t(), x[:, :1], x.expand(1, 4, 6), x[0:0], x[2], x[:, 2], x.view(24)[::2]]
    return [(y.is_contiguous(), y.contiguous().stride(), y.contiguous() is y, y.stride()) for y in made]


@scenario
def views_that_cannot_be(t: Any) -> list[Any]:
    x = _grid(t)
    attempts: list[Callable[[], Any]] = [
        lambda: x.t().view(24),
        lambda: x[:, 1:].view(20),
        lambda: x.expand(2, 4, 6).view(48),
        lambda: x.view(5, 5),
    ]
    possible = [x[:, 1:].view(4, 5, 1), x.t().view(6, 2, 2), x.expand(2, 4, 6).view(2, 24), x[1:].view(-1)]
    return [[raised(attempt) for attempt in attempts], [(y.stride(), tuple(y.shape)) for y in possible]]


@scenario
def as_strided_windows(t: Any) -> Any:
    x = t.arange(8.0)
    windows = x.unfold(0, 3, 2)
    x[2] = 100
    return windows, windows.stride(), x.as_strided((2, 2), (1, 2), 1)


@scenario
def storage_is_kept_by_parts(t: Any) -> list[Any]:
    parts = list(t.arange(6.0).split(2))
    parts[1].zero_()
    first, second = t.ones(2, 2).unbind()
    first += 1
    return [*parts, first, second]
