"""The command line: ``python -m lazygrad``, also installed as ``lazygrad``."""
