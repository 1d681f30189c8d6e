cimport cython
from lazygrad.ir.graph cimport topological_order
from lazygrad.ir.node cimport Node, make_node


cdef class AutogradMeta:
    cdef public object call
    cdef public object callbacks
    cdef public bint concerns_readers
    cdef public object consumed
    cdef public object leaf
    cdef public bint of_inference
    cdef public object seen
    cdef public bint shared
    cdef public object superseded
    cdef public bint tracked


@cython.locals(meta=AutogradMeta)
cpdef AutogradMeta own_meta(Node node)


@cython.locals(meta=AutogradMeta)
cpdef bint is_tracked(Node node)
