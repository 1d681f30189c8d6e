cimport cython


cdef class Origin:
    cdef public object _code
    cdef public object _instruction
    cdef public object scope
    cdef public object label


cdef class _Scope:
    cdef public object line
    cdef public list outer
    cdef public object path


@cython.locals(scope=_Scope)
cpdef enter_module(object name)

@cython.locals(scope=_Scope)
cpdef exit_module()

@cython.locals(origin=Origin, scope=_Scope)
cpdef Origin capture(Py_ssize_t callers=*)
