"""Messages of errors about tensors as Python objects and about their dtypes; see `quoted`."""

from __future__ import annotations

from .quoted import Quoted

TENSORS = [
    Quoted(
        "truth of several", lambda t: bool(t.ones(3)), "Boolean value of Tensor with more than one value is ambiguous"
    ),
    Quoted("truth of none", lambda t: bool(t.ones(0)), "Boolean value of Tensor with no values is ambiguous"),
    Quoted("item of several", lambda t: t.ones(3).item(), "a Tensor with 3 elements cannot be converted to Scalar"),
    Quoted(
        "float of several", lambda t: float(t.ones(3)), "only one element tensors can be converted to Python scalars"
    ),
    Quoted(
        "int of several", lambda t: int(t.ones(2, 2)), "only one element tensors can be converted to Python scalars"
    ),
    Quoted(
        "index of several",
        lambda t: range(t.ones(3, dtype=t.int64)),
        "only integer tensors of a single element can be converted to an index",
    ),
    Quoted(
        "index of a float",
        lambda t: [1, 2][t.tensor(1.0)],
        "only integer tensors of a single element can be converted to an index",
    ),
    Quoted("len of a number", lambda t: len(t.tensor(1)), "len() of a 0-d tensor"),
    Quoted("iterate a number", lambda t: list(t.tensor(1)), "iteration over a 0-d tensor"),
    Quoted("index a number", lambda t: t.tensor(1)[0], "invalid index of a 0-dim tensor"),
    Quoted(
        "numpy of a leaf",
        lambda t: t.ones(3, requires_grad=True).numpy(),
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    Quoted("ragged lists", lambda t: t.tensor([[1, 2], [3]]), "expected sequence of length 2 at dim 1 (got 1)"),
    Quoted("a string", lambda t: t.tensor("abc"), "new(): invalid data type 'str'"),
    Quoted("None in a list", lambda t: t.tensor([None]), "Could not infer dtype of NoneType"),
    Quoted("a dict", lambda t: t.tensor({}), "Could not infer dtype of dict"),
    Quoted("an object", lambda t: t.as_tensor(object()), "Could not infer dtype of object"),
    Quoted("negative size", lambda t: t.empty(-1), "Trying to create tensor with negative dimension -1"),
    Quoted(
        "deepcopy of a result",
        lambda t: __import__("copy").deepcopy(t.ones(3, requires_grad=True) * 2),
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment",
    ),
    Quoted("unknown attribute", lambda t: t.ones(3).nothing, "'Tensor' object has no attribute 'nothing'"),
    Quoted("unknown module name", lambda t: t.nothing, "has no attribute 'nothing'"),
    Quoted("from_numpy of a list", lambda t: t.from_numpy([1.0]), "expected np.ndarray (got list)"),
    Quoted("device that is not", lambda t: t.zeros(1, device="nowhere"), "at start of device string: nowhere"),
    Quoted(
        "cat of numbers",
        lambda t: t.cat([t.tensor(1), t.tensor(2)]),
        "zero-dimensional tensor (at position 0) cannot be concatenated",
    ),
]

DTYPES = [
    Quoted(
        "float into int",
        lambda t: t.ones(3, dtype=t.int32).add_(1.5),
        "result type Float can't be cast to the desired output type Int",
    ),
    Quoted(
        "div_ of int",
        lambda t: t.ones(3, dtype=t.int64).div_(2),
        "result type Float can't be cast to the desired output type Long",
    ),
    Quoted(
        "double into long",
        lambda t: t.ones(3, dtype=t.int64).mul_(t.ones(3, dtype=t.float64)),
        "result type Double can't be cast to the desired output type Long",
    ),
    Quoted(
        "long into bool",
        lambda t: t.ones(3, dtype=t.bool).add_(1),
        "result type Long can't be cast to the desired output type Bool",
    ),
    Quoted(
        "complex into float",
        lambda t: t.ones(3).mul_(1j),
        "result type ComplexFloat can't be cast to the desired output type Float",
    ),
    Quoted(
        "out of long",
        lambda t: t.add(t.ones(2), t.ones(2), out=t.ones(2, dtype=t.int64)),
        "result type Float can't be cast to the desired output type Long",
    ),
    Quoted(
        "mean of long",
        lambda t: t.ones(3, dtype=t.int64).mean(),
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long",
    ),
    Quoted(
        "std of long",
        lambda t: t.ones(3, dtype=t.int64).std(),
        "std and var only support floating point and complex dtypes",
    ),
    Quoted("softmax of long", lambda t: t.ones(3, dtype=t.int64).softmax(0), "not implemented for 'Long'"),
    Quoted(
        "long requires grad",
        lambda t: t.ones(3, dtype=t.int64, requires_grad=True),
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    Quoted(
        "long requires_grad_",
        lambda t: t.ones(3, dtype=t.int64).requires_grad_(),
        "only Tensors of floating point dtype can require gradients",
    ),
    Quoted(
        "subtract bools",
        lambda t: t.ones(2, dtype=t.bool) - t.ones(2, dtype=t.bool),
        "Subtraction, the `-` operator, with two bool tensors is not supported.",
    ),
    Quoted(
        "negate bools",
        lambda t: -t.ones(2, dtype=t.bool),
        "Negation, the `-` operator, on a bool tensor is not supported.",
    ),
    Quoted("bitwise of floats", lambda t: t.ones(2) & t.ones(2), "not implemented for 'Float'"),
    Quoted(
        "integer power",
        lambda t: t.ones(2, dtype=t.int64) ** -1,
        "Integers to negative integer powers are not allowed.",
    ),
    Quoted(
        "cross entropy of floats",
        lambda t: t.nn.functional.nll_loss(t.ones(2, 3), t.ones(2)),
        "expected target dtype to be Long or Byte, but got Float",
    ),
    Quoted(
        "bce of longs",
        lambda t: t.nn.functional.binary_cross_entropy(t.ones(2), t.ones(2, dtype=t.float64)),
        "Found dtype Double but expected Float",
    ),
    Quoted(
        "embedding of floats",
        lambda t: t.nn.Embedding(3, 2)(t.ones(2)),
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ",
    ),
    Quoted(
        "conv of another dtype",
        lambda t: t.nn.Conv2d(1, 1, 1)(t.ones(1, 1, 2, 2, dtype=t.float64)),
        "Input type (double) and ",
    ),
    Quoted(
        "where condition",
        lambda t: t.where(t.ones(2), t.ones(2), t.ones(2)),
        "where expected condition to be a boolean tensor",
    ),
    Quoted("overflow", lambda t: t.tensor([300], dtype=t.uint8).fill_(2**70), "overflow"),
    Quoted(
        "lerp dtype",
        lambda t: t.lerp(t.ones(2), t.ones(2, dtype=t.float64), 0.5),
        "expected dtype float for `end` but got dtype double",
    ),
    Quoted(
        "index_put dtype",
        lambda t: t.ones(3).index_put_((t.tensor([0]),), t.ones(1, dtype=t.float64)),
        "Index put requires the source and destination dtypes match, got Float for the destination and Double for the "
        "source.",
    ),
    Quoted(
        "random range",
        lambda t: t.randint(5, 5, (2,)),
        "random_ expects 'from' to be less than 'to', but got from=5 >= to=5",
    ),
    Quoted(
        "uniform range",
        lambda t: t.ones(2).uniform_(2, 1),
        "uniform_ expects to return a [from, to) range, but found from=2 > to=1",
    ),
    Quoted("normal std", lambda t: t.normal(0.0, -1.0, (2,)), "normal expects std >= 0.0, but found std -1"),
    Quoted(
        "multinomial",
        lambda t: t.multinomial(t.zeros(3), 1).sum().item(),
        "invalid multinomial distribution (sum of probabilities <= 0)",
    ),
    Quoted(
        "multinomial draws",
        lambda t: t.multinomial(t.ones(3), 5),
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
    ),
    Quoted(
        "multinomial of negatives",
        lambda t: t.multinomial(-t.ones(3), 1).sum().item(),
        "probability tensor contains either `inf`, `nan` or element < 0",
    ),
    Quoted("arange", lambda t: t.arange(0, 5, -1), "upper bound and lower bound inconsistent with step sign"),
    Quoted("arange of no step", lambda t: t.arange(0, 5, 0), "step must be nonzero"),
    Quoted("linspace", lambda t: t.linspace(0, 1, -1), "number of steps must be non-negative"),
]
