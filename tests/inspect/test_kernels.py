"""Kernels taken out of a plan: they run alone, and edited ones run in place of the original."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.inspect import TakenKernel
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor
from tests.passes.programs import realized


def softmax(x: Tensor) -> Tensor:
    return lg.softmax(x * 0.3 + 1, 1)


def training() -> Tensor:
    weight = realized(8, 8, requires_grad=True)
    F.cross_entropy(F.gelu(realized(4, 8) @ weight), lg.tensor([0, 1, 2, 3])).backward()
    assert weight.grad is not None
    return weight.grad


PROGRAMS: dict[str, Callable[[], Tensor]] = {
    "scalars and rows": lambda: softmax(realized(64, 128)),
    "totals of blocks": lambda: (realized(2048, 300) * 0.7).sum(0),
    "destinations": lambda: lg.cat([lg.exp(realized(16, 32)), lg.sin(realized(16, 32))], 1) * 2,
    "a piece of what it writes": lambda: lg.cat([a := lg.exp(realized(4, 32)), lg.sin(a)], 0),
    "masks": lambda: F.pad(lg.exp(realized(8, 8)), (1, 1)).cumsum(0) + 1,
    "half": lambda: lg.exp(realized(8, 8).to(lg.bfloat16)) * 0.3,
    "truth values": lambda: (realized(8, 8) > 0) & (realized(8, 8) < 1),
    "gradients": training,
}


def kernels_of(x: Tensor) -> list[TakenKernel]:
    return lg.stages(x).kernels


def started(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_saved_numpy_kernel_is_a_program(tmp_path: Path) -> None:
    (kernel,) = kernels_of(softmax(realized(64, 128)))
    said = started(sys.executable, kernel.save(tmp_path / "deep" / "kernel.py"), "0")
    assert re.fullmatch(
        r"5 runs, best [\d.]+ ms, median [\d.]+ ms, 65536 bytes, [\d.]+ GB/s\noutput 0: magnitudes sum up to 64\n", said
    )


def test_a_saved_c_kernel_is_a_program(tmp_path: Path) -> None:
    (kernel,) = kernels_of(softmax(realized(64, 128)))
    file = kernel.save(tmp_path / "kernel.c")
    command = re.search(r"^ +(\S.*) && ", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert command is not None
    words = [
        {"FILE": str(file), "kernel": str(tmp_path / "kernel")}.get(word, word) for word in shlex.split(command[1])
    ]
    subprocess.run([*words, "-Wall", "-Werror"], check=True)
    said = started(tmp_path / "kernel", "2", "0")
    assert re.fullmatch(r"5 runs, best [\d.]+ ms, median [\d.]+ ms, 65536 bytes, [\d.]+ GB/s\n", said)


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_was_not_edited_computes_the_same(program: str) -> None:
    """Each kernel alone, and all of them back in their plan."""
    with lg.backend("numpy"):
        expected = PROGRAMS[program]().numpy(force=True).copy()
        x = PROGRAMS[program]()
        kernels = kernels_of(x)
        handles = [lg.override(kernel, kernel.source("numpy")) for kernel in kernels]
        try:
            np.testing.assert_array_equal(x.numpy(force=True), expected)
        finally:
            for handle in reversed(handles):
                handle.undo()
    assert kernels


def test_every_kernel_alone_is_a_program_in_both_languages() -> None:
    for make in PROGRAMS.values():
        for kernel in kernels_of(make()):
            assert "def main():" in kernel.source("numpy")
            assert "int main(" in kernel.source("c")


EDITED = "def mul_softmax(x, out, s0):\n    calls.append(x.shape)\n    out[:] = 7\n\ncalls = []\n"


def test_an_edited_kernel_runs_until_it_is_undone() -> None:
    data = realized(4, 8)
    (kernel,) = kernels_of(softmax(data))
    expected = softmax(data).numpy().copy()
    replay = lg.compile(softmax)
    for _ in range(4):
        replay(data).realize()
    with lg.override(kernel, EDITED, check=False) as handle:
        assert repr(handle) == "<override of mul_softmax on numpy, in force>"
        assert (softmax(data).numpy() == 7).all()
        assert (replay(data).numpy() == 7).all()
        with lg.override(kernel, EDITED.replace("7", "8"), check=False):
            assert (softmax(data).numpy() == 8).all()
        assert (softmax(data).numpy() == 7).all()
    assert repr(handle) == "<override of mul_softmax on numpy, not in force>"
    np.testing.assert_array_equal(softmax(data).numpy(), expected)
    np.testing.assert_allclose(replay(data).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("factor", [1, 2])
def test_a_check_looks_at_the_edited_kernel(factor: int) -> None:
    """On the program's own data, where the kernel may be wrong though it is right on that of `override`."""
    data = realized(4, 8)
    (kernel,) = kernels_of(softmax(data))
    text = kernel.source("numpy").replace(
        "np.exp(t0, out=t0)", f"np.exp(t0, out=t0)\n    t0 *= 1 + {factor - 1} * (t0 > 0.9)"
    )
    assert "t0 *= " in text
    with lg.override(kernel, text, check=False):
        report = lg.check(softmax, data, backends=("numpy",))
    assert report.script is None
    assert "1 steps on numpy, plan with edited mul_softmax" in str(report)
    assert report.ok is (factor == 1), str(report)
    if not report.ok:
        assert report.first is not None and report.first.what == "plan with edited mul_softmax"
    assert "edited" not in str(lg.check(softmax, data, backends=("numpy",), script=None))


