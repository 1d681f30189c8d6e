"""The processors a process may use: what it is bound to, and what its control groups' quotas leave."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lazygrad.host.processors import free_processors


@pytest.fixture(autouse=True)
def eight_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)), raising=False)


def groups_with(folder: Path, own: str, **files: str) -> tuple[Path, Path]:
    """A tree of control groups; names of files have ``__`` for each slash, and ``own`` names those of the process."""
    for name, text in files.items():
        file = folder / "groups" / name.replace("__", "/").replace("cpu_", "cpu.")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "own").write_text(own)
    return folder / "groups", folder / "own"


def test_what_it_is_bound_to(tmp_path: Path) -> None:
    assert free_processors(tmp_path, tmp_path / "missing") == 8


@pytest.mark.parametrize(
    ("quota", "expected"), [("max 100000", 8), ("200000 100000", 2), ("150000 100000", 2), ("1000 100000", 1), ("", 8)]
)
def test_a_quota(tmp_path: Path, quota: str, expected: int) -> None:
    groups = groups_with(tmp_path, "0::/box/job\n", box__job__cpu_max=quota + "\n")
    assert free_processors(*groups) == expected


def test_the_quota_of_a_group_around_it(tmp_path: Path) -> None:
    files = {"box__job__cpu_max": "max 100000", "box__cpu_max": "300000 100000", "cpu_max": "700000 100000"}
    assert free_processors(*groups_with(tmp_path, "0::/box/job\n", **files)) == 3


def test_the_first_version_of_control_groups(tmp_path: Path) -> None:
    files = {"cpu__job__cpu_cfs_quota_us": "400000\n", "cpu__job__cpu_cfs_period_us": "100000\n"}
    own = "5:memory:/job\n3:cpu,cpuacct:/job\n0::/\n"
    assert free_processors(*groups_with(tmp_path, own, **files)) == 4
    (tmp_path / "groups/cpu/job/cpu.cfs_quota_us").write_text("-1\n")
    assert free_processors(tmp_path / "groups", tmp_path / "own") == 8
