"""A private path of PyTorch's that programs import from all the same."""

from lazygrad.utils.data._utils import collate, worker

__all__ = ["collate", "worker"]