def test_an_edited_c_kernel_runs_in_its_plan(tmp_path: Path) -> None:
    data = realized(4, 8)
    (kernel,) = kernels_of(softmax(data))
    file = kernel.save(tmp_path / "kernel.c")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("lg_exp_f32(", "2.0f * lg_exp_f32("), encoding="utf-8")
    with lg.override(kernel, file):  # a factor that cancels
        np.testing.assert_allclose(softmax(data).numpy().sum(1), 1, rtol=1e-6)
        assert lg.cache_info().compiled_runs
    file.write_text(text.replace("lg_exp_f32(", "1.0f + lg_exp_f32("), encoding="utf-8")
    with pytest.raises(ValueError, match="computes something else than the original: f32"):
        lg.override(kernel, file)
    with pytest.raises(ValueError, match="no_such_function"):
        lg.override(kernel, text.replace("lg_exp_f32(", "no_such_function("), target="c")


@pytest.mark.parametrize("target", ["numpy", "c"])
def test_an_edited_kernel_runs_in_plans_that_call_it_something_else(target: str) -> None:
    """Its name is the second of that kind where another kernel comes before it."""
    data, wider = realized(4, 8), realized(4, 32)
    together = lambda: [softmax(wider), softmax(data)]  # noqa: E731
    (kernel,), (_, other) = kernels_of(softmax(data)), lg.stages(together()).kernels
    assert kernel.program(target).name != other.program(target).name
    assert kernel.lowered.kernel == other.lowered.kernel
    for taken in (kernel, other):
        text = taken.source(target)
        text = text.replace("np.add.reduce(t0", "t0 *= 2\n    np.add.reduce(t0")
        text = text.replace("lg_exp_f32(", "2.0f * lg_exp_f32(")
        with lg.backend(target), lg.override(taken, text, target=target):
            np.testing.assert_allclose(softmax(data).numpy().sum(1), 1, rtol=1e-6)
            results = together()
            source = str(lg.stages(results).sources[target])
            assert ("t0 *= 2" if target == "numpy" else "2.0f * lg_exp") in source
            lg.realize_all(results)
            np.testing.assert_allclose(results[1].numpy().sum(1), 1, rtol=1e-6)


def test_errors_of_an_edited_kernel_name_the_file_and_its_line(tmp_path: Path) -> None:
    (kernel,) = kernels_of(softmax(realized(4, 8)))
    for name, old, new in (("a.c", "lg_exp_f32(", "no_such_function("), ("a.py", "np.exp(t0", "np.no_such(t0")):
        file = kernel.save(tmp_path / name)
        text = file.read_text(encoding="utf-8").replace(old, new)
        file.write_text(text, encoding="utf-8")
        line = next(i for i, each in enumerate(text.splitlines(), 1) if "no_such" in each)
        with pytest.raises(ValueError) as caught:
            lg.override(kernel, file)
        said = str(caught.value) + "".join(traceback.format_exception(caught.value))
        assert re.search(rf"{name}:{line}:" if name == "a.c" else rf'{name}", line {line}, in ', said), said
    assert "edited mul_softmax:2:" in str(_error_of_text(kernel))


