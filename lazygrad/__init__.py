"""lazygrad: a graph-compiling deep-learning framework with PyTorch's API.

    import lazygrad as lg
    x = lg.randn(2, 3)
    print(lg.stages(x.softmax(-1)).source)
"""

from lazygrad import ops as _ops
from lazygrad import autograd, data, nn, optim
from lazygrad.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from lazygrad.inspect import compare, dump, explain_cache_miss, explain_fusion, last_step, stages
from lazygrad.ir.device import Device as device
from lazygrad.ir.dtype import (bfloat16, float16, float32, float64, int8, int16, int32, int64, promote_types, uint8)
from lazygrad.ir.dtype import DType as dtype
from lazygrad.ir.dtype import bool_ as bool
from lazygrad.ir.text import parse
from lazygrad.ops import return_types
from lazygrad.ops.operands import get_default_dtype, set_default_dtype
from lazygrad.runtime.realize import unfused
from lazygrad.tensor import Size, Tensor, realize_all
from lazygrad.ops.activation import (celu, celu_, relu, relu_, selu, selu_)
from lazygrad.ops.adaptive_pooling import (adaptive_avg_pool1d, adaptive_max_pool1d)
from lazygrad.ops.batch_normalization import (batch_norm, instance_norm)
from lazygrad.ops.comparison import (allclose, equal, isclose)
from lazygrad.ops.contraction import (tensordot)
from lazygrad.ops.conversion import (cpu, cuda, get_device, is_tensor)
from lazygrad.ops.convolution import (conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d)
from lazygrad.ops.creation import (arange, as_tensor, asarray, empty, empty_like, eye, full, full_like, linspace, logspace, ones, ones_like, scalar_tensor, tensor, tril_indices, triu_indices, zeros, zeros_like)
from lazygrad.ops.einsum import (einsum)
from lazygrad.ops.extrema import (amax, amin, aminmax, argmax, argmin, max, median, min)
from lazygrad.ops.fill import (fill_, zero_)
from lazygrad.ops.gathering import (gather, index_select, take, take_along_dim)
from lazygrad.ops.generator import (Generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state)
from lazygrad.ops.indexing import (index_put)
from lazygrad.ops.joining import (cat, concat, concatenate, hstack, meshgrid, stack, vstack)
from lazygrad.ops.layout import (clone, is_floating_point, numel)
from lazygrad.ops.linear_algebra import (addmm, addmv, baddbmm, bilinear, bmm, dot, matmul, mm, mv, outer, trace)
from lazygrad.ops.masking import (argwhere, masked_scatter, masked_select, nonzero)
from lazygrad.ops.norm import (norm)
from lazygrad.ops.normalization import (group_norm, layer_norm, rms_norm)
from lazygrad.ops.operands import (get_default_dtype, set_default_dtype)
from lazygrad.ops.parts import (chunk, diagonal, narrow, select, split, tensor_split, unbind)
from lazygrad.ops.permuting import (moveaxis, movedim, permute, swapaxes, swapdims, t, transpose)
from lazygrad.ops.piecewise import (hardshrink, prelu, rrelu, rrelu_, threshold, threshold_)
from lazygrad.ops.pointwise import (abs, acos, acosh, add, addcdiv, addcmul, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_left_shift, bitwise_not, bitwise_or, bitwise_right_shift, bitwise_xor, ceil, clamp, clamp_max, clamp_min, cos, cosh, digamma, div, eq, erf, erfc, erfinv, exp, exp2, expm1, floor, floor_divide, fmod, frac, ge, gt, isfinite, isinf, isnan, le, lerp, lgamma, log, log10, log1p, log2, logical_and, logical_not, logical_or, logical_xor, lt, masked_fill, maximum, minimum, mul, ne, neg, positive, pow, reciprocal, remainder, round, rsqrt, sigmoid, sign, sin, sinh, sqrt, square, sub, tan, tanh, trunc, where)
from lazygrad.ops.pooling import (avg_pool1d, max_pool1d, max_pool2d, max_pool3d)
from lazygrad.ops.printing import (set_printoptions)
from lazygrad.ops.random import (bernoulli, normal, rand, rand_like, randint, randint_like, randn, randn_like, randperm)
from lazygrad.ops.reduction import (all, any, count_nonzero, logsumexp, mean, prod, sum)
from lazygrad.ops.regularization import (alpha_dropout, dropout)
from lazygrad.ops.repeating import (flip, fliplr, flipud, pixel_shuffle, repeat_interleave, roll, rot90, tile)
from lazygrad.ops.scan import (cumprod, cumsum)
from lazygrad.ops.scattering import (index_add, index_copy, index_fill, scatter, scatter_add, scatter_reduce)
from lazygrad.ops.shaping import (broadcast_shapes, broadcast_tensors, broadcast_to, flatten, ravel, reshape, squeeze, unflatten, unsqueeze)
from lazygrad.ops.sharing import (from_dlpack, from_numpy)
from lazygrad.ops.similarity import (cosine_similarity, pairwise_distance)
from lazygrad.ops.softmax import (log_softmax, softmax)
from lazygrad.ops.sorting import (argsort, bucketize, kthvalue, searchsorted, sort, topk, unique)
from lazygrad.ops.sparse import (embedding)
from lazygrad.ops.statistics import (std, std_mean, var, var_mean)
from lazygrad.ops.strided import (as_strided)
from lazygrad.ops.triangles import (diag, diag_embed, tril, triu)

__version__ = "0.1.0"

half, float, double = float16, float32, float64
short, int, long = int16, int32, int64

