"""The skeletons of CUDA source."""

from __future__ import annotations

from lazygrad.codegen.escaping import c_text
from lazygrad.codegen.templates import Templates

render = Templates("cuda", c_text).render
