"""Pullbacks and the reverse sweep."""
