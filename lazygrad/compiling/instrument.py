"""Functions in which every read of something outside passes through the hooks of `lazygrad.compiling.reads`.

The function's syntax tree is rewritten and compiled again, with its lines and its name; Python runs it. The rewriting
knows each construct of the language that it lets pass: operands, conditions, loops, attributes, items and calls get a
hook, what assigns outside its frame gets one too, and a construct without a rule calls `refuse`.
"""

from __future__ import annotations

import ast
import copy
from types import CodeType, FunctionType
from typing import Any

from lazygrad.compiling.function_source import find_source, nested_codes
from lazygrad.compiling.unguardable import Unguardable

HOOKS = "__lazygrad_hooks__"
_NEEDS_FRAME = frozenset("locals globals vars dir eval exec __import__".split())
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
    ast.In: "contains", ast.NotIn: "contains",
}  # fmt: skip
_known: dict[CodeType, CodeType | Unguardable] = {}
_made: set[CodeType] = set()


def is_instrumented(code: CodeType) -> bool:
    """Whether the code, or the one around it, was made here."""
    return HOOKS in code.co_freevars or code in _made


def instrumented(function: FunctionType, hooks: Any) -> FunctionType:
    """``function`` with hooks in place.

    Raises:
        Unguardable: its source cannot be had.
    """
    code = function.__code__
    if code not in _known:
        try:
            _known[code] = _compiled(code)
        except Unguardable as refusal:
            _known[code] = refusal
    made = _known[code]
    if isinstance(made, Unguardable):
        raise made
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[HOOKS] = _cell(hooks)
    closure = tuple([cells[name] for name in made.co_freevars])
    copied = FunctionType(made, function.__globals__, function.__name__, function.__defaults__, closure)
    copied.__kwdefaults__ = function.__kwdefaults__
    return copied


def _cell(value: Any) -> Any:
    return (lambda: value).__closure__[0]  # type: ignore[index]


def _compiled(code: CodeType) -> CodeType:
    if code.co_flags & 0x280:  # coroutines
        raise Unguardable(f"{code.co_qualname} is a coroutine")
    found = find_source(code)
    definition = copy.deepcopy(found.definition)
    _Rewriting(found.class_name, frozenset(code.co_freevars)).rewrite(definition)
    body: list[ast.stmt] = [definition if isinstance(definition, ast.FunctionDef) else ast.Expr(definition)]
    if isinstance(definition, ast.FunctionDef):
        definition.decorator_list, definition.returns = [], None
    names = [ast.arg(name) for name in dict.fromkeys([*code.co_freevars, HOOKS])]
    around = ast.FunctionDef("around", _arguments(names), body, [], None, None)
    if "type_params" in around._fields:
        around.type_params = []  # type: ignore[attr-defined]  # since Python 3.12
    module = ast.fix_missing_locations(ast.Module([around], []))
    outer = compile(module, code.co_filename, "exec", dont_inherit=True).co_consts[0]
    made = next(each for each in outer.co_consts if isinstance(each, CodeType) and each.co_name == code.co_name)
    if set(made.co_freevars) - {HOOKS} != set(code.co_freevars):
        raise Unguardable(f"{code.co_qualname} is compiled otherwise")
    made = made.replace(co_qualname=code.co_qualname)
    _made.update(nested_codes(made))
    return made


def _arguments(names: list[ast.arg]) -> ast.arguments:
    return ast.arguments([], names, None, [], [], None, [])


