"""Calls that a type checker must refuse, each marked with mypy's code for it."""

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad import nn, optim

x = lg.randn(3, 4)

x.sofmax(-1)  # error: attr-defined
lg.zeroes(3)  # error: attr-defined
F.reluu(x)  # error: attr-defined
lg.linalg.inverse(x)  # error: attr-defined
x.shapes  # error: attr-defined

x.sum(axes=0)  # error: call-arg
x.softmax()  # error: call-arg
lg.cat(x, x, x)  # error: arg-type, arg-type, call-arg
F.cross_entropy(x, x, reducton="sum")  # error: call-arg
lg.zeros(3, dtyp=lg.float32)  # error: call-arg
optim.SGD(nn.Linear(2, 2).parameters(), learning_rate=0.1)  # error: call-arg
nn.Linear(3)  # error: call-arg

x.reshape("3", 4)  # error: arg-type
x.transpose(0, 1.5)  # error: arg-type
x.unsqueeze(None)  # error: arg-type
x + "1"  # error: operator
"1" - x  # error: operator
x @ 3  # error: operator
x.matmul(2)  # error: arg-type
x.sum(dim="rows")  # error: arg-type
lg.zeros(3, dtype="float32")  # error: arg-type
lg.exp(2.0)  # error: arg-type
x.max(dim="rows")  # error: call-overload
x.to([1])  # error: call-overload
x[0] = "one"  # error: assignment
x.copy_([1, 2])  # error: arg-type
F.relu(x, inplace="yes")  # error: arg-type
nn.Linear("3", 4)  # error: arg-type

number: int = x.sum()  # error: assignment
text: str = x.shape[0]  # error: assignment
x.requires_grad = "yes"  # error: assignment
x.shape = (12,)  # error: assignment, misc
