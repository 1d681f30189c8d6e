"""``match`` statements as ``if`` statements, whose tests pass through hooks.

What a pattern takes out of a value is kept in variables of its own, and named when the whole pattern has matched.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

_SUBJECT, _CAPTURED = "__lazygrad_subject{}__", "__lazygrad_captured_{}__"


class Patterns:
    """The patterns of one function.

    Args:
        visit: rewrites an expression.
        hook: makes the call of a hook.
    """

    def __init__(self, visit: Callable[[ast.AST], ast.expr], hook: Callable[..., ast.expr]) -> None:
        self._visit, self._hook, self._subjects = visit, hook, 0

    def rewritten(self, node: ast.Match, body: Callable[[list[ast.stmt]], list[ast.stmt]]) -> list[ast.stmt]:
        """The statements that take the place of one; ``body`` rewrites those of a case."""
        subject = self._new_subject()
        first = ast.copy_location(ast.Assign([ast.Name(subject, ast.Store())], self._visit(node.subject)), node)
        rest: list[ast.stmt] = []
        for case in reversed(node.cases):
            names: dict[str, None] = {}
            tests = self._tests(case.pattern, subject, names)
            if names:
                tests.append(self._named(names, case.pattern))
            if case.guard is not None:
                tests.append(self._hook("condition", self._visit(case.guard), at=case.guard))
            rest = [ast.copy_location(ast.If(_all_of(tests), body(case.body), rest), case.pattern)]
        return [first, *rest]

    def _new_subject(self) -> str:
        self._subjects += 1
        return _SUBJECT.format(self._subjects)

    def _named(self, names: dict[str, None], at: ast.AST) -> ast.expr:
        """Gives variables what was captured; true."""
        variables: Any = [self._visit(ast.Name(name, ast.Store())) for name in names]
        values = [_read(_CAPTURED.format(name)) for name in names]
        kept = [ast.NamedExpr(variable, value) for variable, value in zip(variables, values, strict=True)]
        return ast.copy_location(ast.Tuple([*kept], ast.Load()), at)

    def _tests(self, pattern: ast.pattern, subject: str, names: dict[str, None]) -> list[ast.expr]:
        """Expressions that are all true where ``subject`` matches; what it captures is added to ``names``."""
        if isinstance(pattern, ast.MatchValue):
            compared = ast.copy_location(ast.Compare(_read(subject), [ast.Eq()], [pattern.value]), pattern)
            return [self._hook("condition", self._visit(compared), at=pattern)]
        if isinstance(pattern, ast.MatchSingleton):
            return [ast.copy_location(ast.Compare(_read(subject), [ast.Is()], [ast.Constant(pattern.value)]), pattern)]
        if isinstance(pattern, ast.MatchAs):
            tests = self._tests(pattern.pattern, subject, names) if pattern.pattern is not None else []
            return [*tests, self._captured(pattern.name, subject, names, pattern)] if pattern.name else tests
        if isinstance(pattern, ast.MatchOr):
            choices = [_all_of(self._tests(each, subject, names)) for each in pattern.patterns]
            return [ast.copy_location(ast.BoolOp(ast.Or(), choices), pattern)]
        return self._parts(pattern, subject, names)

    def _captured(self, name: str, subject: str, names: dict[str, None], at: ast.AST) -> ast.expr:
        names[name] = None
        kept = ast.NamedExpr(ast.Name(_CAPTURED.format(name), ast.Store()), _read(subject))
        return ast.copy_location(ast.Tuple([kept], ast.Load()), at)

    def _parts(self, pattern: ast.pattern, subject: str, names: dict[str, None]) -> list[ast.expr]:
        """A pattern that takes its subject apart: a hook returns the parts, or None."""
        if isinstance(pattern, ast.MatchSequence):
            stars = [i for i, each in enumerate(pattern.patterns) if isinstance(each, ast.MatchStar)]
            after = len(pattern.patterns) - stars[0] - 1 if stars else None
            before = stars[0] if stars else len(pattern.patterns)
            found = self._hook("match_sequence", _read(subject), ast.Constant(before), ast.Constant(after), at=pattern)
            inner = [ast.MatchAs(None, each.name) if isinstance(each, ast.MatchStar) else each
                     for each in pattern.patterns]  # fmt: skip
        elif isinstance(pattern, ast.MatchMapping):
            keys = ast.Tuple([self._visit(key) for key in pattern.keys], ast.Load())
            rest = ast.Constant(pattern.rest is not None)
            found = self._hook("match_mapping", _read(subject), keys, rest, at=pattern)
            inner = [*pattern.patterns, *([ast.MatchAs(None, pattern.rest)] if pattern.rest else [])]
        else:
            assert isinstance(pattern, ast.MatchClass)
            attributes = ast.Tuple([ast.Constant(name) for name in pattern.kwd_attrs], ast.Load())
            count = ast.Constant(len(pattern.patterns))
            found = self._hook("match_class", _read(subject), self._visit(pattern.cls), count, attributes, at=pattern)
            inner = [*pattern.patterns, *pattern.kwd_patterns]
        parts = self._new_subject()
        kept = ast.NamedExpr(ast.Name(parts, ast.Store()), found)
        tests: list[ast.expr] = [ast.Compare(kept, [ast.IsNot()], [ast.Constant(None)])]
        for number, each in enumerate(inner):
            part = self._new_subject()
            value = ast.Subscript(_read(parts), ast.Constant(number), ast.Load())
            tests.append(ast.Tuple([ast.NamedExpr(ast.Name(part, ast.Store()), value)], ast.Load()))
            tests += self._tests(ast.copy_location(each, pattern), part, names)
        return [ast.copy_location(test, pattern) for test in tests]


def _all_of(tests: list[ast.expr]) -> ast.expr:
    return ast.BoolOp(ast.And(), [ast.Constant(True), *tests]) if tests else ast.Constant(True)


def _read(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
