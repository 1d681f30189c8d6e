"""PyTorch's public names by how often programs use them: tier A (always), B (often), C (rarely)."""

from __future__ import annotations

import json
from pathlib import Path

_TIERS: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("tiers.json").read_text())

NAMESPACES = tuple(_TIERS)


def names(namespace: str, tier: str) -> list[str]:
    """The names of one namespace, such as `torch.linalg`, in one tier."""
    return _TIERS[namespace][tier].split()


def path(namespace: str, name: str) -> str:
    """`torch.linalg`, `svd` → `linalg.svd`; what `getattr` follows from the package."""
    return f"{namespace}.{name}".removeprefix("torch.")
