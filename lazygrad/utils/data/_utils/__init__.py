"""A private path of PyTorch's that programs import from all the same."""

from lazygrad.utils.data._utils import collate, pin_memory, worker

__all__ = ["collate", "pin_memory", "worker"]
