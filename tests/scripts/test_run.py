"""``python -m lazygrad run`` and ``lazygrad.as_torch``: ``import torch`` gives lazygrad, the rest is Python's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lazygrad
from lazygrad.torch_imports import PyTorchVersion

ROOT = Path(lazygrad.__file__).parent.parent


def python(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def run(source: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What a script prints that lies one folder below the current one."""
    (folder / "programs").mkdir(exist_ok=True)
    (folder / "programs" / "script.py").write_text(source)
    return python("-m", "lazygrad", "run", Path("programs") / "script.py", *arguments, folder=folder)


def test_torch_and_what_is_below_it_are_lazygrads_modules(tmp_path: Path) -> None:
    source = """
import sys
import torch, torch.nn as nn, torch.nn.functional as F, torch.optim as optim
import torch.backends.cudnn as cudnn
import torch.utils.data as data
from torch.autograd import Variable
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.data.sampler import Sampler
import lazygrad.nn
assert torch is lazygrad and nn is lazygrad.nn is torch.nn and F is lazygrad.nn.functional
assert sys.modules["torch"] is lazygrad and torch.__spec__.name == "lazygrad"
assert data.DataLoader is lazygrad.data.DataLoader and Sampler is lazygrad.data.Sampler
assert issubclass(nn.BatchNorm2d, _BatchNorm) and cudnn is lazygrad.backends.cudnn
cudnn.benchmark = True
import copy, pickle
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 3)
    def forward(self, x):
        return F.relu(self.layer(x))
net = pickle.loads(pickle.dumps(Net()))
assert type(net) is Net and isinstance(net.layer, nn.Linear)
torch.save(net.state_dict(), "net.pt")
copy.deepcopy(net).load_state_dict(torch.load("net.pt"))
compiled = torch.compile(net)
print([compiled(torch.ones(1, 2)).shape for _ in range(4)][-1])
"""
    done = run(source, tmp_path)
    assert done.stdout == "torch.Size([1, 3])\n", done.stderr


def test_the_script_finds_what_python_gives_it(tmp_path: Path) -> None:
    source = """
import sys, beside
print(sys.argv, __name__, __spec__, sys.path[0], __file__, sys.modules["__main__"].beside is beside)
import pickle
class Here: pass
print(type(pickle.loads(pickle.dumps(Here()))) is Here)
"""
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "beside.py").write_text("import json\n")
    done = run(source, tmp_path, "--lr", "3", "-m", "x")
    plain = python(Path("programs") / "script.py", "--lr", "3", "-m", "x", folder=tmp_path)
    assert done.stdout == plain.stdout, done.stderr
    assert "['programs/script.py', '--lr', '3', '-m', 'x'] __main__ None" in done.stdout


@pytest.mark.whole
def test_a_module_is_run_by_its_name(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "other.py").write_text("import torch\n")
    (package / "train.py").write_text("import sys, torch\nfrom .other import torch as same\nprint(sys.argv[1:])\n")
    (package / "__main__.py").write_text("from package import train\nprint(__name__, __package__)\n")
    assert python("-m", "lazygrad", "run", "-m", "package.train", "--x", folder=tmp_path).stdout == "['--x']\n"
    assert python("-m", "lazygrad", "run", "-m", "package", folder=tmp_path).stdout == "[]\n__main__ package\n"
    (tmp_path / "bin").mkdir()  # a command's own folder comes first where Python looks for modules
    (tmp_path / "bin" / "command.py").write_text("from lazygrad.command_line.main import main\nmain()\n")
    assert python("bin/command.py", "run", "-m", "package.train", "--y", folder=tmp_path).stdout == "['--y']\n"
    missing = python("-m", "lazygrad", "run", "-m", "package.absent", folder=tmp_path)
    assert missing.returncode == 1 and missing.stderr.endswith("No module named package.absent\n")


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    raise ValueError('no')\n\nf()\n",
        "def f(:\n",
        "import sys\nsys.exit(7)\n",
        "import sys\nsys.exit('why')\n",
        "raise KeyboardInterrupt\n",
        "import atexit\natexit.register(print, 'end')\nraise SystemExit\n",
        "import sys\nsys.excepthook = lambda *error: print(error[:2])\n1 / 0\n",
    ],
)
def test_it_ends_as_with_python(source: str, tmp_path: Path) -> None:
    done = run(source, tmp_path)
    plain = python(Path("programs") / "script.py", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert (done.returncode == -signal.SIGINT) == ("KeyboardInterrupt" in source)


@pytest.mark.whole
def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    done = python("-m", "lazygrad", "run", "absent.py", folder=tmp_path)
    assert done.returncode == 2 and "can't open file 'absent.py'" in done.stderr
    none = python("-m", "lazygrad", "run", folder=tmp_path)
    assert none.returncode == 2 and "give a file" in none.stderr


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    source = """
import importlib
missing = "torch.distributed.pipelining torch._dynamo.guards torch.nothing torch.nn.no torchvision.tv_tensors"
for name in missing.split():
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(error.name, error)
try:
    from torch import nothing
except ImportError as error:
    print(error)
import torch
torch.nothing
"""
    done = run(source, tmp_path)
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "torch.distributed.pipelining lazygrad has no torch.distributed.pipelining: lazygrad computes in one process; "
        "ask torch.distributed.is_available() first"
    )
    assert lines[1].startswith("torch._dynamo.guards lazygrad has no torch._dynamo.guards: there is no Dynamo")
    assert lines[2] == "torch.nothing lazygrad has no torch.nothing"
    assert lines[3] == "torch.nn.no lazygrad has no torch.nn.no"
    assert lines[4].startswith("torchvision.tv_tensors lazygrad has no torchvision.tv_tensors: samples are of tensors")
    assert lines[5].startswith("cannot import name 'nothing' from 'torch'")
    assert "torch.nothing\n" in done.stderr and "has no attribute 'nothing'" in done.stderr


