"""The two frameworks the scenarios are run on."""

from tests.frontend.conftest import candidate, torch

__all__ = ["candidate", "torch"]
