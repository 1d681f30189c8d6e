"""The skeletons of Python source."""

from __future__ import annotations

from lazygrad.codegen.escaping import python_text
from lazygrad.codegen.templates import Templates

render = Templates("numpy", python_text).render
