cimport cython


cdef class Origin:
    cdef public object _code
    cdef public object _instruction
    cdef public object scope
    cdef public object label


@cython.locals(origin=Origin)
cpdef Origin capture()
