cimport cython
from lazygrad.autograd_meta cimport AutogradMeta
from lazygrad.ir.node cimport Node
from lazygrad.runtime.recording cimport Recording


cdef class Wiring:
    cdef public list first
    cdef public list found
    cdef public list places
    cdef public list uses

    cpdef bint equals(self, Wiring other)

    @cython.locals(found=list, order=list, place=Py_ssize_t, position=Py_ssize_t, node=Node)
    cpdef list follow(self, list roots)


cdef class Precedent:
    cdef list _attrs
    cdef list _buffers
    cdef list _described
    cdef object _donatable
    cdef list _forgetting
    cdef list _held
    cdef list _history
    cdef list _input_counts
    cdef list _numbers
    cdef list _ops
    cdef list _parts
    cdef list _pending
    cdef list _standings
    cdef list _stored
    cdef list _unanswered
    cdef list _uses
    cdef list _watched
    cdef list _writes
    cdef public bint has_followers
    cdef public object key

    @cython.locals(position=Py_ssize_t, node=Node)
    cpdef bint _is_same_program(self, list order)

    @cython.locals(position=Py_ssize_t, node=Node, recording=Recording)
    cpdef _recording(self, list roots, list order, set covered, list held, dict parts)


@cython.locals(node=Node, meta=AutogradMeta)
cpdef list _standings(list order, object covered)
