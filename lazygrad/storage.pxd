cimport cython
from lazygrad.ir.node cimport Node
from lazygrad.versions cimport hold_as_contents


cdef class Storage:
    cdef public bint is_left
    cdef public object leaf
    cdef public Py_ssize_t unseen_writes
    cdef public Node value
    cdef public Py_ssize_t version
    cdef object __weakref__


cpdef Storage storage_of(Node value)

@cython.locals(made=Storage)
cpdef Storage storage_around(Node value)
