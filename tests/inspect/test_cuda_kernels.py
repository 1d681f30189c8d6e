"""CUDA kernels taken out of plans: programs of cupy, run on the emulated device; and edited ones in their plans."""

from __future__ import annotations

import ast
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.inspect import TakenKernel
from lazygrad.nn import functional as F
from lazygrad.targets.cuda import drivers, nvrtc
from lazygrad.tensor import Tensor
from tests.codegen.hostile_names import PIECES, Named, program
from tests.cuda_emulator import build, device
from tests.cuda_emulator.cupy_module import cupy_module
from tests.passes.programs import realized

pytestmark = pytest.mark.skipif(build.missing() is not None, reason=f"CUDA is emulated by g++: {build.missing()}")


def softmax(x: Tensor) -> Tensor:
    return lg.softmax(x * 0.3 + 1, 1)


PROGRAMS: dict[str, tuple[Callable[..., Tensor], Callable[[], list[Tensor]]]] = {
    "scalars and rows": (softmax, lambda: [realized(8, 128)]),
    "totals of blocks, finished by a second kernel": (lambda x: (x * 0.7).sum(0), lambda: [realized(2048, 40)]),
    "a piece of what it writes": (lambda x: lg.cat([a := lg.exp(x), lg.sin(a)], 0), lambda: [realized(4, 32)]),
    "half": (lambda x: lg.exp(x) * 0.3, lambda: [realized(8, 8).to(lg.bfloat16).realize()]),
    "complex": (lambda x: lg.exp(x) * (0.3 + 1j), lambda: [realized(8, 8).to(lg.complex64).realize()]),
    "truth values": (lambda x: (x > 0) & (x < 1), lambda: [realized(8, 8)]),
    "names": (lambda x: F.gelu(x) + x.cumsum(0), lambda: [realized(8, 8)]),
    "no elements of some": (lambda x: x[:0].sum() + 1, lambda: [realized(8, 8)]),
}


def kernels_of(name: str) -> list[TakenKernel]:
    function, arguments = PROGRAMS[name]
    return lg.compile_for(function, *[x.to("cpu") for x in arguments()]).forms.kernels


