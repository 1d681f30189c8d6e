"""`export_numpy`: in a process that has numpy and nothing of lazygrad, the file computes what the model does."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.export import ExportError, export_numpy
from lazygrad.pytree import flatten
from tests.export.models import MODELS, mlp

# Nothing but numpy and Python can be imported; the archive has the arguments and what the model returned.
_PROGRAM = """
import json, sys
for name in ("lazygrad", "torch", "scipy", "ml_dtypes", "threadpoolctl", "jinja2", "networkx", "opt_einsum"):
    sys.modules[name] = None
import importlib, numpy as np
sys.path.insert(0, sys.argv[1])
def leaves(x):
    if isinstance(x, dict): x = list(x.values())
    return [leaf for item in x for leaf in leaves(item)] if isinstance(x, (list, tuple)) else [x]
report = {}
for name in sys.argv[2:]:
    expected = np.load(f"{sys.argv[1]}/{name}_expected.npz")
    given = [expected[key] for key in expected.files if key.startswith("x")]
    found = leaves(importlib.import_module(name).predict(*given))
    wanted = [expected[key] for key in expected.files if key.startswith("y")]
    report[name] = len(found) == len(wanted) and all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(found, wanted))
print(json.dumps(report))
"""


def test_files_compute_the_same_bits_without_lazygrad(tmp_path: Path) -> None:
    for make in MODELS:
        lg.manual_seed(0)
        model, args = make()
        export_numpy(model, args, tmp_path / f"{make.__name__}.py")
        model.eval()
        with lg.no_grad(), lg.backend("numpy"):
            results = flatten(model(*args))[0]
        arrays = {f"x{i}": leaf.numpy() for i, leaf in enumerate(flatten(args)[0])}
        arrays |= {f"y{i}": result.numpy() for i, result in enumerate(results)}
        np.savez(tmp_path / f"{make.__name__}_expected.npz", **arrays)
    names = [make.__name__ for make in MODELS]
    assert run_elsewhere(_PROGRAM, tmp_path, *names) == dict.fromkeys(names, True)


def run_elsewhere(program: str, folder: Path, *names: str) -> Any:
    """What a program prints, as JSON, in a process of its own in which BLAS has several threads to choose from."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"OPENBLAS_NUM_THREADS": "4", "MKL_NUM_THREADS": "4", "MKL_DYNAMIC": "FALSE"}
    command = [sys.executable, "-c", program, str(folder), *names]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


# threadpoolctl looks on from outside: the file itself does not know of it.
_COUNTING = """
import json, sys
import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits
sys.path.insert(0, sys.argv[1])
import wide
multiply, seen = np.matmul, []
def threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
def counted(*args, **kwargs):
    seen.append(threads())
    return multiply(*args, **kwargs)
with threadpool_limits(4):
    before, np.matmul = threads(), counted
    wide.predict(np.ones((100, 1000)))
    print(json.dumps([before, seen, threads()]))
"""


def test_blas_has_one_thread_during_a_call_and_afterwards_those_that_it_had(tmp_path: Path) -> None:
    export_numpy(nn.Linear(1000, 100), lg.randn(100, 1000), tmp_path / "wide.py")
    before, seen, after = run_elsewhere(_COUNTING, tmp_path)
    if not before:
        pytest.skip("numpy's BLAS is not one that threadpoolctl knows")
    assert before == after == [4]
    assert seen and all(threads == [1] for threads in seen)


