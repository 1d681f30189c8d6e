"""Writes through the real and imaginary part, through conjugates, and through memory seen as another dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case, scenarios

CASES: list[Case] = []
scenario = scenarios(CASES)

_VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "real": lambda t, z: z.real,
    "imag": lambda t, z: z.imag,
    "t.real": lambda t, z: t.real(z),
    "conj": lambda t, z: z.conj(),
    "conj twice": lambda t, z: z.conj().conj(),
    "imag of conj": lambda t, z: z.conj().imag,
    "real of conj": lambda t, z: z.conj().real,
    "pairs": lambda t, z: t.view_as_real(z),
    "part of pairs": lambda t, z: t.view_as_real(z)[..., 1],
    "pairs and back": lambda t, z: t.view_as_complex(t.view_as_real(z)),
    "H": lambda t, z: z.H,
    "mH of a slice": lambda t, z: z[1:].mH,
    "imag of a slice": lambda t, z: z[:, ::2].imag,
    "slice of imag": lambda t, z: z.imag[1:, 1],
    "transposed real": lambda t, z: z.T.real,
    "flattened real": lambda t, z: z.real.flatten(),
    "resolved": lambda t, z: z.conj().resolve_conj(),
    "resolved imag": lambda t, z: z.conj().imag.resolve_neg(),
    "view float": lambda t, z: z.view(t.float32),
    "view int64": lambda t, z: z.view(t.int64),
    "view int16 of a slice": lambda t, z: z[1].view(t.int16),
    "view complex128": lambda t, z: z.view(t.complex128),
    "view uint8": lambda t, z: z.view(t.uint8),
    "view and back": lambda t, z: z.view(t.int32).view(t.complex64),
    "view of the same dtype": lambda t, z: z.view(t.complex64),
    "as_strided of real": lambda t, z: z.real.as_strided((2, 2), (2, 1), 1),
    "as_strided of conj": lambda t, z: z.conj().as_strided((2, 2), (4, 1), 1),
    "expanded real": lambda t, z: z.real.unsqueeze(0).expand(2, 3, 4),
}


def _grid(t: Any) -> Any:
    parts = t.arange(24.0).reshape(2, 3, 4) - 5
    return t.complex(parts[0], parts[1] * 2)


def _view_case(name: str, view: Callable[[Any, Any], Any]) -> Case:
    def function(t: Any) -> Any:
        z = _grid(t)
        seen = view(t, z)
        facts = [
            seen.stride(),
            seen.storage_offset(),
            seen.is_contiguous(),
            seen._is_view(),
            seen.is_conj(),
            seen.is_neg(),
        ]
        before = seen.clone()
        z.mul_(2 - 1j)
        return facts, before, seen.clone(), seen.contiguous().clone()

    return Case(f"complex view {name}", function, gradient=False)


def _write_case(name: str, view: Callable[[Any, Any], Any]) -> Case:
    def function(t: Any) -> Any:
        z = _grid(t)
        other = z.view(-1)
        seen = view(t, z)
        if "expanded" not in name:
            seen.add_(3)
            seen[0] = 1
        return z, other, z._version > 0 or "resolved" in name

    return Case(f"write through complex view {name}", function, gradient=False)


def _gradient_case(name: str, view: Callable[[Any, Any], Any], writes: bool) -> Case:
    """Gradients of what is seen, or of what was written through it."""

    def function(t: Any) -> Any:
        leaf = _grid(t).requires_grad_()
        z = leaf * (1 + 2j)
        seen = view(t, z)
        if not seen.requires_grad:
            return seen
        if writes:
            seen.mul_(2)
            seen[0] = 1
        loss = (z * z.conj() * (1 + 1j)).sum().imag if writes else (seen * seen * (1 + 1j)).sum().imag
        loss.backward()
        return loss.detach(), leaf.grad

    return Case(
        f"gradient {'of a write ' if writes else ''}through complex view {name}", function, gradient=False, slack=4
    )


CASES += [_view_case(name, view) for name, view in _VIEWS.items()]
CASES += [_write_case(name, view) for name, view in _VIEWS.items()]
# What PyTorch sends back through as_strided to elements that its input does not name is undefined.
CASES += [_gradient_case(name, view, writes=False) for name, view in _VIEWS.items() if "as_strided" not in name]
CASES += [_gradient_case(name, view, writes=True) for name, view in _VIEWS.items() if "expanded" not in name]


@scenario
def parts_are_assigned(t: Any) -> Any:
    z = _grid(t)
    z.real = t.ones(3, 4)
    z.imag[1] = 7
    z.imag += 1
    return z


@scenario
def bytes_of_other_dtypes(t: Any) -> Any:
    x = t.arange(8.0).reshape(2, 4)
    bytes_ = t.tensor([0, 1, 2, 255], dtype=t.uint8)
    views = [x.view(dtype) for dtype in (t.int16, t.int32, t.float64, t.uint8, t.bfloat16, t.float16, t.complex64)]
    return (
        [v.to(t.int64) if v.is_floating_point() else v for v in views],
        bytes_.view(t.int8),
        bytes_.view(t.int32),
        [list(v.shape) for v in (t.ones(0).view(t.float64), t.ones(2, 0).view(t.int16), t.ones(0, 4).view(t.float64))],
    )


@scenario
def a_leaf_is_not_written_through_its_parts(t: Any) -> Any:
    from tests.oracle.comparing import raised

    leaf = _grid(t).requires_grad_()

    def write() -> None:
        leaf.real.add_(1)

    outcome = raised(write)
    with t.no_grad():
        leaf.imag.zero_()
    return outcome, leaf, leaf.is_leaf


@scenario
def a_view_without_gradient(t: Any) -> Any:
    leaf = _grid(t).requires_grad_()
    return leaf.real.requires_grad, leaf.view(t.float32).requires_grad, leaf.detach().imag
