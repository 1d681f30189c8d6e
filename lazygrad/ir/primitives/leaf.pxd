from lazygrad.ir.node cimport Node, TensorType


cpdef Node leaf_node(object op, tuple attrs, TensorType type)

cpdef bint is_structural(object value)

cpdef object canonical(object value, object dtype)
