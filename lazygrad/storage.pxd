from lazygrad.ir.node cimport Node


cdef class Storage:
    cdef public bint is_left
    cdef public object leaf
    cdef public Py_ssize_t unseen_writes
    cdef public Node value
    cdef public Py_ssize_t version
    cdef object __weakref__