@pytest.mark.whole
def test_libraries_that_ask_for_torch_go_on_working(tmp_path: Path) -> None:
    pytest.importorskip("einops", reason="einops is not installed")
    source = """
import numpy, tqdm, torch
from einops import rearrange, reduce
from einops.layers.torch import Rearrange
x = torch.arange(6.0).reshape(2, 3)
assert rearrange(x, "a b -> (b a)").tolist() == [0, 3, 1, 4, 2, 5]
assert isinstance(reduce(x, "a b -> a", "mean"), torch.Tensor)
assert torch.nn.Sequential(Rearrange("a b -> b a"))(x).shape == (3, 2)
assert numpy.asarray(x).sum() == 15 and torch.from_numpy(numpy.ones(2)).sum() == 2
for _ in tqdm.tqdm(range(2)): pass
"""
    done = run(source, tmp_path)
    assert done.returncode == 0, done.stderr


def test_in_a_program(tmp_path: Path) -> None:
    source = """
import sys
import lazygrad
version = lazygrad.__version__
torch = lazygrad.as_torch()
assert lazygrad.as_torch() is torch is lazygrad
import torch as other
from torch.nn import Linear
assert other is lazygrad and Linear is lazygrad.nn.Linear
assert torch.__version__.endswith(version) and torch.__version__ >= (2, 1) and not torch.__version__ < "2.9"
"""
    (tmp_path / "program.py").write_text(source)
    done = python("program.py", folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.whole
def test_a_torch_that_is_there_already_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("")
    (tmp_path / "program.py").write_text("import torch, lazygrad\nlazygrad.as_torch()\n")
    done = python("program.py", folder=tmp_path)
    place = tmp_path / "torch.py"
    assert f"RuntimeError: torch has already been imported from {place}, and what imported it keeps it" in done.stderr


def test_versions_compare_by_their_numbers() -> None:
    version = PyTorchVersion("2.13.0+lazygrad.0.1.0")
    assert version == "2.13.0+lazygrad.0.1.0" and version >= "2.13" and version <= (2, 13) and version > "2.9.1"
    assert not version < "2.2" and not version > "2.13.0" and version < (3,) and version >= "1.13.0a0"


def test_versions_as_packaging_reads_them() -> None:
    version = pytest.importorskip("packaging.version", reason="packaging is not installed")
    assert version.parse(PyTorchVersion("2.13.0+lazygrad.0.1.0")) > version.parse("2.12.1")


@pytest.mark.whole
def test_an_unmodified_training_prints_what_it_prints_with_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is the oracle of this test, and is not installed")
    script = Path(__file__).parent / "unmodified" / "train.py"
    have = python("-m", "lazygrad", "run", script, "--epochs", "2", folder=tmp_path)
    want = python(script, "--epochs", "2", folder=tmp_path)
    assert want.returncode == 0 and want.stdout.startswith("epoch 0 lr 0.0500 loss "), want.stderr
    assert (have.returncode, have.stdout) == (0, want.stdout), have.stderr
