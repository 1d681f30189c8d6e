cimport cython
from lazygrad.autograd_meta cimport AutogradMeta, is_tracked
from lazygrad.ir.graph cimport topological_order
from lazygrad.ir.node cimport Node, make_node
from lazygrad.runtime.ownership cimport held_beside


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
    cdef public bint has_precedent
    cdef dict _slots
    cdef set _targets

    @cython.locals(node=Node, source=Node, position=Py_ssize_t, read=Py_ssize_t, key=list, history=set)
    cpdef list _describe(self, dict index, list uses)

    cpdef _lift(self, object value, Node node)

    cpdef object _attrs_without_offset(self, Node node)

    @cython.locals(node=Node, wanted=dict)
    cpdef list _stored(self)

    @cython.locals(node=Node, valued=set)
    cpdef list _valued_afterwards(self)

    @cython.locals(node=Node, stored=set, forgetting=set, left=set, pending=list)
    cpdef set _left_afterwards(self, set held, object lowest)


@cython.locals(meta=AutogradMeta)
cpdef bint keeps_its_history(Node node, object covered)

@cython.locals(source=Node, through_view=bint)
cpdef Node _stored_instead_of(Node node)

@cython.locals(node=Node, outputs=list)
cpdef tuple _covered(list roots)

@cython.locals(node=Node, source=Node, history=set, seen=set, stack=list)
cpdef set _history(object outputs)

@cython.locals(node=Node, order=list, index=dict, waiting=list, stack=list)
cpdef tuple _pending_order(list roots, object history=*)
