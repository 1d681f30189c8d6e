"""Programs for a GPU, looked at without one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lazygrad as lg
from lazygrad.targets.cuda import nvrtc


def training_loss(model: lg.nn.Module, x: lg.Tensor, target: lg.Tensor) -> list[lg.Tensor]:
    loss = lg.nn.functional.cross_entropy(model(x), target)
    return [loss, *lg.autograd.grad(loss, list(model.parameters()))]


def test_a_training_step() -> None:
    model = lg.nn.Sequential(lg.nn.Linear(64, 32), lg.nn.LayerNorm(32), lg.nn.GELU(), lg.nn.Linear(32, 8))
    made = lg.compile_for(training_loss, model, lg.randn(16, 64), lg.arange(16) % 8, arch="sm_80")
    kernels = re.findall(r'extern "C" __global__ void __launch_bounds__\(\d+\)\n(\w+)\(', made.source)
    assert len(kernels) == len(set(kernels)) >= 3 and "multiply f32" in str(made)
    assert made.plan.runs == 0 and made.arch == "sm_80"
    if nvrtc.missing():
        assert made.cubin is None and not made.kernels and made.missing == nvrtc.missing()
    else:
        assert made.cubin is not None and made.cubin[1:4] == b"ELF" and set(made.kernels) == set(kernels)
        assert not any(kernel.spilled_bytes for kernel in made.kernels.values())


def test_sources_of_another_device(tmp_path: Path) -> None:
    x = lg.randn(8, 4).softmax(1)
    forms = lg.stages(x)
    assert list(forms.sources) == ["numpy", "c"]
    assert "__global__" in str(forms.sources["cuda"]) and forms.sources["cuda"].suffix == ".cu"
    assert [path.suffix for path in lg.dump(x, tmp_path, targets=["cuda"])][-3:] == [".py", ".c", ".cu"]
    with pytest.raises(KeyError):
        forms.sources["metal"]


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of cuda, not 'metal'"):
        lg.compile_for(lambda: lg.ones(3), target="metal")
    with pytest.raises(ValueError, match="no tensor that is yet to be computed"):
        lg.compile_for(lambda: lg.ones(3).realize())
    with pytest.raises(NotImplementedError, match="lstsq by gelsy has no CUDA form, gels does"):
        lg.compile_for(lambda x: lg.linalg.lstsq(x, x)[0], lg.randn(3, 3))
