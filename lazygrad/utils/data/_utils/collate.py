"""What makes batches, under the path PyTorch keeps it at."""

from lazygrad.data.collate import default_collate, default_convert

__all__ = ["default_collate", "default_convert"]
