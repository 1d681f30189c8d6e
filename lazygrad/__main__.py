"""``python -m lazygrad``; ``--help`` says what there is."""

from __future__ import annotations

import sys

from lazygrad.command_line.main import main

if __name__ == "__main__":
    sys.exit(main())
