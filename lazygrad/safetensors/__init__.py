"""Files of safetensors: a header in JSON that says where each tensor lies, and the tensors' bytes.

`lazygrad.safetensors.torch` has the functions of the package's `safetensors.torch`; after `lazygrad.as_torch()`,
``import safetensors`` gives this package.
"""

from lazygrad.safetensors import torch
from lazygrad.safetensors.header import SafetensorError
from lazygrad.safetensors.opened import safe_open

__all__ = ["SafetensorError", "safe_open", "torch"]
