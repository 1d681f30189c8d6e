cimport cython
from lazygrad.ir.node cimport Node


@cython.locals(node=Node)
cpdef list held_beside(object order, object uses)
