from lazygrad.autograd_meta cimport AutogradMeta, own_meta
from lazygrad.ir.node cimport Node
cimport cython


@cython.locals(meta=AutogradMeta)
cpdef hold_as_contents(Node node)

@cython.locals(meta=AutogradMeta)
cpdef object superseded(Node node)

cpdef bint is_modified(Node value, object reader)

cpdef bint looks_at_first_input(Node node)
