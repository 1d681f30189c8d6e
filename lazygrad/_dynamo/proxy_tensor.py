"""``torch.fx.experimental.proxy_tensor``: whether PyTorch traces with proxies, which nothing does here."""

from __future__ import annotations

__all__ = ["get_proxy_mode"]


def get_proxy_mode() -> None:
    """None: no operation is traced by a proxy."""
