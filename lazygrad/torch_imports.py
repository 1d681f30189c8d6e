"""``lazygrad.as_torch()``: from then on, ``import torch`` in this process gives lazygrad.

A finder in front of Python's own answers imports of ``torch``, ``torchvision``, ``functorch`` and what is below them
with lazygrad's modules. They are the same objects under a second name, so that ``isinstance``, pickles and
`lazygrad.compile` know no difference. What lazygrad does not have is refused by its name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from lazygrad import version
from lazygrad.ir.spoken_name import package
from lazygrad.torch_in_children import call_in_children

PYTORCH = "2.13.0"
"""The PyTorch whose words lazygrad speaks."""

# Where lazygrad keeps what PyTorch has at another path, and all that is below it (``torchvision.models`` is
# ``lazygrad.vision.models``). Any other ``torch.x`` is ``lazygrad.x``.
_ELSEWHERE = {
    "torch._subclasses": "lazygrad._dynamo",
    "torch._tensor": "lazygrad.tensor",
    "torch._utils": "lazygrad.utils.flattening",
    "torch.amp.autocast_mode": "lazygrad.amp",
    "torch.autograd.grad_mode": "lazygrad.grad_mode",
    "torch.autograd.profiler": "lazygrad._autograd_profiler",
    "torch.cuda.amp.autocast_mode": "lazygrad.cuda.amp",
    "torch.cuda.amp.grad_scaler": "lazygrad.cuda.amp",
    "torch.functional": "lazygrad",
    "torch.fx.experimental": "lazygrad._dynamo",
    "torch.jit.annotations": "typing",
    "torch.optim.adamw": "lazygrad.optim.adam",
    "torch.serialization": "lazygrad.saving",
    "torch.storage": "lazygrad.ops.objects.storages",
    "torchvision": "lazygrad.vision",
    "functorch": "lazygrad.functorch",
    "functorch.experimental.control_flow": "lazygrad._higher_order_ops",
    "safetensors": "lazygrad.safetensors",
}

# Modules that a function hides by its name: ``torch.autograd.gradcheck`` is one, and can also be imported from. They
# are entered beside the module above them, since an import of their own would put them where the function is.
_HIDDEN = {
    **{
        f"torch._higher_order_ops.{name}": f"lazygrad._higher_order_ops.{name}"
        for name in ("associative_scan", "cond", "foreach_map", "map", "scan", "while_loop")
    },
    "torch.autograd.gradcheck": "lazygrad.autograd.checking",
    "torch.multiprocessing.spawn": "lazygrad.multiprocessing.spawn",
    "torch.nn.parallel.data_parallel": "lazygrad.nn.parallel.data_parallel",
    "torch.nn.parallel.parallel_apply": "lazygrad.nn.parallel.parallel_apply",
    "torch.nn.parallel.replicate": "lazygrad.nn.parallel.replicate",
}

_NO_QUANTIZATION = (
    "models are not quantized as a whole; train and run them in float32, or in bfloat16 by torch.autocast"
)

# What to use in place of modules that are not there, those below them included.
_INSTEAD = {
    "functorch.compile": "there is no ahead-of-time autograd; torch.compile records whole calls and replays them",
    "functorch.dim": "dimensions are numbers; torch.einsum and einops take names for them",
    "torch._C": "it is PyTorch's own library; lazygrad's public functions are those of torch",
    "torch._dynamo": "there is no Dynamo, but for a few names; torch.compile records whole calls and replays them",
    "torch._functorch": "torch.func has the transforms of functions",
    "torch._inductor": "there is no Inductor; lazygrad.stages(x) shows the sources that lazygrad generates",
    "torch.ao": _NO_QUANTIZATION,
    "torch.distributed": "lazygrad computes in one process; ask torch.distributed.is_available() first",
    "torch.export": "there is no exported form; torch.save(module.state_dict(), path) keeps the values of a module",
    "torch.fx": "its graphs, interpreters and replace_pattern are there, and ShapeProp of its passes",
    "torch.nn.attention.varlen": "pad the sequences, and give scaled_dot_product_attention a mask; or call it for each",
    "torch.package": "torch.save(module.state_dict(), path) keeps the values of a module",
    "torch.quantization": _NO_QUANTIZATION,
    "torch.utils._debug_mode": "lazygrad.stages(x) shows what was recorded, and lazygrad.check(x) where numbers differ",
    "torch.utils.bottleneck": "python -m lazygrad profile says where a program's time goes",
    "torch.utils.collect_env": "python -m lazygrad doctor tells of this machine",
    "torchvision.tv_tensors": "samples are of tensors; give masks and boxes to torchvision.transforms.functional",
}


class PyTorchVersion(str):
    """A version as text that compares by its numbers, with texts and tuples: ``torch.__version__ >= "2.9"``."""

    __slots__ = ()

    def _numbers(self) -> tuple[int, ...]:
        return _release(self)

    def __lt__(self, other: Any) -> bool:
        return self._numbers() < _release(other)

    def __le__(self, other: Any) -> bool:
        return self._numbers() <= _release(other)

    def __gt__(self, other: Any) -> bool:
        return self._numbers() > _release(other)

    def __ge__(self, other: Any) -> bool:
        return self._numbers() >= _release(other)


def _release(version: Any) -> tuple[int, ...]:
    """The numbers a version begins with, without zeros at their end: ``2.13.0+cpu`` is (2, 13)."""
    if isinstance(version, str):
        found = re.match(r"\d+(\.\d+)*", version)
        numbers = [int(number) for number in found.group().split(".")] if found else []
    else:
        numbers = [int(number) for number in version]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def as_torch() -> ModuleType:
    """Has ``import torch`` and ``import torchvision``, with what is below them, give lazygrad in this process.

    ``torch.__version__`` is then the version of the PyTorch that lazygrad follows, with lazygrad's own behind it. To
    call it again changes nothing.

    What tensors, dtypes and sizes call themselves then is PyTorch's, too: ``torch.float32``, ``torch.Size([2])``. It
    holds in the processes too that `multiprocessing` starts for this one, in whichever way.

    Returns:
        `lazygrad`, so that ``torch = lazygrad.as_torch()`` works too.

    Raises:
        RuntimeError: PyTorch or torchvision was imported before.
    """
    frontend = import_module("lazygrad")
    if any(isinstance(finder, _TorchFinder) for finder in sys.meta_path):
        return frontend
    for name in ("torch", "torchvision"):
        if name in sys.modules:
            place = getattr(sys.modules[name], "__file__", None)
            raise RuntimeError(
                f"{name} has already been imported from {place}, and what imported it keeps it: "
                "call lazygrad.as_torch() before anything imports it, or start the program by python -m lazygrad run"
            )
    call_in_children(as_torch)
    own = str(version.__version__).rpartition("lazygrad.")[2]  # an interrupted call may have spelled it out already
    spoken = PyTorchVersion(f"{PYTORCH}+lazygrad.{own}")
    for module in (frontend, version):
        vars(module)["__version__"] = spoken
    vars(frontend)["__name__"] = package.name = "torch"  # which programs compare, and what they name in messages
    frontend.Tensor.__module__ = "torch"  # by which libraries find the functions for a value
    vars(frontend)["torch"] = frontend  # PyTorch's module has this name of itself
    sys.meta_path.insert(0, _TorchFinder())  # the last step: by it a later call knows that all is done
    return frontend


class _TorchFinder(MetaPathFinder):
    """Finds ``torch.x`` where lazygrad has it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in ("torch", "torchvision", "functorch", "safetensors"):
            return None
        module = module_of(fullname)
        if module is None:
            raise ModuleNotFoundError(_refusal(fullname), name=fullname)
        return ModuleSpec(fullname, _SecondName(module, fullname))


