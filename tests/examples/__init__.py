"""The scripts in ``examples/``."""
