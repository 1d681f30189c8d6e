"""``torch.cond`` at its private path."""

from lazygrad.ops.objects.control_flow import cond as cond

__all__ = ["cond"]
