"""Users other than the one who runs the tests; only root can act as one, or give files away."""

from __future__ import annotations

import os

import pytest

OTHER = 54321  # a number that no user has
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
