cimport cython
from lazygrad.ir.node cimport Node


@cython.locals(order=list, seen=set, waiting=list, stack=list, inputs=tuple)
cpdef list topological_order(object roots, object inputs_of=*)
