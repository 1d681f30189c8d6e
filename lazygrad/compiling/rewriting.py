"""The syntax tree of a function, rewritten so that every read of something outside its frame passes through a hook.

Each construct of the language that is let pass has a rule: operands, conditions, loops, attributes, items and calls get
a hook, what assigns outside its frame gets one too, and other statements call `refuse`.
"""

from __future__ import annotations

import ast
from typing import Any

from lazygrad.compiling.patterns import Patterns

HOOKS = "__lazygrad_hooks__"
_OWNER, _INDEX = "__lazygrad_owner__", "__lazygrad_index__"
_NEEDS_FRAME = frozenset("locals globals vars dir eval exec __import__".split())
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
    ast.In: "contains", ast.NotIn: "contains",
}  # fmt: skip
# Statements that are never replayed.
_REFUSED = {
    "AsyncFunctionDef": "defines a coroutine",
    "AsyncFor": "runs asynchronously",
    "AsyncWith": "runs asynchronously",
    "ClassDef": "defines the class {0.name}",
    "TryStar": "handles a group of exceptions",
}
# Parts of nodes that pass through one hook.
_PARTS = {
    "Assert": ("test", "condition"),
    "FormattedValue": ("value", "formatted"),
    "If": ("test", "condition"),
    "IfExp": ("test", "condition"),
    "While": ("test", "condition"),
    "YieldFrom": ("value", "iterate"),
    "withitem": ("context_expr", "context"),
}


