"""Messages of errors about shapes and indices; see `quoted`."""

from __future__ import annotations

from .quoted import Quoted

SHAPES = [
    Quoted(
        "add",
        lambda t: t.ones(2, 3) + t.ones(2, 4),
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
    ),
    Quoted(
        "add where several axes differ",
        lambda t: t.ones(2, 3, 4) + t.ones(5, 6),
        "The size of tensor a (4) must match the size of tensor b (6) at non-singleton dimension 2",
    ),
    Quoted("mm", lambda t: t.ones(2, 3) @ t.ones(4, 5), "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
    Quoted(
        "linear", lambda t: t.nn.Linear(4, 2)(t.ones(5, 3)), "mat1 and mat2 shapes cannot be multiplied (5x3 and 4x2)"
    ),
    Quoted("mv", lambda t: t.ones(2, 3) @ t.ones(4), "size mismatch, got input (2), mat (2x3), vec (4)"),
    Quoted("dot", lambda t: t.dot(t.ones(2), t.ones(3)), "inconsistent tensor size, expected tensor [2] and src [3]"),
    Quoted(
        "product of vectors",
        lambda t: t.ones(2) @ t.ones(3),
        "inconsistent tensor size, expected tensor [2] and src [3]",
    ),
    Quoted(
        "dot of matrices", lambda t: t.dot(t.ones(2, 2), t.ones(2)), "1D tensors expected, but got 2D and 1D tensors"
    ),
    Quoted("mm of a vector", lambda t: t.mm(t.ones(2), t.ones(2, 2)), "self must be a matrix"),
    Quoted(
        "bmm",
        lambda t: t.bmm(t.ones(2, 3, 4), t.ones(2, 5, 6)),
        "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5]",
    ),
    Quoted("bmm of matrices", lambda t: t.bmm(t.ones(3, 4), t.ones(4, 5)), "batch1 must be a 3D tensor"),
    Quoted(
        "mm of dtypes",
        lambda t: t.ones(2, 2) @ t.ones(2, 2, dtype=t.float64),
        "expected m1 and m2 to have the same dtype, but got: float != double",
    ),
    Quoted(
        "linear of another dtype",
        lambda t: t.nn.Linear(2, 2)(t.ones(2, 2, dtype=t.float64)),
        "mat1 and mat2 must have the same dtype, but got Double and Float",
    ),
    Quoted(
        "matmul of a number",
        lambda t: t.tensor(1.0) @ t.ones(2),
        "both arguments to matmul need to be at least 1D, but they are 0D and 1D",
    ),
    Quoted("reshape", lambda t: t.ones(2, 3).reshape(4), "shape '[4]' is invalid for input of size 6"),
    Quoted("view", lambda t: t.ones(2, 3).view(-1, 4), "shape '[-1, 4]' is invalid for input of size 6"),
    Quoted("two unknown sizes", lambda t: t.ones(4).view(-1, -1), "only one dimension can be inferred"),
    Quoted(
        "view of a transpose",
        lambda t: t.ones(2, 3).t().view(6),
        "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
        "contiguous subspaces). Use .reshape(...) instead.",
    ),
    Quoted(
        "cat",
        lambda t: t.cat([t.ones(2, 3), t.ones(2, 4)]),
        "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor number 1 in the "
        "list.",
    ),
    Quoted("cat of nothing", lambda t: t.cat([]), "expected a non-empty list of Tensors"),
    Quoted(
        "cat of dims",
        lambda t: t.cat([t.ones(2, 3), t.ones(2)]),
        "Tensors must have same number of dimensions: got 2 and 1",
    ),
    Quoted(
        "stack",
        lambda t: t.stack([t.ones(2), t.ones(3)]),
        "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
    ),
    Quoted("stack of nothing", lambda t: t.stack([]), "stack expects a non-empty TensorList"),
    Quoted(
        "expand",
        lambda t: t.ones(2, 3).expand(4, 3),
        "The expanded size of the tensor (4) must match the existing size (2) at non-singleton dimension 0.",
    ),
    Quoted(
        "expand where several axes differ",
        lambda t: t.ones(2, 3).expand(7, 4, 5),
        "The expanded size of the tensor (5) must match the existing size (3) at non-singleton dimension 2.",
    ),
    Quoted(
        "expand to fewer", lambda t: t.ones(2, 3).expand(3), "the number of sizes provided (1) must be greater or equal"
    ),
    Quoted(
        "squeeze",
        lambda t: t.ones(2, 3).sum(5),
        "Dimension out of range (expected to be in range of [-2, 1], but got 5)",
    ),
    Quoted(
        "softmax",
        lambda t: t.ones(2).softmax(1),
        "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    ),
    Quoted("index", lambda t: t.ones(2, 3)[2], "index 2 is out of bounds for dimension 0 with size 2"),
    Quoted("too many indices", lambda t: t.ones(2, 3)[0, 0, 0], "too many indices for tensor of dimension 2"),
    Quoted(
        "index with a float tensor",
        lambda t: t.ones(3)[t.tensor([0.5])],
        "tensors used as indices must be long, int, byte or bool tensors",
    ),
    Quoted(
        "mask",
        lambda t: t.ones(3)[t.ones(4, dtype=t.bool)],
        "The shape of the mask [4] at index 0 does not match the shape of the indexed tensor [3] at index 0",
    ),
    Quoted(
        "index arrays",
        lambda t: t.ones(3, 3)[t.tensor([0, 1]), t.tensor([0, 1, 2])],
        "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
    ),
    Quoted(
        "assigned shape",
        lambda t: t.ones(3).__setitem__(slice(0, 2), t.ones(3)),
        "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 0.",
    ),
    Quoted("negative step", lambda t: t.ones(3)[::-1], "step must be greater than zero"),
    Quoted("permute", lambda t: t.ones(2, 3).permute(0), "is not equal to len(dims)"),
    Quoted("permute twice", lambda t: t.ones(2, 3).permute(0, 0), "duplicate dims are not allowed"),
    Quoted("t of three", lambda t: t.ones(2, 3, 4).t(), "t() expects a tensor with <= 2 dimensions, but self is 3D"),
    Quoted("chunk", lambda t: t.ones(4).chunk(0), "chunk expects `chunks` to be greater than 0, got: 0"),
    Quoted(
        "split sizes",
        lambda t: t.ones(4).split([1, 2]),
        "split_with_sizes expects split_sizes to sum exactly to 4 (input tensor's size at dimension 0), but got "
        "split_sizes=[1, 2]",
    ),
    Quoted("narrow", lambda t: t.ones(4).narrow(0, 2, 3), "start (2) + length (3) exceeds dimension size (4)."),
    Quoted("gather dtype", lambda t: t.gather(t.ones(3), 0, t.ones(3)), "Expected dtype int32/int64 for index"),
    Quoted(
        "gather dims",
        lambda t: t.gather(t.ones(3, 3), 0, t.zeros(3, dtype=t.int64)),
        "Index tensor must have the same number of dimensions as input tensor",
    ),
    Quoted(
        "gather index",
        lambda t: t.gather(t.ones(3), 0, t.tensor([3])).sum().item(),
        "index 3 is out of bounds for dimension 0 with size 3",
    ),
    Quoted(
        "scatter index",
        lambda t: t.zeros(3).scatter_(0, t.tensor([5]), 1.0).sum().item(),
        "index 5 is out of bounds for dimension 0 with size 3",
    ),
    Quoted(
        "scatter dtype",
        lambda t: t.zeros(3).scatter_(0, t.tensor([0]), t.ones(1, dtype=t.float64)),
        "Expected self.dtype to be equal to src.dtype",
    ),
    Quoted(
        "index_select", lambda t: t.index_select(t.ones(3), 0, t.tensor([3])).sum().item(), "index out of range in self"
    ),
    Quoted("embedding", lambda t: t.nn.Embedding(3, 2)(t.tensor([3])).sum().item(), "index out of range in self"),
    Quoted(
        "argmax of nothing",
        lambda t: t.ones(0).argmax(),
        "Expected reduction dim to be specified for input.numel() == 0",
    ),
    Quoted(
        "max of nothing", lambda t: t.ones(0).max(), "Expected reduction dim to be specified for input.numel() == 0"
    ),
    Quoted("topk", lambda t: t.topk(t.ones(3), 5), "selected index k out of range"),
    Quoted(
        "output shape",
        lambda t: t.ones(3).add_(t.ones(2, 3)),
        "output with shape [3] doesn't match the broadcast shape [2, 3]",
    ),
    Quoted("unflatten", lambda t: t.ones(6).unflatten(0, (4, 2)), "don't multiply up to the size of dim 0 (6)"),
    Quoted(
        "einsum", lambda t: t.einsum("ij,jk->ik", t.ones(2, 3), t.ones(4, 5)), "does not broadcast with previously seen"
    ),
    Quoted("cross", lambda t: t.linalg.cross(t.ones(2), t.ones(2)), "inputs dimension -1 must have length 3"),
    Quoted("inverse", lambda t: t.linalg.inv(t.zeros(2, 2)).sum().item(), "The diagonal element 1 is zero"),
    Quoted(
        "inverse of a rectangle",
        lambda t: t.inverse(t.ones(2, 3)),
        "must be batches of square matrices, but they are 2 by 3 matrices",
    ),
    Quoted("cholesky", lambda t: t.linalg.cholesky(-t.eye(2)).sum().item(), "is not positive-definite"),
    Quoted(
        "flatten",
        lambda t: t.ones(2, 3, 4).flatten(2, 1),
        "flatten() has invalid args: start_dim cannot come after end_dim",
    ),
    Quoted(
        "repeat",
        lambda t: t.ones(2, 3).repeat(2),
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
    ),
    Quoted(
        "masked_fill", lambda t: t.ones(3).masked_fill(t.ones(3, dtype=t.int64), 0.0), "only supports boolean masks"
    ),
    Quoted("masked_select", lambda t: t.masked_select(t.ones(3), t.ones(3)), "masked_select: expected BoolTensor"),
    Quoted(
        "resize of a leaf",
        lambda t: t.ones(2, requires_grad=True).resize_(3),
        "cannot resize variables that require grad",
    ),
]
