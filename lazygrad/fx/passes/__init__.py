"""Passes over graphs: `ShapeProp` notes what values look like."""

from lazygrad.fx.passes import shape_prop

__all__ = ["shape_prop"]
