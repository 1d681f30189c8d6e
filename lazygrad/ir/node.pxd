cimport cython


cdef class TensorType:
    cdef public object shape
    cdef public object dtype
    cdef public object device
    cdef object __weakref__


cdef class Node:
    cdef public object op
    cdef public tuple inputs
    cdef public tuple attrs
    cdef public TensorType type
    cdef public object origin
    cdef public object value
    cdef public object autograd
    cdef public object serial
    cdef object __weakref__


@cython.locals(node=Node)
cpdef Node typed_node(object op, tuple inputs, tuple attrs, TensorType type, object origin, object autograd)


@cython.locals(key=tuple, type=TensorType, node=Node)
cpdef Node make_node(object op, tuple inputs, tuple attrs, object origin)
