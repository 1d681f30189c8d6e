"""Loads all hostile files with little memory and little time, and says of each what happened, a line of JSON each.

Run as a process of its own: ``python -m tests.saving.hostile_runner [name]``.
"""

from __future__ import annotations

import builtins
import collections
import io
import json
import resource
import signal
import sys
import time
import traceback
from hashlib import sha256
from typing import Any

import lazygrad
from lazygrad.ir import device, dtype, memory_format
from tests.saving import hostile_archives, hostile_legacy, hostile_mutations, hostile_pickles, hostile_tensors
from tests.saving.assembling import archive, storage, tensor

_PLACES = (("cpu", None), ("meta", None), ("cpu", 1))  # a file may name others, which are made then
_MEMORY = 384 << 20  # beyond what the process has when it begins; the largest file has 2 MB
_SECONDS = 60  # of a machine that may do much else; the test looks at the time that the processor took


def _state_of_the_process() -> dict[str, Any]:
    """What a file could have changed."""
    classes = (lazygrad.Tensor, lazygrad.Size, lazygrad.nn.Parameter, collections.OrderedDict, collections.Counter)
    state: dict[str, Any] = {cls.__name__: dict(vars(cls)) for cls in classes}
    state |= {kind.name: [getattr(kind, slot) for slot in kind.__slots__] for kind in dtype.ALL_DTYPES}
    state["modules"] = [dict(vars(module)) for module in (builtins, collections, dtype, memory_format)]
    state["device"] = [(device._devices[place].type, device._devices[place].index) for place in _PLACES]
    state["layout"] = lazygrad.strided.name, lazygrad.sparse_coo.name
    state["settings"] = lazygrad.get_default_dtype(), lazygrad.is_grad_enabled()
    return state


def _interrupted(*_: Any) -> None:
    raise TimeoutError(f"it takes more than {_SECONDS} seconds")


def _outcome(content: bytes, **options: Any) -> tuple[str, str]:
    try:
        value = lazygrad.load(io.BytesIO(content), **options)
    except Exception as error:
        return type(error).__name__, "".join(traceback.format_exception(error)[-3:])[-500:]
    described = str(value["x"].tolist()) + str(value["n"]) if isinstance(value, dict) and len(value) == 2 else ""
    return "loaded", described or f"a {type(value).__name__}"


def _reported(group: str, name: str, content: bytes, before: dict[str, Any], **options: Any) -> None:
    print(json.dumps({"starting": f"{group}: {name}"}), flush=True)
    signal.alarm(_SECONDS)
    began = time.process_time()
    outcome, about = _outcome(content, **options)
    seconds = time.process_time() - began
    signal.alarm(0)
    changed = [key for key, value in _state_of_the_process().items() if value != before[key]]
    line = {"group": group, "name": name, "outcome": outcome, "about": about, "seconds": seconds, "changed": changed,
            "content": sha256(content).hexdigest()}  # fmt: skip
    print(json.dumps(line), flush=True)


def main(only: str | None) -> None:
    signal.signal(signal.SIGALRM, _interrupted)
    kept = lazygrad.load(io.BytesIO(archive([tensor(), storage()]))), lazygrad.device("meta"), lazygrad.device("cpu:1")
    assert kept[0][0].tolist() == [[0, 1, 2], [3, 4, 5]]
    before = _state_of_the_process()
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + _MEMORY, size + _MEMORY))
    groups = {
        "pickle": hostile_pickles.files(), "tensor": hostile_tensors.files(), "archive": hostile_archives.files(),
        "legacy": hostile_legacy.files(), "legacy mutated": hostile_legacy.damaged(),
        "damaged": hostile_archives.damaged(), "mutated": hostile_mutations.files(),
    }  # fmt: skip
    for group, files in groups.items():
        for name, content in files:
            if only is None or name == only:
                _reported(group, name, content, before)
                may_run = not name.startswith("code:")
                if group in ("tensor", "archive", "legacy") and may_run:  # sizes are checked of trusted files as well
                    _reported(f"{group}, trusted", name, content, before, weights_only=False)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
