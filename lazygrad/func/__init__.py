"""Function transforms, as in ``torch.func``: they take a function of tensors and return another one.

A transform records its function once, on stand-ins for the arguments, and rewrites the recorded graph; so transforms
nest in any order, and what they return is an ordinary graph that fuses like any other.
"""

from lazygrad.func.forward import jvp, linearize
from lazygrad.func.functionalization import functionalize
from lazygrad.func.jacobian import hessian, jacfwd, jacrev
from lazygrad.func.modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from lazygrad.func.reverse import grad, grad_and_value, vjp
from lazygrad.func.vectorize import vmap

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
