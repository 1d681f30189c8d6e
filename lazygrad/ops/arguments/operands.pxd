cimport cython
from lazygrad.ir.node cimport Node, TensorType
from lazygrad.tensor_base cimport record_node


cpdef Node cast_node(Node node, object dtype)

cpdef Node operand_node(object value, object dtype, object device=*)

@cython.locals(x=Node, y=Node)
cpdef tuple promoted_pair(object name, object first, object second, bint to_float=*, Py_ssize_t tensors=*)

cpdef Node _number_beside(object value, TensorType type)

@cython.locals(x=Node, y=Node)
cpdef tuple alike(object first, object second)

cpdef bint _keeps(object dtype, object kind)
