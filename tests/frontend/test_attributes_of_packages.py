"""``import torch`` brings modules along that programs name without importing them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lazygrad as lg

PATHS = (
    "_logging autograd.grad_mode autograd.profiler distributed.rpc export nn.attention nn.common_types "
    "optim._functional utils._foreach_utils utils._pytree utils.dlpack utils.weak"
).split()
CODE = """
import importlib, sys
framework = importlib.import_module(sys.argv[1])
for path in sys.argv[2:]:
    module = framework
    for name in path.split("."):
        module = getattr(module, name)
    print(path)
"""


@pytest.mark.parametrize("framework", ["torch", "lazygrad"])
def test_modules_are_there_as_attributes(framework: str) -> None:
    pytest.importorskip(framework)
    done = subprocess.run([sys.executable, "-c", CODE, framework, *PATHS], capture_output=True, text=True, check=False)
    assert done.stdout.split() == PATHS, done.stderr


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        (lambda: lg.export.export(lg.nn.Linear(2, 2), (lg.ones(1, 2),)), "export_numpy"),
        (lambda: lg.export.Dim("batch"), "export_numpy"),
        (lambda: lg.sparse.to_sparse_semi_structured(lg.ones(4, 4)), "dense"),
    ],
    ids="export Dim semi-structured".split(),
)
def test_what_is_not_there_says_what_to_use(call, instead: str) -> None:
    with pytest.raises(NotImplementedError, match=instead):
        call()


def test_a_package_that_is_not_there_says_what_to_use() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'quantization': .*float32"):
        lg.quantization  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'no_such_name'$"):
        lg.no_such_name  # noqa: B018
    assert not hasattr(lg, "ao")


def test_logs_that_are_asked_for_are_warned_of_once() -> None:
    code = "import lazygrad; lazygrad._logging.set_logs(graph=True); lazygrad._logging.set_logs(graph=True)"
    done = subprocess.run([sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.count("RuntimeWarning") == 1 and "lazygrad.stages" in done.stderr


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("torch.nn.attention.varlen", "scaled_dot_product_attention"),
        ("torch.package", "state_dict"),
        ("torch.utils._debug_mode", "lazygrad.stages"),
        ("torch.utils.bottleneck", "python -m lazygrad profile"),
        ("torch.utils.collect_env", "python -m lazygrad doctor"),
    ],
)
def test_an_import_of_what_is_not_there_says_what_to_use(path: str, instead: str) -> None:
    code = f"import lazygrad; lazygrad.as_torch(); import {path}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"ModuleNotFoundError: lazygrad has no {path}: " in done.stderr and instead in done.stderr
