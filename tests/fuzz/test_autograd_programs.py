"""Random programs about gradients find what PyTorch finds, in each way of running them.

``LAZYGRAD_FUZZ_AUTOGRAD`` says how many programs are compared. One in fifty is compiled, too.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.fuzz.comparing_autograd import assert_program_agrees
from tests.runtime.toolchains import needs_compiler
from tests.selection import share

PROGRAMS = int(os.environ.get("LAZYGRAD_FUZZ_AUTOGRAD", "0"))
PARTS = 4


def programs() -> int:
    return PROGRAMS or share(600)


@pytest.mark.host_memory("each way of running is chosen for the CPU")
@pytest.mark.deeper
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_find_what_torch_finds(torch: Any, part: int) -> None:
    refused = [assert_program_agrees(torch, seed) for seed in range(part, programs(), PARTS)]
    assert sum(refused) < len(refused) / 20, "too many of the programs end early, because PyTorch refuses a part"


@needs_compiler
@pytest.mark.host_memory("each way of running is chosen for the CPU")
@pytest.mark.deeper
def test_compiled_programs_find_what_torch_finds(torch: Any) -> None:
    refused = [assert_program_agrees(torch, seed, compiled=True) for seed in range(0, programs(), 50)]
    assert sum(refused) < len(refused) / 2