def _error_of_text(kernel: TakenKernel) -> BaseException:
    with pytest.raises(ValueError) as caught:
        lg.override(kernel, "static int x;\nno_such_type y;\n", target="c")
    return caught.value


def test_all_that_shows_a_program_shows_the_edited_kernel(tmp_path: Path) -> None:
    data = realized(64, 32)
    (kernel,) = kernels_of(softmax(data))
    file = kernel.save(tmp_path / "mine.c")
    file.write_text(file.read_text(encoding="utf-8").replace("lg_exp_f32(", "2.5f * lg_exp_f32("), encoding="utf-8")
    before = str(lg.compare(softmax(data), backends=("numpy", "c"), repeats=1))
    assert "overridden" not in before
    with lg.override(kernel, file):
        forms = lg.stages(softmax(data))
        assert "2.5f * lg_exp_f32(" in str(forms.sources["c"]) and "2.5f" not in str(forms.sources["numpy"])
        assert f"mul_softmax, overridden on c by {file}, " in str(forms.plan)
        assert "overridden on c by" in repr(forms.kernels[0]) and str(forms.kernels[0]).startswith("# overridden on c")
        assert "2.5f" not in forms.kernels[0].source("c")
        report = lg.explain(softmax(data), measure=True)
        (program,) = report.programs
        assert program.steps[0].overridden == f"overridden on c by {file}"
        assert f"mul_softmax: overridden on c by {file}"[:79] in str(report)
        assert program.measured is not None and program.measured.target == "c"
        assert any("2.5f" in source.text for source in program.sources)
        comparison = lg.compare(softmax(data), backends=("numpy", "c"), repeats=1)
        assert "c on c with overridden mul_softmax" in str(comparison) and "numpy on numpy, " in str(comparison)
        assert "fused on c with overridden mul_softmax" in str(lg.compare(softmax(data), repeats=1))
        with lg.backend("c"), lg.profile() as found:
            softmax(data).realize()
        assert [(work.name, work.backend) for work in found.works] == [("mul_softmax (overridden)", "c")]
    wrong = kernel.source("numpy").replace("np.exp(t0, out=t0)", "np.exp(t0, out=t0)\n    t0 += 1")
    with lg.override(kernel, wrong, check=False):
        text = str(lg.stages(softmax(data)).sources["numpy"])
        assert "# This kernel is overridden.\ndef mul_softmax(" in text and "t0 += 1" in text
        comparison = lg.compare(softmax(data), backends=("c", "numpy"), repeats=1)
        assert comparison.differences[0] is not None and comparison.differences[0].absolute > 0.001
        assert comparison.rows[0].differences[0].absolute > 0.001


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def mul_softmax(x, out, s0):\n    out[:] = 0\n", "off by 1 of its largest element, where 2e-05 is allowed"),
        ("def other():\n    pass\n", "defines no function 'mul_softmax'"),
        ("def mul_softmax(:\n", "cannot be loaded: SyntaxError"),
        (
            "def mul_softmax(x, out, s0):\n    out.no_such()\n",
            "the edited mul_softmax fails: AttributeError: .*no_such",
        ),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    data = realized(4, 8)
    (kernel,) = kernels_of(softmax(data))
    expected = softmax(data).numpy()
    with pytest.raises(ValueError, match=message):
        lg.override(kernel, text)
    np.testing.assert_array_equal(softmax(data).numpy(), expected)


def test_names_of_files_and_targets(tmp_path: Path) -> None:
    (kernel,) = kernels_of(softmax(realized(4, 8)))
    with pytest.raises(ValueError, match=r"must end with one of \.py, \.c, not 'kernel.txt'"):
        kernel.save(tmp_path / "kernel.txt")
    with pytest.raises(ValueError, match="has no backend 'fpga'"):
        kernel.source("fpga")
    assert repr(kernel).startswith("<kernel mul_softmax of plan ")
    assert str(kernel).startswith("kernel mul_softmax: axes [4, 8]")
