"""``torch._inductor.config``: settings of PyTorch's code generator, which there is none of.

Any name may be assigned and read back, for a time by `patch`, and nothing reads it. A few names that programs read
have PyTorch's values, and its sections are there.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

from lazygrad.unread_settings import UnreadSettings

compile_threads = 1
coordinate_descent_tuning = False
debug = False
epilogue_fusion = True
fallback_random = False
force_fuse_int_mm_with_mul = False
freezing = False
fx_graph_cache = True
max_autotune = False
max_autotune_gemm = False
max_autotune_gemm_backends = "ATEN,TRITON,CPP"
max_autotune_pointwise = False
size_asserts = True
use_mixed_mm = True

aot_inductor = SimpleNamespace()
cpp = SimpleNamespace(threads=-1)
cuda = SimpleNamespace()
trace = SimpleNamespace(enabled=False)
triton = SimpleNamespace(cudagraphs=False, unique_kernel_names=True)

sys.modules[__name__].__class__ = UnreadSettings
