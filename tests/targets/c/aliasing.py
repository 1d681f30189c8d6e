"""Counts the sums of transposes that C finds wrong, with the compiler that ``CC`` names; a program for `test_aliasing`.

CC="clang -march=native" python -m tests.targets.c.aliasing FLAG…
"""

from __future__ import annotations

import sys
from random import Random

from lazygrad.targets.c.toolchain import toolchain
from tests.codegen.c_backend import running_c
from tests.fuzz.turned import drawn_cases, results, sixteens, wrong


def main(flags: tuple[str, ...]) -> None:
    cases = [*sixteens(), *drawn_cases(Random(0), 44)]
    with running_c(threads=2, flags=flags):
        have = results(cases)
    found, tools = wrong(cases, have), toolchain()
    print(f"{tools.version if tools else None}: {len(found)} of {len(cases)} are wrong: {found}")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
