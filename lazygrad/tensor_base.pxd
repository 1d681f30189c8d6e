cimport cython
from lazygrad.autograd_meta cimport AutogradMeta, is_tracked
from lazygrad.ir.node cimport Node, TensorType, make_node, typed_node
from lazygrad.ir.origin cimport capture
from lazygrad.storage cimport Storage, storage_of


cdef class TensorBase:
    cdef public object _base
    cdef public tuple _chain
    cdef public object _detached
    cdef public object _grad
    cdef public Node _node
    cdef public Py_ssize_t _node_version
    cdef public object _origin
    cdef public Storage _storage
    cdef public bint _unseen
    cdef public object _view

    @cython.locals(storage=Storage)
    cpdef Node node(self)

    @cython.locals(storage=Storage, node=Node, is_first=bint)
    cpdef Node _new_node(self)

    @cython.locals(source=Node, takes_values=bint)
    cpdef Node _looking_through(self, Node node, object origin, bint is_first)

    cpdef tuple _sizes(self)

    @cython.locals(is_part=bint, result=TensorBase)
    cpdef object moved(self, object op, tuple attrs)

    @cython.locals(storage=Storage, result=TensorBase, node=Node, source=Node, type=TensorType)
    cpdef object recorded_view(self, tuple steps)

    @cython.locals(storage=Storage)
    cpdef _realize_write(self)

    cpdef bint _is_read_from_memory(self)

    @cython.locals(storage=Storage, result=TensorBase)
    cpdef object _without_node(self, tuple steps, object origin)


@cython.locals(tensor=TensorBase)
cpdef object new_tensor(object cls, Storage storage, tuple chain, object base, object detached)

@cython.locals(storage=Storage, tensor=TensorBase)
cpdef object _around(Node node)

cpdef object from_node(Node node)

@cython.locals(node=Node, source=Node, meta=AutogradMeta, is_differentiated=bint, is_cut_off=bint, key=tuple, type=TensorType)
cpdef object record(object op, tuple inputs, tuple attrs=*)

@cython.locals(node=Node, source=Node, meta=AutogradMeta, is_differentiated=bint)
cpdef Node record_node(object op, tuple inputs, tuple attrs=*)
