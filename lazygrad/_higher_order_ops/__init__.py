"""``torch._higher_order_ops``: branches, loops and scans as functions, at PyTorch's paths.

Python's own statements do the same here: what runs is what is recorded, and gradients flow through it. The modules
below have the names of their functions, which programs import from them.
"""

from lazygrad._higher_order_ops.associative_scan import associative_scan
from lazygrad._higher_order_ops.cond import cond
from lazygrad._higher_order_ops.foreach_map import foreach_map
from lazygrad._higher_order_ops.map import map
from lazygrad._higher_order_ops.scan import scan
from lazygrad._higher_order_ops.while_loop import while_loop

__all__ = ["associative_scan", "cond", "foreach_map", "map", "scan", "while_loop"]