class Rewriting(ast.NodeTransformer):
    """Puts hooks into one function and those inside it."""

    def __init__(self, class_name: str | None, outside: frozenset[str]) -> None:
        self._class_name, self._outside = class_name, outside
        self._patterns = Patterns(self.visit, self._hook)

    def rewrite(self, definition: ast.FunctionDef | ast.Lambda) -> None:
        """Change a definition in place, but for its default values, which exist already."""
        for default in (definition.args.defaults, definition.args.kw_defaults):
            default[:] = [value and ast.Constant(None) for value in default]  # type: ignore[misc]
        self._without_annotations(definition.args)
        body, named = definition.body, definition.args.kwarg
        if isinstance(body, list):
            # Python makes the dictionary of `**` for this call. The name alone makes the hooks a variable of it.
            first = self._hook("made", ast.Name(named.arg, ast.Load()), at=named) if named is not None else _hooks()
            definition.body = [ast.Expr(first), *self._all(body)]
        else:
            definition.body = self._hook("enter", self.visit(body), at=body)

    def _without_annotations(self, arguments: ast.arguments) -> None:
        listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        for argument in listed:
            if argument is not None:
                argument.annotation = None

    def _all(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made = [self.visit(statement) for statement in statements]
        return [each for some in made for each in (some if isinstance(some, list) else [some])]

    def _hook(self, name: str, *args: ast.expr, at: ast.AST) -> ast.expr:
        """A call of a hook; what has no place in the source yet gets that of what is around it."""
        return ast.copy_location(ast.Call(_hooks(name), list(args), []), at)

    def _refusal(self, what: str, at: ast.AST) -> ast.stmt:
        return ast.copy_location(ast.Expr(self._hook("refuse", ast.Constant(what), at=at)), at)

    def _mangled(self, name: str) -> str:
        if self._class_name is None or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{self._class_name.lstrip('_')}{name}"

    # Statements.

    def visit(self, node: ast.AST) -> Any:
        """What takes the place of a node."""
        kind = type(node).__name__
        if kind in _REFUSED:
            return [self._refusal(_REFUSED[kind].format(node), node), node]
        made = super().visit(node)
        if kind in _PARTS:
            part, hook = _PARTS[kind]
            self._wrap(made, part, hook)
        return made

    def _wrap(self, node: Any, part: str, hook: str, *names: str) -> None:
        """Let a part of a node pass through a hook."""
        value = getattr(node, part)
        setattr(node, part, self._hook(hook, value, *map(ast.Constant, names), at=value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [self._hook("decorator", self.visit(each), at=each) for each in node.decorator_list]
        return self._inner(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._inner(node)

    def _inner(self, node: Any) -> ast.AST:
        defaults = [self.visit(each) for each in node.args.defaults]
        named = [each and self.visit(each) for each in node.args.kw_defaults]
        self.rewrite(node)
        node.args.defaults, node.args.kw_defaults = defaults, named
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        return node

    def visit_Global(self, node: ast.Global) -> Any:
        return [node, self._refusal(f"assigns the global variable {node.names[0]!r}", node)]

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        outside = [name for name in node.names if name in self._outside]
        return [node, self._refusal(f"assigns the closure variable {outside[0]!r}", node)] if outside else node

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        return self._patterns.rewritten(node, self._all)

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        """``import a.b as c`` reads b of a, and ``import a.b`` a alone."""
        looked_up = [(alias.name, [] if alias.asname is None else alias.name.split(".")[1:]) for alias in node.names]
        said = [self._hook("imported", ast.Constant(name), ast.Constant(0), _strings([]), _strings(path), at=node)
                for name, path in looked_up]  # fmt: skip
        return [*[ast.copy_location(ast.Expr(each), node) for each in said], node]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        names = _strings([alias.name for alias in node.names])
        where = ast.Constant(node.module or ""), ast.Constant(node.level)
        said = self._hook("imported", *where, names, _strings([]), at=node)
        return [ast.copy_location(ast.Expr(said), node), node]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> Any:
        unpacked = [each for each in node.targets if isinstance(each, (ast.Tuple, ast.List))]
        is_nested = any(isinstance(inner, (ast.Tuple, ast.List)) for each in unpacked for inner in each.elts)
        self.generic_visit(node)
        if unpacked:
            self._wrap(node, "value", "iterate")
        return [self._refusal("takes nested values apart", node), node] if is_nested else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        name = ast.Constant(_OPERATORS[type(node.op)])
        node.value = self._hook("operand", self.visit(node.value), name, at=node.value)
        if isinstance(node.target, ast.Name):
            read = self._hook("in_place", ast.Name(node.target.id, ast.Load()), name, at=node)
            return [ast.copy_location(ast.Expr(read), node), node]
        target: Any = self.visit(node.target)
        if isinstance(node.target, ast.Attribute):
            target.value = self._hook("updated", target.value.args[0], at=node)  # that of the hook `target`
            node.target = target
            return node
        assigned: list[ast.stmt] = []
        for part, variable in (("value", _OWNER), ("slice", _INDEX)):  # each is evaluated once
            assigned.append(
                ast.copy_location(ast.Assign([ast.Name(variable, ast.Store())], getattr(target, part)), node)
            )
            setattr(target, part, ast.Name(variable, ast.Load()))
        read = self._hook("updated_item", ast.Name(_OWNER, ast.Load()), ast.Name(_INDEX, ast.Load()), name, at=node)
        node.target = target
        return [*assigned, ast.copy_location(ast.Expr(read), node), node]

    def visit_For(self, node: ast.For | ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        self._wrap(node, "iter", "iterate")
        if isinstance(node.target, (ast.Tuple, ast.List)):
            self._wrap(node, "iter", "rows")
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.visit_For(node)
        node.ifs = [self._hook("condition", each, at=each) for each in node.ifs]
        return node

    # Expressions.

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._mangled(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner, name = self.visit(node.value), self._mangled(node.attr)
        if isinstance(node.ctx, ast.Load):
            return self._hook("attribute", owner, ast.Constant(name), at=node)
        node.attr = name
        node.value = self._hook("target", owner, ast.Constant(name), at=node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        owner, index = self.visit(node.value), self.visit(node.slice)
        if isinstance(index, ast.Tuple):
            index.elts = [self._bounds(each, node) for each in index.elts]
        index = self._bounds(index, node)
        if isinstance(node.ctx, ast.Load):
            return self._hook("item", owner, index, at=node)
        node.value, node.slice = self._hook("target", owner, at=node), self._hook("key", index, at=node)
        return node

    def _bounds(self, index: ast.expr, at: ast.AST) -> ast.expr:
        if not isinstance(index, ast.Slice):
            return index
        bounds = (index.lower, index.upper, index.step)
        return self._hook("slice", *[each or ast.Constant(None) for each in bounds], at=at)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and not node.keywords:
            return node
        needs_frame = isinstance(node.func, ast.Name) and node.func.id in _NEEDS_FRAME
        self.generic_visit(node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = self._hook("mapping", keyword.value, at=keyword.value)
        if needs_frame:
            said = self._hook("refuse", ast.Constant(f"calls {node.func.id}"), at=node)  # type: ignore[attr-defined]
            return self._second(said, node)
        node.args.insert(0, node.func)
        node.func = _hooks("call")
        return node

    def _second(self, first: ast.expr, second: ast.expr) -> ast.expr:
        both = ast.Tuple([first, second], ast.Load())
        return ast.copy_location(ast.Subscript(both, ast.Constant(1), ast.Load()), second)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._hook("iterate", node.value, at=node)
        return node

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return self._second(self._hook("refuse", ast.Constant("waits"), at=node), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS[type(node.op)]
        self._wrap(node, "left", "operand", name)
        self._wrap(node, "right", "operand", f"r{name}")
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            self._wrap(node, "operand", "condition")
        elif not isinstance(node.operand, ast.Constant):
            self._wrap(node, "operand", "operand", _OPERATORS[type(node.op)])
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [self._hook("condition", each, at=each) for each in node.values]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            found = self._hook("contained", *operands, at=node)
            return found if isinstance(node.ops[0], ast.In) else ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
        with_constant = any(isinstance(each, ast.Constant) for each in operands)
        for position, operator in enumerate(node.ops):
            for side in (position, position + 1):
                operand = operands[side]
                if not isinstance(operator, (ast.Is, ast.IsNot)):
                    name = ast.Constant(_OPERATORS[type(operator)])
                    operands[side] = self._hook("operand", operand, name, at=operand)
                elif not with_constant:
                    operands[side] = self._hook("identity", operand, at=operand)
        node.left, node.comparators = operands[0], operands[1:]
        return node

    def _display(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            return self._hook("made", node, at=node)
        return node

    visit_List = _display
    visit_Set = _display
    visit_ListComp = _display
    visit_SetComp = _display
    visit_DictComp = _display
    visit_GeneratorExp = _display

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        node.keys = [key and self._hook("key", key, at=key) for key in node.keys]
        node.values = [
            value if key is not None else self._hook("mapping", value, at=value)
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return self._hook("made", node, at=node)


def _strings(values: list[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(value) for value in values], ast.Load())


def _hooks(name: str | None = None) -> ast.expr:
    hooks = ast.Name(HOOKS, ast.Load())
    return hooks if name is None else ast.Attribute(hooks, name, ast.Load())