class _Rewriting(ast.NodeTransformer):
    """Puts hooks into one function and those inside it."""

    def __init__(self, class_name: str | None, outside: frozenset[str]) -> None:
        self._class_name, self._outside = class_name, outside

    def rewrite(self, definition: ast.FunctionDef | ast.Lambda) -> None:
        """Change a definition in place, but for its default values, which exist already."""
        for default in (definition.args.defaults, definition.args.kw_defaults):
            default[:] = [value and ast.Constant(None) for value in default]  # type: ignore[misc]
        self._without_annotations(definition.args)
        body = definition.body
        if isinstance(body, list):
            definition.body = [made for statement in body for made in self._statements(statement)]
            definition.body.insert(0, self._keep_hooks(body[0]))
        else:
            definition.body = self._hook("enter", self.visit(body), at=body)

    def _keep_hooks(self, at: ast.stmt) -> ast.stmt:
        """A mention, so that the function has the hooks even where it needs none."""
        return ast.copy_location(ast.Expr(ast.copy_location(ast.Name(HOOKS, ast.Load()), at)), at)

    def _without_annotations(self, arguments: ast.arguments) -> None:
        listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        for argument in listed:
            if argument is not None:
                argument.annotation = None

    def _statements(self, statement: ast.stmt) -> list[ast.stmt]:
        made = self.visit(statement)
        return made if isinstance(made, list) else [made]

    def _hook(self, name: str, *args: ast.expr, at: ast.AST) -> ast.expr:
        function = ast.Attribute(ast.Name(HOOKS, ast.Load()), name, ast.Load())
        made = ast.copy_location(ast.Call(function, list(args), []), at)
        for node in (function, function.value):
            ast.copy_location(node, at)
        return made

    def _text(self, text: str, at: ast.AST) -> ast.expr:
        return ast.copy_location(ast.Constant(text), at)

    def _refusal(self, what: str, at: ast.stmt) -> ast.stmt:
        return ast.copy_location(ast.Expr(self._hook("refuse", self._text(what, at), at=at)), at)

    def _mangled(self, name: str) -> str:
        if self._class_name is None or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{self._class_name.lstrip('_')}{name}"

    # Statements.

    def _refused(self, what: str, node: ast.stmt) -> list[ast.stmt]:
        return [self._refusal(what, node), node]

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

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return self._refused("defines a coroutine", node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return self._refused(f"defines the class {node.name}", node)

    def visit_Import(self, node: ast.Import) -> Any:
        return self._refused("imports a module", node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        return self._refused("imports from a module", node)

    def visit_Global(self, node: ast.Global) -> Any:
        return [node, self._refusal(f"assigns the global variable {node.names[0]!r}", node)]

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        outside = [name for name in node.names if name in self._outside]
        return [node, self._refusal(f"assigns the closure variable {outside[0]!r}", node)] if outside else node

    def visit_Match(self, node: Any) -> Any:
        return self._refused("matches a pattern", node)

    def visit_TryStar(self, node: Any) -> Any:
        return self._refused("handles a group of exceptions", node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> Any:
        return self._refused("runs asynchronously", node)

    visit_AsyncWith = visit_AsyncFor  # type: ignore[assignment]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        unpacks = any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)
        nested = any(
            isinstance(inner, (ast.Tuple, ast.List))
            for target in node.targets
            if isinstance(target, (ast.Tuple, ast.List))
            for inner in target.elts
        )
        self.generic_visit(node)
        if unpacks:
            node.value = self._hook("unpack_deep" if nested else "iterate", node.value, at=node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        name = self._text(_OPERATORS[type(node.op)], node)
        node.value = self._hook("operand", self.visit(node.value), name, at=node.value)
        if isinstance(node.target, ast.Name):
            read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
            return [ast.copy_location(ast.Expr(self._hook("in_place", read, name, at=node)), node), node]
        target: Any = self.visit(node.target)
        owner = target.value.args[0]  # of the hook `target`
        target.value = self._hook("updated", owner, at=node)
        node.target = target
        return node

    def visit_Delete(self, node: ast.Delete) -> Any:
        self.generic_visit(node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._hook("iterate", node.iter, at=node.iter)
        if isinstance(node.target, (ast.Tuple, ast.List)):
            node.iter = self._hook("rows", node.iter, at=node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._hook("iterate", node.iter, at=node.iter)
        if isinstance(node.target, (ast.Tuple, ast.List)):
            node.iter = self._hook("rows", node.iter, at=node.iter)
        node.ifs = [self._hook("condition", each, at=each) for each in node.ifs]
        return node

    def visit_If(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.test = self._hook("condition", node.test, at=node.test)
        return node

    visit_While = visit_If
    visit_Assert = visit_If
    visit_IfExp = visit_If

    def visit_withitem(self, node: ast.withitem) -> ast.AST:
        self.generic_visit(node)
        node.context_expr = self._hook("context", node.context_expr, at=node.context_expr)
        return node

    # Expressions.

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._mangled(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner, name = self.visit(node.value), self._mangled(node.attr)
        if isinstance(node.ctx, ast.Load):
            return self._hook("attribute", owner, self._text(name, node), at=node)
        node.attr = name
        node.value = self._hook("target", owner, self._text(name, node), at=node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        owner, index = self.visit(node.value), self.visit(node.slice)
        if isinstance(index, ast.Slice):
            parts = [
                part or ast.copy_location(ast.Constant(None), node) for part in (index.lower, index.upper, index.step)
            ]
            index = ast.copy_location(ast.Call(self._hook_name("slice", node), parts, []), node)
        elif isinstance(index, ast.Tuple):
            index.elts = [self._slice_inside(each, node) for each in index.elts]
        if isinstance(node.ctx, ast.Load):
            return self._hook("item", owner, index, at=node)
        node.value, node.slice = self._hook("target", owner, at=node), self._hook("key", index, at=node)
        return node

    def _slice_inside(self, part: ast.expr, at: ast.AST) -> ast.expr:
        if not isinstance(part, ast.Slice):
            return part
        bounds = [each or ast.copy_location(ast.Constant(None), at) for each in (part.lower, part.upper, part.step)]
        return ast.copy_location(ast.Call(self._hook_name("slice", at), bounds, []), at)

    def _hook_name(self, name: str, at: ast.AST) -> ast.expr:
        hooks = ast.copy_location(ast.Name(HOOKS, ast.Load()), at)
        return ast.copy_location(ast.Attribute(hooks, name, ast.Load()), at)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and not node.keywords:
            return node
        needs_frame = isinstance(node.func, ast.Name) and node.func.id in _NEEDS_FRAME
        self.generic_visit(node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = self._hook("mapping", keyword.value, at=keyword.value)
        if needs_frame:
            said = self._hook("refuse", self._text(f"calls {node.func.id}", node), at=node)  # type: ignore[attr-defined]
            return self._second(said, node)
        node.args.insert(0, node.func)
        node.func = self._hook_name("call", node)
        return node

    def _second(self, first: ast.expr, second: ast.expr) -> ast.expr:
        both = ast.copy_location(ast.Tuple([first, second], ast.Load()), second)
        return ast.copy_location(ast.Subscript(both, ast.copy_location(ast.Constant(1), second), ast.Load()), second)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._hook("iterate", node.value, at=node)
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        self.generic_visit(node)
        node.value = self._hook("iterate", node.value, at=node)
        return node

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return self._second(self._hook("refuse", self._text("waits", node), at=node), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS[type(node.op)]
        node.left = self._hook("operand", node.left, self._text(name, node), at=node.left)
        node.right = self._hook("operand", node.right, self._text(f"r{name}", node), at=node.right)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._hook("condition", node.operand, at=node.operand)
        elif not isinstance(node.operand, ast.Constant):
            name = self._text(_OPERATORS[type(node.op)], node)
            node.operand = self._hook("operand", node.operand, name, at=node.operand)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [self._hook("condition", each, at=each) for each in node.values]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        operators = [None, *node.ops]
        made = []
        for position, operand in enumerate([node.left, *node.comparators]):
            beside = [each for each in (operators[position], [*node.ops, None][position]) if each is not None]
            names = [None if isinstance(each, (ast.Is, ast.IsNot)) else _OPERATORS[type(each)] for each in beside]
            for name in names:
                hook = "identity" if name is None else "operand"
                rest = [] if name is None else [self._text(name, node)]
                with_none = any(isinstance(each, ast.Constant) for each in (node.left, *node.comparators))
                if name is not None or not with_none:
                    operand = self._hook(hook, operand, *rest, at=operand)
            made.append(operand)
        node.left, node.comparators = made[0], made[1:]
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        node.value = self._hook("formatted", node.value, at=node.value)
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
