cimport cython
from lazygrad.autograd_meta cimport AutogradMeta, is_tracked
from lazygrad.ir.graph cimport topological_order
from lazygrad.ir.node cimport Node, make_node


cdef class Recording:
    cdef public list roots
    cdef public list order
    cdef public object covered
    cdef public set history
    cdef public list buffers
    cdef public list scalars
    cdef public list numbers
    cdef public dict parts
    cdef public list stored
    cdef public list watched
    cdef public list forgetting
    cdef public list donatable
    cdef public list held
    cdef public object key
    cdef public object precedent
    cdef dict _slots
    cdef set _targets

    @cython.locals(node=Node, source=Node, position=Py_ssize_t, key=list)
    cpdef list _describe(self, dict index, list uses)

    cpdef _lift(self, object value, Node node)


@cython.locals(meta=AutogradMeta)
cpdef bint keeps_its_history(Node node, object covered)

@cython.locals(source=Node, through_view=bint)
cpdef Node _stored_instead_of(Node node)
