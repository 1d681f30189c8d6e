from lazygrad.ir.node cimport Node
from lazygrad.ops.arguments.operands cimport alike, cast_node, promoted_pair
from lazygrad.tensor_base cimport record, record_node


cpdef object _scaled_arithmetic(object op, object name, object input, object other, object alpha)
