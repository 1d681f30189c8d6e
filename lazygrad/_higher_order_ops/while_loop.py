"""``torch.while_loop`` at its private path."""

from lazygrad.ops.objects.control_flow import while_loop as while_loop

__all__ = ["while_loop"]