def exported(folder: Path, function: Callable[..., Any], example: Any, **options: Any) -> ModuleType:
    path = export_numpy(function, example, folder / "exported.py", **options)
    spec = importlib.util.spec_from_file_location("exported", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_any_size_of_a_range_has_one_plan(tmp_path: Path) -> None:
    """Size 1 has its own, since what has one element is broadcast."""
    model = mlp()[0].eval()
    module = exported(tmp_path, model, lg.randn(5, 8), dynamic_axes={"input": 0}, sizes=(1, 40))
    for size in (1, 2, 3, 17, 40):
        x = lg.randn(size, 8)
        np.testing.assert_allclose(module.predict(x.numpy()), model(x).detach().numpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match=r"expected 2 dimensions, 1 to 40 of dimension 0, but got \(41, 8\)"):
        module.predict(np.zeros((41, 8), np.float32))


def test_a_length_may_be_open_too(tmp_path: Path) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    module = exported(tmp_path, layer, lg.randn(2, 5, 8), dynamic_axes={"src": 1}, sizes=(2, 24))
    for size in (2, 9, 24):
        x = lg.randn(2, size, 8)
        np.testing.assert_allclose(module.predict(x.numpy()), layer(x).detach().numpy(), rtol=1e-4, atol=1e-5)


def test_parameters_may_lie_inside(tmp_path: Path) -> None:
    model = nn.Linear(3, 2)
    module = exported(tmp_path, model, lg.randn(4, 3), parameters="inside", name="apply")
    assert [path.name for path in tmp_path.glob("*.*")] == ["exported.py"]  # beside it Python may keep bytecode
    x = lg.randn(4, 3)
    np.testing.assert_array_equal(module.apply(x.numpy()), model(x).detach().numpy())


def test_containers_and_values_that_are_no_tensors(tmp_path: Path) -> None:
    def function(pair: Any, scale: float, *, flags: Any) -> Any:
        a, b = pair
        return {"sum": a + b, "more": [(a * scale).T, None, 3], "flag": lg.where(flags["on"], a, b), "same": a}

    a, b = lg.randn(2, 3), lg.randn(2, 3)
    on = lg.tensor([[True], [False]])
    module = exported(tmp_path, function, ((a, b), 0.3), kwargs={"flags": {"on": on}})
    found = module.predict(a.numpy(), b.numpy(), on.numpy())
    wanted = function((a, b), 0.3, flags={"on": on})
    assert list(found) == ["sum", "more", "flag", "same"] and found["more"][1:] == [None, 3]
    for ours, theirs in (
        (found["more"][0], wanted["more"][0]),
        *((found[key], wanted[key]) for key in ("sum", "flag")),
    ):
        np.testing.assert_array_equal(ours, theirs.numpy())
    assert found["same"] is not a.numpy() and not np.shares_memory(found["same"], a.numpy())


def test_what_the_function_closes_over_is_a_constant(tmp_path: Path) -> None:
    table = lg.arange(6.0).reshape(2, 3) * 2  # not computed yet
    half = lg.ones(3, dtype=lg.bfloat16) / 3
    module = exported(tmp_path, lambda x: (x @ table + half, half * 2), lg.ones(4, 2))
    x = np.ones((4, 2), np.float32)
    sums, halves = module.predict(x)
    np.testing.assert_array_equal(sums, (lg.tensor(x) @ table + half).numpy())
    assert halves.dtype.name == "bfloat16"
    assert "arange" not in (tmp_path / "exported.py").read_text()


def test_arguments_are_checked(tmp_path: Path) -> None:
    module = exported(tmp_path, lambda x: x + 1, lg.zeros(2, 2))
    np.testing.assert_array_equal(module.predict([[1, 2], [3, 4]]), [[2, 3], [4, 5]])
    with pytest.raises(ValueError, match=r"x: expected shape \(2, 2\), but got \(2,\)"):
        module.predict([1, 2])
    with pytest.raises(TypeError, match="x: expected float32, but got complex128"):
        module.predict([[1j, 2], [3, 4]])
    looked_up = exported(tmp_path, lambda i: lg.arange(3.0)[i], lg.tensor([0, 1]))
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        looked_up.predict([0, 3])


def test_a_module_stays_in_its_mode_and_keeps_its_statistics(tmp_path: Path) -> None:
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5).eval())
    before = model[0].running_mean.clone()
    module = exported(tmp_path, model, lg.randn(4, 3))
    assert (model.training, model[0].training, model[1].training) == (True, True, False)
    assert lg.equal(model[0].running_mean, before)
    x = lg.randn(4, 3)
    np.testing.assert_array_equal(module.predict(x.numpy()), model.eval()(x).detach().numpy())


REFUSED: dict[str, tuple[Callable[[lg.Tensor], Any], str]] = {
    "value": (lambda x: x if x.sum() > 0 else -x, "a value inside the function is asked for"),
    "random": (lambda x: x + lg.randn(2), "random numbers are drawn"),
    "written": (nn.BatchNorm1d(2).train().forward, "a tensor that was there before the call is written to"),
    "nothing": (lambda x: 3, "returns no tensor"),
    "object": (lambda x: (x, {1, 2}), "returns a set"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_file_cannot_repeat_is_refused(case: str, tmp_path: Path) -> None:
    function, message = REFUSED[case]
    with pytest.raises(RuntimeError, match=message):
        export_numpy(function, lg.randn(3, 2), tmp_path / "exported.py")
    assert not list(tmp_path.iterdir())


def test_what_depends_on_the_size_in_other_ways_is_refused(tmp_path: Path) -> None:
    def function(x: lg.Tensor) -> lg.Tensor:
        return x.sin() if len(x) < 20 else x.cos()

    with pytest.raises(ExportError, match="no plan serves all sizes from 2 to 64: the programs have other operations"):
        export_numpy(function, lg.randn(3), tmp_path / "exported.py", dynamic_axes={"x": 0}, sizes=(1, 64))
    with pytest.raises(ExportError, match="there is no input 'y'; inputs: x"):
        export_numpy(function, lg.randn(3), tmp_path / "exported.py", dynamic_axes={"y": 0})
    with pytest.raises(TypeError, match=r"expected dynamic_axes such as \{'x': 0\}, but got the dimension \{0: 'n'\}"):
        export_numpy(function, lg.randn(3), tmp_path / "exported.py", dynamic_axes={"x": {0: "n"}})  # type: ignore[dict-item]
