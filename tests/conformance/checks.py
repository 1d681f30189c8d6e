"""What is compared with torch for one operation and dtype: results of each variant, gradients, `out=`, errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch

import lazygrad as lg
from tests.oracle.comparing import TOLERANCE, Closeness, Leaf, difference, error_class, outcome_of
from tests.oracle.translate import Untranslatable, copied, translated

from .known import OTHER_STRIDES
from .opinfo import counterpart, error_inputs, found, is_wrapper, samples, seed

# Their elements are whatever was in memory, or differ by design (in-graph randomness is Philox).
_VALUES_UNDEFINED = frozenset("empty empty_like empty_strided empty_permuted new_empty new_empty_strided "
                              "resize_ resize_as_ lobpcg svd_lowrank pca_lowrank".split())  # fmt: skip

# Which of several equal elements these name is unspecified: where in their arguments the dimension stands.
_DIM_OF_INDICES = {"sort": 0, "argsort": 0, "mode": 0, "topk": 1, "kthvalue": 1}

_SEED = 42  # torch's wrappers around random functions set this one themselves


# Samples are long sums and chains; their results are often small, and told from zero nevertheless.
CLOSENESS = Closeness(
    slack=2.0,
    tolerance=TOLERANCE | {"float64": 5e-10, "complex128": 5e-10},
    floor=1e-3,
    of_largest=True,
    numbers=1e-6,
)


def _closeness(op: Any) -> Closeness:
    return replace(CLOSENESS, values=op.name not in _VALUES_UNDEFINED)


@dataclass
class Report:
    """How many samples were compared, and what was found wrong with them."""

    compared: int = 0
    failures: list[str] = field(default_factory=list)

    def note(self, sample: Any, variant: str, message: str) -> None:
        self.failures.append(f"{variant}{_described(sample)}: {message}")


Variant = tuple[str, Callable[..., Any], Callable[..., Any]]


def variants(op: Any) -> list[Variant]:
    """(name, torch's, lazygrad's) of the function, the method and the in-place method, as far as torch has them."""
    result: list[Variant] = []
    function = counterpart(op)
    result.append(("function", op.op, function or _missing(op.name)))
    for kind, theirs in (("method", op.get_method()), ("in-place", op.get_inplace())):
        if theirs is None or (kind == "method" and theirs is op.op):
            continue
        name = getattr(theirs, "__name__", "<lambda>")
        if name == "<lambda>":
            continue  # a wrapper around the function already compared
        result.append((kind, theirs, found(f"Tensor.{name}") or _missing(f"Tensor.{name}")))
    return result


def _missing(name: str) -> Callable[..., Any]:
    def absent(*args: Any, **kwargs: Any) -> Any:
        raise AttributeError(f"lazygrad has no {name}")

    return absent


def check_results(op: Any, dtype: torch.dtype, at_most: int | None) -> Report:
    """Each variant on sample inputs: values, dtypes, shapes, names of results; error classes where torch raises."""
    report = Report()
    chosen = samples(op, dtype, at_most)
    for kind, theirs, ours in variants(op):
        for sample in chosen:
            if kind == "in-place" and (sample.broadcasts_input or not isinstance(sample.input, torch.Tensor)):
                continue
            _compare(report, op, sample, kind, theirs, ours)
    return report


def _compare(report: Report, op: Any, sample: Any, kind: str, theirs: Any, ours: Any) -> None:
    arguments = (sample.input, *sample.args), sample.kwargs
    expected = _run(op.name, theirs, sample, *copied(arguments))
    try:
        mine = translated(arguments)
    except Untranslatable:
        return
    report.compared += 1
    actual = _run(op.name, ours, sample, *mine)
    if isinstance(expected, Exception) or isinstance(actual, Exception):
        if not isinstance(actual, Exception):
            report.note(sample, kind, f"torch raises {expected!r}"[:300])
        elif not isinstance(expected, Exception):
            report.note(sample, kind, f"raised {type(actual).__name__}: {actual}"[:400])
        elif error_class(expected) is not error_class(actual):
            report.note(sample, kind, f"expected {expected!r}, got {actual!r}"[:400])
        return
    wrong = difference(expected, actual, replace(_closeness(op), strides=op.name not in OTHER_STRIDES))
    if wrong:
        report.note(sample, kind, wrong)


def _run(name: str, function: Callable[..., Any], sample: Any, args: Any, kwargs: Any) -> Any:
    """The outcome, or the exception that was raised."""
    seed(_SEED)
    lg.manual_seed(_SEED)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*args, **kwargs)
            result = _with_elements_for_indices(name, result, args, kwargs)
            return outcome_of(sample.output_process_fn_grad(result))
    except Exception as error:
        return error


def _with_elements_for_indices(name: str, result: Any, args: Any, kwargs: Any) -> Any:
    """A result with, in place of indices, the elements they name, and nothing of their dtype."""
    if name not in _DIM_OF_INDICES:
        return result
    place = _DIM_OF_INDICES[name] + 1
    dim = kwargs.get("dim", args[place] if len(args) > place else -1)
    indices = result if name == "argsort" else result[1]
    source = args[0] if args[0].ndim else args[0].reshape(1)
    wide = indices if indices.ndim == source.ndim else indices.unsqueeze(dim)
    elements = source.detach().gather(dim if source.ndim > 1 else 0, wide).reshape(indices.shape)
    nothing = indices.reshape(-1)[:0]
    return (elements, nothing) if name == "argsort" else (result[0], elements, nothing)


def check_gradients(op: Any, dtype: torch.dtype, at_most: int | None) -> Report:
    """Gradients of a weighted sum of all results with respect to every input that has one."""
    report = Report()
    function = counterpart(op) or _missing(op.name)
    for sample in samples(op, dtype, at_most, requires_grad=True):
        arguments = (sample.input, *sample.args), sample.kwargs
        expected = _gradients(op.op, sample, *copied(arguments))
        if isinstance(expected, Exception) or not expected:
            continue
        try:
            mine = translated(arguments)
        except Untranslatable:
            continue
        report.compared += 1
        actual = _gradients(function, sample, *mine)
        if isinstance(actual, Exception):
            report.note(sample, "gradient", f"raised {type(actual).__name__}: {actual}"[:400])
        else:
            undefined = _zeros_that_torch_leaves_out(expected, actual)
            wrong = difference(_without(expected, undefined), _without(actual, undefined), CLOSENESS)
            if wrong:
                report.note(sample, "gradient", wrong)
    return report


def _zeros_that_torch_leaves_out(expected: dict[str, Any], actual: dict[str, Any]) -> set[str]:
    """Where torch's formula gives no gradient (of a 0-norm, say), which counts as 0, and lazygrad's gives zeros."""
    found = [(path, actual.get(path)) for path, want in expected.items() if want is None]
    return {path for path, have in found if isinstance(have, Leaf) and not have.values.any()}


def _without(outcome: dict[str, Any], paths: set[str]) -> dict[str, Any]:
    return {path: leaf for path, leaf in outcome.items() if path not in paths}


def _gradients(function: Callable[..., Any], sample: Any, args: Any, kwargs: Any) -> Any:
    seed(_SEED)
    lg.manual_seed(_SEED)
    sources = [source for source in _tensors([args, kwargs]) if source.requires_grad and source.is_leaf]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = _tensors([sample.output_process_fn_grad(function(*args, **kwargs))])
            results = [result for result in results if result.requires_grad]
            if not results or not sources:
                return {}
            t = torch if isinstance(results[0], torch.Tensor) else lg
            cotangents = [_weights(t, result) for result in results]
            return outcome_of(list(t.autograd.grad(results, sources, cotangents, allow_unused=True)))
    except Exception as error:
        return error


def _weights(t: Any, result: Any) -> Any:
    """Cotangents that tell the elements of a result apart."""
    count = result.numel()
    weights = t.cos(t.arange(count, dtype=t.float64) * 0.7 + 0.3).reshape(tuple(result.shape))
    return weights.to(result.dtype) * (1 + 0.5j) if "complex" in str(result.dtype) else weights.to(result.dtype)


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, (torch.Tensor, lg.Tensor)):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for part in value for tensor in _tensors(part)]
    return []


def _is_tensors(outcome: dict[str, Any]) -> bool:
    return all(isinstance(part, Leaf) for path, part in outcome.items() if not path.startswith("len("))


def check_out(op: Any, dtype: torch.dtype) -> Report:
    """`out=` of the right kind receives the result and is returned."""
    report = Report()
    function = found(op.name)
    if not op.supports_out or function is None or is_wrapper(op.op):
        return report
    for sample in samples(op, dtype, 2):
        arguments = (sample.input, *sample.args), sample.kwargs
        expected = _run(op.name, op.op, sample, *copied(arguments))
        if isinstance(expected, Exception) or not _is_tensors(expected):
            continue
        try:
            args, kwargs = translated(arguments)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plain = function(*args, **kwargs)
                several = isinstance(plain, (tuple, list))
                out: Any = [lg.zeros_like(part) for part in plain] if several else lg.zeros_like(plain)
                lg.manual_seed(_SEED)
                result = function(*args, **kwargs, out=tuple(out) if several else out)
            report.compared += 1
            same = all(a is b for a, b in zip(result, out, strict=True)) if several else result is out
            wrong = None if same else "does not return the tensors given as out"
            result = _with_elements_for_indices(op.name, result, args, kwargs)
            wrong = wrong or difference(expected, outcome_of(sample.output_process_fn_grad(result)), _closeness(op))
        except Untranslatable:
            continue
        except Exception as error:
            wrong = f"raised {type(error).__name__}: {error}"[:400]
        if wrong:
            report.note(sample, "out=", wrong)
    return report


def check_errors(op: Any) -> Report:
    """Bad input raises an error of torch's class, with a message."""
    report = Report()
    function = counterpart(op) or _missing(op.name)
    for error in error_inputs(op):
        sample = error.sample_input
        arguments = (sample.input, *sample.args), sample.kwargs
        expected = _run(op.name, op.op, sample, *copied(arguments))
        if not isinstance(expected, Exception):
            continue
        try:
            actual = _run(op.name, function, sample, *translated(arguments))
        except Untranslatable:
            continue
        report.compared += 1
        if not isinstance(actual, Exception):
            report.note(sample, "error", f"torch raises {expected!r}"[:300])
        elif error_class(expected) is not error_class(actual) or not str(actual).strip():
            report.note(sample, "error", f"expected {expected!r}, got {actual!r}"[:400])
    return report


def _described(sample: Any) -> str:
    """The call in a few words."""
    parts = [_word(value) for value in (sample.input, *sample.args)]
    parts += [f"{key}={_word(value)}" for key, value in sample.kwargs.items()]
    return f"({', '.join(parts)})"


def _word(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        strides = "" if value.layout is not torch.strided or value.is_contiguous() else f" strides {value.stride()}"
        return f"{str(value.dtype)[6:]}{list(value.shape)}{strides}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_word, value))}]"
    return repr(value)
