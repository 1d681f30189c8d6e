cimport cython
from lazygrad.autograd_meta cimport AutogradMeta, is_tracked
from lazygrad.ir.node cimport Node, make_node
from lazygrad.ir.origin cimport capture
from lazygrad.storage cimport Storage


cpdef object _new_tensor(object cls, Storage storage, tuple chain, object base, bint detached)


@cython.locals(node=Node)
cpdef object record(object op, tuple inputs, tuple attrs=*)


@cython.locals(node=Node, source=Node, meta=AutogradMeta, is_differentiated=bint)
cpdef Node record_node(object op, tuple inputs, tuple attrs=*)