class _SecondName(Loader):
    """Enters a module that is there under one more name, and leaves it as it is."""

    def __init__(self, module: ModuleType, name: str) -> None:
        self._module, self._name = module, name
        self._spec = getattr(module, "__spec__", None)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has put that of the second name in its place
        if not hasattr(module, "__path__") and module.__name__.startswith("lazygrad"):
            module.__path__ = []  # so that the finder is asked for what is below a module that is a single file
        for name, place in _HIDDEN.items():
            if name.rpartition(".")[0] == self._name:
                sys.modules[name] = import_module(place)


def module_of(name: str) -> ModuleType | None:
    """lazygrad's module for one of PyTorch's paths, or what plays its part; None where there is none."""
    path = _path_of(name)
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{path}.".startswith(f"{error.name}."):
            raise  # a module is there that needs a package which is not
    parent, _, last = path.rpartition(".")
    holder = sys.modules.get(parent)
    found = getattr(holder, last, None) if holder is not None else None
    return found if isinstance(found, ModuleType) else None


def _path_of(name: str) -> str:
    beginning, rest = name, ""
    while beginning:
        if beginning in _ELSEWHERE:
            return _ELSEWHERE[beginning] + rest
        beginning, dot, last = beginning.rpartition(".")
        rest = dot + last + rest
    return "lazygrad" + name.removeprefix("torch")


def _refusal(name: str) -> str:
    return f"lazygrad has no {name}{what_to_use(name)}"


def what_to_use(name: str) -> str:
    """What follows in an error the name of a module of PyTorch that is not there: a colon and a reason, or nothing."""
    while name and name not in _INSTEAD:
        name = name.rpartition(".")[0]
    return f": {_INSTEAD[name]}" if name else ""
