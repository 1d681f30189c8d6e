"""Bad input: the error class must be torch's, raised where the call is made."""

from __future__ import annotations

from tests.oracle.cases import ErrorCase
from tests.oracle.recipes import booleans, floats, integers

_X = floats(3, 4, requires_grad=False)
_WHOLE = integers(3, 4)
_MASK = booleans(3, 4)

_CREATION = [
    ErrorCase("zeros(-1)", lambda t: t.zeros(-1)),
    ErrorCase("zeros of a float size", lambda t: t.zeros(2.5)),
    ErrorCase("full without a value", lambda t: t.full((2,))),
    ErrorCase("arange against the step", lambda t: t.arange(0, 5, -1)),
    ErrorCase("arange with step 0", lambda t: t.arange(0, 5, 0)),
    ErrorCase("linspace with negative steps", lambda t: t.linspace(0, 1, -1)),
    ErrorCase("eye(-1)", lambda t: t.eye(-1)),
    ErrorCase("tensor of ragged lists", lambda t: t.tensor([[1, 2], [3]])),
    ErrorCase("tensor of a string", lambda t: t.tensor("abc")),
    ErrorCase("tensor of None", lambda t: t.tensor([None])),
    ErrorCase("integer requires grad", lambda t: t.ones(2, dtype=t.int64, requires_grad=True)),
    ErrorCase("tensor requires grad", lambda t: t.tensor([1, 2], requires_grad=True)),
    ErrorCase("dtype as text", lambda t: t.zeros(2, dtype="float32")),
    ErrorCase("unknown keyword", lambda t: t.zeros(2, dtyp=t.float32)),
    ErrorCase("from_numpy of a list", lambda t: t.from_numpy([1, 2])),
    ErrorCase("randint with an empty range", lambda t: t.randint(5, 5, (2,))),
    ErrorCase("tril of a vector", lambda t, x: t.tril(x[0]), (_X,)),
]

_PYTHON = [
    ErrorCase("item of several", lambda t, x: x.item(), (_X,)),
    ErrorCase("item of none", lambda t: t.zeros(0).item()),
    ErrorCase("bool of several", lambda t, x: bool(x), (_X,)),
    ErrorCase("float of several", lambda t, x: float(x), (_X,)),
    ErrorCase("len of 0-dim", lambda t: len(t.tensor(1))),
    ErrorCase("iterate 0-dim", lambda t: list(t.tensor(1))),
    ErrorCase("index with a float tensor", lambda t: [1, 2, 3][t.tensor(1.0)]),
    ErrorCase("numpy of a tensor that requires grad", lambda t: t.ones(2, requires_grad=True).numpy()),
    ErrorCase("size of a dim out of range", lambda t, x: x.size(2), (_X,)),
    ErrorCase("unknown attribute", lambda t, x: x.no_such_method, (_X,)),
    ErrorCase("add a string", lambda t, x: x + "a", (_X,)),
    ErrorCase("add None", lambda t, x: x + None, (_X,)),
    ErrorCase("exp of a list", lambda t: t.exp([1.0])),
    ErrorCase("exp of a number", lambda t: t.exp(1.0)),
    ErrorCase("exp of nothing", lambda t: t.exp()),
]

