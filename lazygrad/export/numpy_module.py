"""`export_numpy`: the plan of a function as one Python file that needs numpy alone."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lazygrad.export.layout import Layout, fixed_layout, ranged_layout
from lazygrad.export.numpy_source import Open, module_source
from lazygrad.export.program import ExportError, Program, recorded


def export_numpy(
    function: Callable[..., Any],
    example: Any,
    path: str | Path,
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_axes: Mapping[str, int] | None = None,
    sizes: tuple[int, int] = (1, 256),
    parameters: str = "beside",
    name: str = "predict",
) -> Path:
    """Write what a function or a module does as a Python file that needs numpy and no other package.

    The file holds the plan that lazygrad itself would run on numpy, and copies of the functions that the plan calls.
    ``predict`` takes arrays of the example's shapes, or whatever `numpy.asarray` makes them of, and returns new ones.
    The few functions that numpy does not have (factorizations, some of `lazygrad.special`) need scipy, and bfloat16
    needs ml_dtypes; the file then imports these.

    Args:
        function: of tensors; a module is in evaluation mode meanwhile.
        example: the argument, or a tuple of them. Of tensors only shapes and dtypes matter; whatever else is among
            them stays as it is.
        path: of the file, which is replaced.
        kwargs: further arguments, by name.
        dynamic_axes: by name of an argument, the dimension whose size may differ from call to call, such as the batch
            in ``{"x": 0}``. It is the same size in all arguments that are named.
        sizes: the smallest and the largest of these sizes.
        parameters: ``"beside"``: they are written to an archive beside the file, ``model.npz`` for ``model.py``;
            ``"inside"``: they are part of the file.
        name: of the function in the file.

    Returns:
        The file.

    Raises:
        ExportError: the function decides by values, draws random numbers, writes to tensors that last, or returns
            something that has no literal in Python; there is no plan that serves all sizes.
        TypeError: a dimension in ``dynamic_axes`` is no integer.
        ValueError: ``parameters`` is something else; ``name`` is no name; ``sizes`` is no range.
    """
    if parameters not in ("beside", "inside"):
        raise ValueError(f"export_numpy: expected parameters='beside' or 'inside', but got {parameters!r}")
    if not name.isidentifier():
        raise ValueError(f"export_numpy: {name!r} is no name of a function")
    if not 1 <= sizes[0] <= sizes[1]:
        raise ValueError(f"export_numpy: expected sizes from 1 on, in order, but got {sizes}")
    for axis in (dynamic_axes or {}).values():
        if not isinstance(axis, int):
            raise TypeError(f"export_numpy: expected dynamic_axes such as {{'x': 0}}, but got the dimension {axis!r}")
    args = example if isinstance(example, tuple) else (example,)

    def at(size: int | None) -> Program:
        return recorded(function, args, kwargs or {}, dynamic_axes, size)

    program = at(sizes[1] if dynamic_axes else None)
    layouts = _dynamic_layouts(program, at, sizes) if dynamic_axes else [fixed_layout(program.graph)]
    file, stored = Path(path), _archive(program)
    archive = file.with_suffix(".npz")
    place = archive.name if parameters == "beside" else stored
    text = module_source(program, layouts, Open(dynamic_axes, *sizes) if dynamic_axes else None, name, place)
    file.parent.mkdir(parents=True, exist_ok=True)
    if parameters == "beside":
        archive.write_bytes(stored)
    file.write_text(text, encoding="utf-8")
    return file


def _dynamic_layouts(program: Program, at: Callable[[int], Program], sizes: tuple[int, int]) -> list[Layout]:
    """The plan for the range, and one for size 1, at which operations broadcast, if that is asked for."""
    low, high = max(sizes[0], 2), sizes[1]
    programs = [program, at(low), at((low + high) // 2)]
    for other in programs[1:]:
        same = zip(program.constants.values(), other.constants.values(), strict=False)
        if len(program.constants) != len(other.constants) or not all([np.array_equal(a, b) for a, b in same]):
            raise ExportError("values that the function computes by itself differ from size to size")
    ranged = ranged_layout([each.graph for each in programs], low, high)
    return [ranged, fixed_layout(at(1).graph)] if sizes[0] == 1 else [ranged]


def _archive(program: Program) -> bytes:
    """The constants as an archive of numpy; of dtypes that numpy does not have, the bits."""
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        for name, array in program.constants.items():
            is_numpys = array.dtype.isbuiltin == 1
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as file:
                own = np.ascontiguousarray(array).reshape(array.shape)
                np.lib.format.write_array(file, own if is_numpys else own.view(f"u{own.itemsize}"), allow_pickle=False)
    return stored.getvalue()