def started(file: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setitem(sys.modules, "cupy", cupy_module())
    monkeypatch.setattr(sys, "argv", [str(file), "0"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(file), run_name="__main__")
    return int(end.value.code or 0)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_saved_cuda_kernel_is_a_program(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It launches what the plan launches, and finds what numpy computes."""
    for number, kernel in enumerate(kernels_of(program)):
        file = kernel.save(tmp_path / f"kernel{number}.py")
        assert started(file, monkeypatch) == 0, capsys.readouterr().out
        said = capsys.readouterr().out
        assert re.match(
            r"5 runs, best 0\.2500 ms, median 0\.2500 ms, \d+ bytes, [\d.]+ GB/s\noutput 0: magnitudes", said
        )


def test_a_saved_cuda_kernel_says_when_it_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [kernel] = kernels_of("scalars and rows")
    file = kernel.save(tmp_path / "kernel.py")
    text = file.read_text(encoding="utf-8")
    assert "lg_exp_f32(" in text.partition("may be edited begins")[2]
    file.write_text(_edited(text, "lg_exp_f32(", "1.0f + lg_exp_f32("), encoding="utf-8")
    assert started(file, monkeypatch) == 1
    assert re.search(r"off by 0\.\d+ of the largest, where 2e-05 is allowed", capsys.readouterr().out)


def test_saved_cuda_kernels_are_compiled_by_nvrtc() -> None:
    if nvrtc.missing() is not None:
        pytest.skip(str(nvrtc.missing()))
    for name in PROGRAMS:
        for kernel in kernels_of(name):
            found = re.search(r'SOURCE = r"""(.*?)"""\n', kernel.source("cuda"), re.DOTALL)
            assert found is not None
            assert nvrtc.compile_program(found[1], "sm_90").kernels


def test_the_kernels_of_a_program_that_is_only_looked_at_cannot_be_overridden(tmp_path: Path) -> None:
    [kernel] = kernels_of("scalars and rows")
    with pytest.raises(ValueError, match=r"must end with one of \.py, not 'kernel\.cu'"):
        kernel.save(tmp_path / "kernel.cu")
    with pytest.raises(ValueError, match="only looked at; cpu runs nothing by cuda"):
        lg.override(kernel, kernel.source("cuda"))


@pytest.fixture
def cuda() -> Iterator[None]:
    """The emulated device."""
    if device.is_installed() or drivers.missing_piece() is None:
        yield
        return
    before = drivers.install(device.EmulatedInstallation())
    yield
    drivers.install(before)


def _edited(text: str, old: str, new: str) -> str:
    above, begins, below = text.partition("what may be edited begins")
    return above + begins + below.replace(old, new)


def test_an_edited_cuda_kernel_runs_in_its_plan(cuda: None, tmp_path: Path) -> None:
    data = lg.randn(4, 8, device="cuda").realize()
    expected = softmax(data).numpy(force=True).copy()
    [kernel] = lg.stages(softmax(data)).kernels
    file = kernel.save(tmp_path / "kernel.py")
    original = file.read_text(encoding="utf-8")
    file.write_text(_edited(original, "lg_exp_f32(", "2.0f * lg_exp_f32("), encoding="utf-8")
    with lg.override(kernel, file):  # a factor that cancels
        np.testing.assert_allclose(softmax(data).numpy(force=True), expected, rtol=1e-6)
        assert "2.0f * lg_exp_f32(" in str(lg.stages(softmax(data)).sources["cuda"])
    wrong = _edited(original, "lg_exp_f32(", "1.0f + lg_exp_f32(")
    with lg.override(kernel, wrong, check=False):
        assert abs(softmax(data).numpy(force=True) - expected).max() > 0.01
    np.testing.assert_array_equal(softmax(data).numpy(force=True), expected)
    with pytest.raises(ValueError, match="computes something else than the original: f32"):
        lg.override(kernel, wrong)
    file.write_text(_edited(original, "lg_exp_f32(", "no_such_function("), encoding="utf-8")
    line = next(i for i, each in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if "no_such" in each)
    with pytest.raises(ValueError, match=rf"kernel\.py:{line}:"):
        lg.override(kernel, file)
    with pytest.raises(ValueError, match=f"defines no kernel '{kernel.name}'"):
        lg.override(kernel, "/* nothing */\n")


def test_an_edited_cuda_kernel_leaves_the_group_that_it_was_launched_with(cuda: None) -> None:
    data = [lg.randn(40 * i, device="cuda").realize() for i in (1, 2, 3)]
    results = lambda: [x * 2 + 1 for x in data]  # noqa: E731
    kernel = lg.stages(results()).kernels[1]
    text = _edited(kernel.source("cuda"), "+ 1.0f", "+ 5.0f")
    with lg.override(kernel, text, check=False):
        found = results()
        lg.realize_all(found)
    for x, y, more in zip(data, found, (1, 5, 1), strict=True):
        np.testing.assert_allclose(y.numpy(force=True), x.numpy(force=True) * 2 + more, rtol=1e-6)


def test_a_kernel_that_was_edited_for_the_host_leaves_a_device_alone(cuda: None) -> None:
    data = realized(4, 8).to("cpu")
    [kernel] = lg.stages(softmax(data)).kernels
    with lg.override(kernel, "def mul_softmax(x, out, s0):\n    out[:] = 7\n", check=False):
        on_device = softmax(data.to("cuda"))
        assert on_device.device.type == "cuda"
        np.testing.assert_allclose(on_device.numpy(force=True).sum(1), 1, rtol=1e-6)
        assert (softmax(data).numpy(force=True) == 7).all()


def test_names_from_outside_stay_words() -> None:
    """Whatever files, modules and parameters are called, the file is a program that defines the same."""
    for piece in PIECES:
        for kernel in lg.compile_for(lambda name=piece: program(Named.all(name)).to("cpu")).forms.kernels:
            tree = ast.parse(kernel.source("cuda"))
            kinds = {type(node) for node in tree.body}
            assert kinds <= {ast.Expr, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign, ast.If}, piece
