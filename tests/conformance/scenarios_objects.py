"""Dtypes, devices, layouts, legacy types, and what a tensor says of itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.comparing import dtype_name, raised

from .scenarios import covers

_DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()


@covers(
    "dtype is_floating_point is_complex is_signed Tensor.is_floating_point Tensor.is_complex Tensor.is_signed "
    "Tensor.dtype Tensor.element_size Tensor.itemsize Tensor.nbytes"
)
def dtypes(t: Any) -> Any:
    facts = []
    for name in _DTYPES:
        dtype = getattr(t, name)
        x = t.zeros(3, dtype=dtype)
        facts.append(
            (
                isinstance(dtype, t.dtype),
                x.dtype is dtype,
                dtype.is_floating_point,
                dtype.is_complex,
                dtype.is_signed,
                t.is_floating_point(x),
                t.is_complex(x),
                t.is_signed(x),
                x.is_floating_point(),
                x.is_complex(),
                x.is_signed(),
                x.element_size(),
                x.itemsize,
                x.nbytes,
            )
        )
    return facts


@covers("promote_types can_cast result_type")
def promotion(t: Any) -> Any:
    every = [getattr(t, name) for name in _DTYPES]
    pairs = [(a, b) for a in every for b in every]
    half = t.zeros((), dtype=t.float16)
    return (
        [dtype_name(t.promote_types(a, b)) for a, b in pairs],
        [t.can_cast(a, b) for a, b in pairs],
        [dtype_name(t.result_type(t.zeros(2, dtype=a), 1.5)) for a in every],
        [dtype_name(t.result_type(t.zeros(2, dtype=a), 1j)) for a in every if a is not t.float16],
        [dtype_name(t.result_type(half, t.zeros(2, dtype=a))) for a in every],
    )


@covers("finfo iinfo")
def limits(t: Any) -> Any:
    floats = [t.finfo(getattr(t, name)) for name in ("float16", "bfloat16", "float32", "float64", "complex64")]
    whole = [t.iinfo(getattr(t, name)) for name in ("uint8", "int8", "int16", "int32", "int64")]
    return (
        [(f.bits, f.eps, f.max, f.min, f.tiny, f.smallest_normal, f.resolution, f.dtype) for f in floats],
        [(i.bits, i.max, i.min, i.dtype) for i in whole],
        raised(lambda: t.finfo(t.int32)),
        raised(lambda: t.iinfo(t.float32)),
    )


@covers("get_default_dtype set_default_dtype")
def default_dtype(t: Any) -> Any:
    before = t.get_default_dtype()
    try:
        t.set_default_dtype(t.float64)
        changed = dtype_name(t.get_default_dtype()), dtype_name(t.ones(2).dtype), dtype_name(t.tensor(1j).dtype)
    finally:
        t.set_default_dtype(before)
    return dtype_name(before), changed, raised(lambda: t.set_default_dtype(t.int32))


@covers("device get_device Tensor.device Tensor.get_device Tensor.is_cpu Tensor.is_cuda Tensor.is_meta Tensor.cpu")
def devices(t: Any) -> Any:
    x = t.ones(2)
    gpu = t.device("cuda:1")
    return (
        repr(t.device("cuda", 0)),
        str(gpu),
        gpu.type,
        gpu.index,
        t.device("cpu").index,
        gpu == t.device("cuda", 1),
        t.device("cuda") == t.device("cuda:0"),
        hash(gpu) == hash(t.device("cuda:1")),
        str(x.device),
        x.get_device(),
        t.get_device(x),
        x.is_cpu,
        x.is_cuda,
        x.is_meta,
        x.cpu() is x,
        raised(lambda: t.device("nonsense")),
        raised(lambda: t.device("cuda:x")),
    )


@covers("Tensor.cuda")
def cuda_is_missing_in_words(t: Any) -> Any:
    return t.cuda.is_available() or raised(lambda: t.ones(2).cuda()) in ("RuntimeError", "AssertionError")


@covers("set_default_device get_default_device")
def default_device(t: Any) -> Any:
    t.set_default_device("cpu")
    try:
        return str(t.get_default_device()), str(t.ones(1).device)
    finally:
        t.set_default_device(None)


@covers("layout memory_format Tensor.layout Tensor.is_contiguous Tensor.dim_order")
def layouts(t: Any) -> Any:
    x = t.arange(48.0).reshape(2, 3, 2, 4)
    y = x.contiguous(memory_format=t.channels_last)
    z = t.empty(2, 3, 4, 5, memory_format=t.channels_last)
    return (
        isinstance(t.strided, t.layout),
        str(x.layout).rpartition(".")[2],
        isinstance(t.channels_last, t.memory_format),
        y.stride(),
        y,
        y.is_contiguous(),
        y.is_contiguous(memory_format=t.channels_last),
        y.clone().stride(),
        y.clone(memory_format=t.contiguous_format).stride(),
        y.to(t.float64).stride(),
        z.stride(),
        t.empty_like(y).stride(),
        t.zeros_like(y, memory_format=t.contiguous_format).stride(),
        x.is_contiguous(memory_format=t.channels_last),
        y.dim_order(),
        raised(lambda: t.ones(2).contiguous(memory_format=t.channels_last)),
    )


@covers("Size Tensor.size Tensor.shape Tensor.dim Tensor.ndim Tensor.ndimension numel Tensor.numel Tensor.nelement")
def sizes(t: Any) -> Any:
    x = t.zeros(2, 3, 0)
    size = x.size()
    return (
        isinstance(size, t.Size),
        list(size),
        size == (2, 3, 0),
        size.numel(),
        x.size(-2),
        x.shape[1],
        x.dim(),
        x.ndim,
        x.ndimension(),
        t.numel(x),
        x.numel(),
        x.nelement(),
        str(size).partition(".")[2],
        isinstance(size[:2], t.Size),
        isinstance(size + (1,), t.Size),
        raised(lambda: x.size(3)),
    )


@covers("Tensor.stride Tensor.storage_offset Tensor.data_ptr Tensor.data Tensor.detach Tensor.detach_ detach")
def memory(t: Any) -> Any:
    x = t.arange(24.0).reshape(2, 3, 4)
    y = x[1:, :, ::2].transpose(0, 2)
    w = t.ones(3, requires_grad=True)
    d, e = w.detach(), t.detach(w)
    d[0] = 5
    z = (w * 2).detach_()
    w.data[1] = 7
    return (
        x.stride(),
        y.stride(),
        y.stride(0),
        y.storage_offset(),
        y.data_ptr() - x.data_ptr(),
        d.data_ptr() == w.data_ptr(),
        w,
        e,
        z.requires_grad,
        z.is_leaf,
        w.data.requires_grad,
        w._version,
    )


@covers("Tensor.type Tensor.type_as Tensor.dtype")
def types(t: Any) -> Any:
    x = t.tensor([1.7, -2.2])
    return (
        x.type().partition(".")[2],
        t.ones(1, dtype=t.int64).type().partition(".")[2],
        x.type(t.int32),
        x.type(t.DoubleTensor),
        x.type_as(t.zeros(1, dtype=t.int8)),
        x.type("torch.HalfTensor" if t.__name__ == "torch" else "lazygrad.HalfTensor"),
    )


@covers(
    "FloatTensor DoubleTensor HalfTensor BFloat16Tensor ByteTensor CharTensor ShortTensor IntTensor LongTensor "
    "BoolTensor Tensor"
)
def legacy_types(t: Any) -> Any:
    made = [
        getattr(t, f"{kind}Tensor")([1, 0, 3])
        for kind in "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()
    ]
    return (
        made,
        t.FloatTensor(2, 3).shape == (2, 3),
        isinstance(made[0], t.FloatTensor),
        isinstance(made[1], t.FloatTensor),
        t.Tensor([1, 2]),
        tuple(t.Tensor(2, 3).shape),
        t.Tensor().numel(),
        isinstance(made[8], t.LongTensor),
        isinstance(made[0], t.Tensor),
    )


@covers("UntypedStorage TypedStorage Tensor.untyped_storage is_storage typename")
def storages(t: Any) -> Any:
    x = t.arange(6, dtype=t.int32).reshape(2, 3)
    memory = x[1:].untyped_storage()
    return (
        isinstance(memory, t.UntypedStorage),
        len(memory),
        memory.nbytes(),
        memory.size(),
        list(memory)[:4],
        memory.data_ptr() == x.data_ptr(),
        t.is_storage(memory),
        t.is_storage(x),
        t.typename(x).partition(".")[2],
    )


@covers("is_tensor tensor as_tensor asarray from_numpy Tensor.numpy Tensor.tolist Tensor.new_tensor")
def construction(t: Any) -> Any:
    array = np.arange(3, dtype=np.float64)
    shared, other = t.from_numpy(array), t.as_tensor(array)
    copied, view = t.tensor(array), t.asarray(array, copy=False)
    array[0] = 9
    x = t.ones(2)
    x.numpy()[1] = 4
    return (
        shared,
        other,
        copied,
        view,
        x,
        t.is_tensor(x),
        t.is_tensor(array),
        t.tensor([[1, 2], [3, 4]]).tolist(),
        t.tensor(2.5).tolist(),
        t.tensor([True, False]),
        t.tensor([1, 2.5]),
        t.tensor([], dtype=t.int64),
        x.new_tensor([1, 2, 3]),
        t.as_tensor(x) is x,
        raised(lambda: t.tensor("a")),
        raised(lambda: t.tensor([[1], [1, 2]])),
        raised(lambda: t.ones(1, requires_grad=True).numpy()),
    )


@covers("frombuffer from_dlpack")
def foreign_memory(t: Any) -> Any:
    data = bytearray(np.arange(4, dtype=np.int16).tobytes())
    x = t.frombuffer(data, dtype=t.int16, offset=2, count=2)
    y = t.from_dlpack(np.arange(3.0))
    return x, y, raised(lambda: t.frombuffer(data, dtype=t.int16, offset=100))


@covers("Tensor.copy_ Tensor.fill_diagonal_ Tensor.set_ Tensor.index Tensor.apply_ Tensor.map_")
def in_place(t: Any) -> Any:
    x = t.zeros(2, 3)
    x.copy_(t.tensor([1, 2, 3]))
    y = t.zeros(3, 3)
    y[:, 0].copy_(t.ones(3))
    z = t.zeros(7, 3).fill_diagonal_(2, wrap=True)
    w = t.arange(4.0)
    w.apply_(lambda v: v * v)
    m = t.arange(3.0).map_(t.ones(3), lambda a, b: a + b)
    return (
        x,
        y,
        y.clone().fill_diagonal_(5),
        z,
        w,
        m,
        raised(lambda: x.copy_(t.ones(4))),
        raised(lambda: t.ones(3).fill_diagonal_(1)),
    )


@covers("Tensor.to_dense")
def dense(t: Any) -> Any:
    x = t.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    return x.to_dense(), t.ones(2).to_dense(), x.coalesce().indices(), x.is_sparse, t.sparse.mm(x, t.ones(3, 2))
