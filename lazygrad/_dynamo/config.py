"""``torch._dynamo.config``: settings of PyTorch's tracer, which there is none of.

Any name may be assigned and read back, for a time by `patch`, and nothing reads it. A few names that programs read
have PyTorch's values.
"""

from __future__ import annotations

import sys

from lazygrad.unread_settings import UnreadSettings

_SECOND_NAMES = {"accumulated_cache_size_limit": "accumulated_recompile_limit", "cache_size_limit": "recompile_limit"}

accumulated_recompile_limit = 256
allow_rnn = False
assume_static_by_default = True
automatic_dynamic_shapes = True
capture_dynamic_output_shape_ops = False
capture_scalar_outputs = False
disable = False
dynamic_shapes = True
error_on_recompile = False
force_parameter_static_shapes = True
guard_nn_modules = True
optimize_ddp = True
recompile_limit = 8
specialize_float = False
specialize_int = False
suppress_errors = False
verbose = False

sys.modules[__name__].__class__ = UnreadSettings
