"""What makes batches, under the path PyTorch keeps it at."""

from lazygrad.data.collate import collate, default_collate, default_collate_fn_map, default_convert

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]
