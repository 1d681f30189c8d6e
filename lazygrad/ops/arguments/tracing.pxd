cimport cython
from lazygrad.autograd_meta cimport AutogradMeta
from lazygrad.ir.node cimport Node, typed_node
from lazygrad.ir.origin cimport capture
from lazygrad.tensor_base cimport TensorBase, from_node


@cython.locals(tensor=TensorBase, node=Node, meta=AutogradMeta)
cpdef bint _described(object arguments, list key, list nodes)