_POINTWISE = [
    ErrorCase("add of shapes that do not broadcast", lambda t, x, y: x + y, (_X, floats(3, 5))),
    ErrorCase("mul of shapes that do not broadcast", lambda t, x, y: t.mul(x, y), (_X, floats(2, 3, 3))),
    ErrorCase("where of shapes that do not broadcast", lambda t, m, x: t.where(m, x, 0.0), (_MASK, floats(5))),
    ErrorCase("where with an integer condition", lambda t, w, x: t.where(w, x, x), (_WHOLE, _X)),
    ErrorCase("subtract bools", lambda t, m: m - m, (_MASK,)),
    ErrorCase("negate bools", lambda t, m: -m, (_MASK,)),
    ErrorCase("bitwise and of floats", lambda t, x: x & x, (_X,)),
    ErrorCase("invert floats", lambda t, x: ~x, (_X,)),
    ErrorCase("shift floats in place by bits", lambda t, x: t.bitwise_left_shift(x, x), (_X,)),
    ErrorCase("unknown rounding mode", lambda t, x: t.div(x, 2, rounding_mode="up"), (_X,)),
    ErrorCase("alpha of a float for integers", lambda t, w: t.add(w, w, alpha=1.5), (_WHOLE,)),
    ErrorCase("integer to a negative power", lambda t, w: w**-1, (_WHOLE,)),
    ErrorCase("clamp without bounds", lambda t, x: t.clamp(x), (_X,)),
    ErrorCase("lerp of two dtypes", lambda t, x: t.lerp(x, x.double(), 0.5), (_X,)),
    ErrorCase("gelu of integers", lambda t, w: t.nn.functional.gelu(w), (_WHOLE,)),
    ErrorCase("gelu of an unknown approximation", lambda t, x: t.nn.functional.gelu(x, approximate="no"), (_X,)),
    ErrorCase("integer division by 0", lambda t, w: w // 0, (_WHOLE,), data_dependent=True),
    ErrorCase("integer remainder by 0", lambda t, w: w % t.zeros(4, dtype=t.int64), (_WHOLE,), data_dependent=True),
]

_REDUCTIONS = [
    ErrorCase("sum over a dim out of range", lambda t, x: x.sum(2), (_X,)),
    ErrorCase("sum over a dim below range", lambda t, x: x.sum(-3), (_X,)),
    ErrorCase("sum over a repeated dim", lambda t, x: x.sum((0, 0)), (_X,)),
    ErrorCase("sum over a repeated negative dim", lambda t, x: x.sum((1, -1)), (_X,)),
    ErrorCase("mean of integers", lambda t, w: w.mean(), (_WHOLE,)),
    ErrorCase("var of integers", lambda t, w: w.var(), (_WHOLE,)),
    ErrorCase("max of nothing", lambda t: t.zeros(0).max()),
    ErrorCase("amax over an empty dim", lambda t: t.zeros(2, 0).amax(1)),
    ErrorCase("argmax over an empty dim", lambda t: t.zeros(2, 0).argmax(1)),
    ErrorCase("argmax of nothing", lambda t: t.zeros(0).argmax()),
    ErrorCase("max over two dims", lambda t, x: x.max(dim=(0, 1)), (_X,)),
    ErrorCase("cumsum without a dim", lambda t, x: x.cumsum(), (_X,)),
    ErrorCase("cumsum over a dim out of range", lambda t, x: x.cumsum(5), (_X,)),
    ErrorCase("softmax over a dim out of range", lambda t, x: t.softmax(x, dim=2), (_X,)),
    ErrorCase("softmax of integers", lambda t, w: t.softmax(w, dim=1), (_WHOLE,)),
    ErrorCase("sort over a dim out of range", lambda t, x: x.sort(dim=2), (_X,)),
    ErrorCase("topk of too many", lambda t, x: x.topk(5), (_X,)),
]

_PRODUCTS = [
    ErrorCase("matmul of shapes that do not match", lambda t, x, y: x @ y, (_X, floats(3, 4))),
    ErrorCase("matmul of batches that do not broadcast", lambda t, x, y: x @ y, (floats(2, 3, 4), floats(3, 4, 5))),
    ErrorCase("matmul of two dtypes", lambda t, x: x @ x.t().double(), (_X,)),
    ErrorCase("matmul of 0-dim", lambda t, x: x @ t.tensor(1.0), (_X,)),
    ErrorCase("mm of a cube", lambda t, x, y: t.mm(x, y), (floats(2, 3, 4), floats(4, 5))),
    ErrorCase("bmm of matrices", lambda t, x: t.bmm(x, x.t()), (_X,)),
    ErrorCase("dot of matrices", lambda t, x: t.dot(x, x), (_X,)),
    ErrorCase("dot of two lengths", lambda t, x, y: t.dot(x, y), (floats(3), floats(4))),
    ErrorCase("mv of shapes that do not match", lambda t, x, y: t.mv(x, y), (_X, floats(3))),
    ErrorCase("outer of matrices", lambda t, x: t.outer(x, x), (_X,)),
    ErrorCase("linear of shapes that do not match", lambda t, x, w: t.nn.functional.linear(x, w), (_X, floats(5, 3))),
    ErrorCase(
        "linear with a wrong bias", lambda t, x, w, b: t.nn.functional.linear(x, w, b), (_X, floats(5, 4), floats(3))
    ),
    ErrorCase("einsum with too few operands", lambda t, x: t.einsum("ij,jk->ik", x), (_X,)),
    ErrorCase("einsum with a wrong rank", lambda t, x: t.einsum("ijk->i", x), (_X,)),
    ErrorCase("einsum with sizes that differ", lambda t, x: t.einsum("ij,jk->ik", x, x), (_X,)),
    ErrorCase("einsum with an unknown output", lambda t, x: t.einsum("ij->k", x), (_X,)),
    ErrorCase("addmm that does not broadcast", lambda t, b, x: t.addmm(b, x, x.t()), (floats(5), _X)),
]

_SHAPES = [
    ErrorCase("view of a wrong size", lambda t, x: x.view(5, 2), (_X,)),
    ErrorCase("view with two unknowns", lambda t, x: x.view(-1, -1), (_X,)),
    ErrorCase("view of a transposed tensor", lambda t, x: x.t().view(12), (_X,)),
    ErrorCase("reshape of a wrong size", lambda t, x: x.reshape(7), (_X,)),
    ErrorCase("reshape to an indivisible size", lambda t, x: x.reshape(-1, 5), (_X,)),
    ErrorCase("permute with a repeated dim", lambda t, x: x.permute(0, 0), (_X,)),
    ErrorCase("permute with too few dims", lambda t, x: x.permute(0), (_X,)),
    ErrorCase("transpose out of range", lambda t, x: x.transpose(0, 2), (_X,)),
    ErrorCase("t of a cube", lambda t, x: x.t(), (floats(2, 3, 4),)),
    ErrorCase("squeeze out of range", lambda t, x: x.squeeze(2), (_X,)),
    ErrorCase("unsqueeze out of range", lambda t, x: x.unsqueeze(4), (_X,)),
    ErrorCase("expand of a size that is not 1", lambda t, x: x.expand(3, 5), (_X,)),
    ErrorCase("expand to fewer dims", lambda t, x: x.expand(4), (_X,)),
    ErrorCase("expand a new dim by -1", lambda t, x: x.expand(-1, 3, 4), (_X,)),
    ErrorCase("flatten of reversed dims", lambda t, x: x.flatten(1, 0), (_X,)),
    ErrorCase("unflatten to a wrong size", lambda t, x: x.unflatten(1, (3, 3)), (_X,)),
    ErrorCase("movedim with a repeated dim", lambda t, x: x.movedim((0, 0), (0, 1)), (_X,)),
    ErrorCase("cat of nothing", lambda t: t.cat([])),
    ErrorCase("cat of sizes that differ", lambda t, x, y: t.cat([x, y]), (_X, floats(3, 5))),
    ErrorCase("cat of ranks that differ", lambda t, x, y: t.cat([x, y]), (_X, floats(2, 3, 4))),
    ErrorCase("cat of a tensor", lambda t, x: t.cat(x), (_X,)),
    ErrorCase("cat of 0-dim", lambda t: t.cat([t.tensor(1), t.tensor(2)])),
    ErrorCase("stack of shapes that differ", lambda t, x, y: t.stack([x, y]), (_X, floats(3, 5))),
    ErrorCase("stack of nothing", lambda t: t.stack([])),
    ErrorCase("split into wrong sizes", lambda t, x: x.split([1, 1]), (_X,)),
    ErrorCase("chunk into 0", lambda t, x: x.chunk(0), (_X,)),
    ErrorCase("narrow out of range", lambda t, x: x.narrow(0, 2, 3), (_X,)),
    ErrorCase("select out of range", lambda t, x: x.select(0, 3), (_X,)),
    ErrorCase("flip a repeated dim", lambda t, x: x.flip((0, 0)), (_X,)),
    ErrorCase("roll with too few dims", lambda t, x: x.roll((1, 1), 0), (_X,)),
    ErrorCase("repeat with too few sizes", lambda t, x: x.repeat(2), (_X,)),
    ErrorCase("pad with an odd number", lambda t, x: t.nn.functional.pad(x, (1,)), (_X,)),
    ErrorCase("pad with an unknown mode", lambda t, x: t.nn.functional.pad(x, (1, 1), mode="no"), (_X,)),
    ErrorCase("diagonal of one dim twice", lambda t, x: x.diagonal(0, 1, 1), (_X,)),
    ErrorCase("broadcast_to fewer", lambda t, x: t.broadcast_to(x, (4,)), (_X,)),
]

CASES: list[ErrorCase] = [*_CREATION, *_PYTHON, *_POINTWISE, *_REDUCTIONS, *_PRODUCTS, *_SHAPES]
