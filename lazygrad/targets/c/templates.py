"""The skeletons of C source."""

from __future__ import annotations

from lazygrad.codegen.escaping import c_text
from lazygrad.codegen.templates import Templates

render = Templates("c", c_text).render
