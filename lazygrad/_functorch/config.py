"""``torch._functorch.config``: settings of PyTorch's division of training into two graphs, which is not made here.

Any name may be assigned and read back, for a time by `patch`, and nothing reads it. A few names that programs read
have PyTorch's values.
"""

from __future__ import annotations

import sys

from lazygrad.unread_settings import UnreadSettings

activation_memory_budget = 1.0
aggressive_recomputation = False
cse = True
debug_partitioner = False
donated_buffer = True
enable_autograd_cache = True
functionalize_rng_ops = False
recompute_views = False

sys.modules[__name__].__class__ = UnreadSettings
