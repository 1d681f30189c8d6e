"""Files whose pickle, or what its objects are made of, is hostile. Each has a name and is different from all others."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from tests.saving.assembling import (
    MARK,
    ORDERED_DICT,
    PROTOCOL_2,
    STOP,
    Raw,
    archive,
    built,
    called,
    made,
    named,
    pickled,
    storage,
    tensor,
    text,
)

Files = Iterator[tuple[str, bytes]]

_FUNCTIONS = (
    "os.system posix.system nt.system subprocess.Popen builtins.exec builtins.eval __builtin__.eval builtins.getattr "
    "builtins.setattr builtins.__import__ builtins.open builtins.globals builtins.type builtins.object builtins.print "
    "builtins.compile builtins.memoryview builtins.map importlib.import_module sys.exit pickle.loads shutil.rmtree "
    "functools.partial operator.attrgetter copyreg._reconstructor collections.namedtuple collections.UserDict "
    "_codecs.decode codecs.encode numpy.core.multiarray._reconstruct numpy.zeros lazygrad.load lazygrad.zeros "
    "lazygrad.Tensor lazygrad.tensor.Tensor lazygrad.ir.dtype.dtype_named torch.load torch.zeros "
    "torch.storage._load_from_bytes torch._utils._rebuild_qtensor torch.nn.Module torch.hub.load "
    "torch.float32.__init__ collections.OrderedDict.fromkeys builtins.str.format"
).split()

_BOMBS: dict[str, Raw] = {
    "bytearray": called("builtins.bytearray", 2**33),
    "bytes": called("builtins.bytes", 2**33),
    "text of bytes": called("builtins.str", called("builtins.bytes", 2**33)),
    "list of range": called("builtins.list", called("builtins.range", 0, 2**40, 1)),
    "tuple of range": called("builtins.tuple", called("builtins.range", 0, 2**40, 1)),
    "set of range": called("builtins.set", called("builtins.range", 0, 2**40, 1)),
    "frozenset of range": called("builtins.frozenset", called("builtins.range", 0, 2**40, 1)),
    "deque of range": called("collections.deque", called("builtins.range", 0, 2**40, 1)),
    "Counter of range": called("collections.Counter", called("builtins.range", 0, 2**40, 1)),
    "bytes of range": called("builtins.bytes", called("builtins.range", 0, 2**40, 1)),
    "Size of range": called("torch.Size", called("builtins.range", 0, 2**40, 1)),
    "OrderedDict of range": called("collections.OrderedDict", called("builtins.range", 0, 2**40, 1)),
    "xrange": called("__builtin__.list", called("__builtin__.xrange", 0, 2**40, 1)),
    "tensor": called("torch.Tensor", 2**36),
    "tensor of sizes": called("torch.Tensor", 2**18, 2**18),
    "int of text": called("builtins.int", "9" * 100_000),
    "extended list": Raw(b"]" + called("builtins.range", 0, 2**40, 1) + b"a" + made("extend") + b"R"),
}

_WRONG_CALLS: dict[str, Raw] = {
    "a dtype": called("torch.float32"),
    "a storage type": called("torch.FloatStorage", 10),
    "a number": Raw(made(5) + b")R"),
    "a list": Raw(made([]) + b")R"),
    "a string": Raw(made("exec") + b")R"),
    "a tensor": Raw(tensor() + b")R"),
    "a device": Raw(called("torch.device", "cpu") + b")R"),
    "without a tuple": Raw(named("builtins.set") + made([1]) + b"R"),
    "a dict for arguments": Raw(named("collections.OrderedDict") + made({}) + b"R"),
    "set of unhashable": called("builtins.set", [[1]]),
    "set of text": called("builtins.set", "abc"),
    "complex of text": called("builtins.complex", "1"),
    "range of floats": called("builtins.range", 0.0, 1.0, 1.0),
    "range without step": called("builtins.range", 0, 5, 0),
    "slice of lists": called("builtins.slice", [], [], []),
    "defaultdict of a function": called("collections.defaultdict", named("torch._utils._rebuild_tensor_v2")),
    "defaultdict of a number": called("collections.defaultdict", 5),
    "deque of no length": called("collections.deque", [], -1),
    "deque of a longest text": called("collections.deque", [], "x"),
    "OrderedDict of numbers": called("collections.OrderedDict", [1, 2]),
    "Counter of a list": called("collections.Counter", [1]),
    "bytes in another encoding": called("_codecs.encode", "a", "rot13"),
    "bytes of a list": called("_codecs.encode", [], "latin1"),
    "bytes that do not fit": called("_codecs.encode", "\u0394", "latin1"),
    "bytearray of a list": called("builtins.bytearray", [1]),
    "Size of text": called("torch.Size", "ab"),
    "Size of floats": called("torch.Size", (1.5,)),
    "layout that is not": called("torch.serialization._get_layout", "torch.round"),
    "layout of a list": called("torch.serialization._get_layout", []),
    "device that is not": called("torch.device", "tpu"),
    "device below zero": called("torch.device", "cpu", -1),
    "device far away": called("torch.device", "cpu", 10**9),
    "device of truth": called("torch.device", "cpu", True),
    "device twice": called("torch.device", "cpu:1", 2),
    "device of a list": called("torch.device", []),
    "tensor by another function": called("torch._tensor._rebuild_from_type_v2", named("torch.device"),
                                         named("torch.Tensor"), ("cpu",), {}),
    "tensor by itself": called("torch._tensor._rebuild_from_type_v2", named("torch._tensor._rebuild_from_type_v2"),
                               named("torch.Tensor"), (), {}),
    "tensor of a class that is none": called("torch._tensor._rebuild_from_type_v2",
        named("torch._utils._rebuild_parameter"), named("builtins.dict"), (tensor(), False, ORDERED_DICT), {}),
    "parameter of a list": called("torch._utils._rebuild_parameter", [1.0], True, ORDERED_DICT),
    "parameter of a storage": called("torch._utils._rebuild_parameter", storage(), True, ORDERED_DICT),
    "parameter of nothing": called("torch._utils._rebuild_parameter", None, True, ORDERED_DICT),
    "parameter that requires text": called("torch._utils._rebuild_parameter", tensor(), "yes", ORDERED_DICT),
}  # fmt: skip


def files() -> Files:
    """All files of this kind."""
    for kind in (_of_functions, _of_calls, _of_states, _of_attributes, _of_opcodes, _of_structure, _of_amplification):
        yield from kind()


def _of_functions() -> Files:
    for name in _FUNCTIONS:
        yield f"calls {name}", archive(called(name, "true"))
    target = "os.system"
    yield "names os.system and does not call it", archive(named(target))
    yield "calls by STACK_GLOBAL", archive(Raw(text("os") + text("system") + b"\x93" + made(("true",)) + b"R"))
    dotted = text("collections") + text("OrderedDict.fromkeys")
    yield "calls a method by STACK_GLOBAL", archive(Raw(dotted + b"\x93" + made(("true",)) + b"R"))
    yield "STACK_GLOBAL of numbers", archive(Raw(made(1) + made(2) + b"\x93"))
    yield "calls by INST", archive(Raw(MARK + made("true") + b"ios\nsystem\n"))
    yield "calls by OBJ", archive(Raw(MARK + named(target) + made("true") + b"o"))
    yield "calls by NEWOBJ", archive(Raw(named("subprocess.Popen") + made(("true",)) + b"\x81"))
    yield "calls by NEWOBJ_EX", archive(Raw(named("subprocess.Popen") + made(("true",)) + made({}) + b"\x92"))
    yield "INST of an allowed class", archive(Raw(MARK + b"ibuiltins\nlist\n"))
    yield "OBJ of an allowed class", archive(Raw(MARK + named("builtins.list") + b"o"))
    yield "NEWOBJ_EX of an allowed class", archive(Raw(named("builtins.list") + made(()) + made({}) + b"\x92"))
    yield "NEWOBJ of a tensor", archive(Raw(named("torch.Tensor") + made((2**36,)) + b"\x81"))
    yield "NEWOBJ of bytearray", archive(Raw(named("builtins.bytearray") + made((2**33,)) + b"\x81"))
    for size, code in enumerate((b"\x82\x01", b"\x83\x01\x00", b"\x84\x01\x00\x00\x00")):
        yield f"EXT of {1 << size} bytes", archive(Raw(code))


def _of_calls() -> Files:
    for name, opcodes in _BOMBS.items():
        yield f"bomb: {name}", archive(opcodes)
    for name, opcodes in _WRONG_CALLS.items():
        yield f"call: {name}", archive(opcodes)


def _of_states() -> Files:
    """BUILD on what a file only names."""
    targets: dict[str, Raw] = {
        "float32": named("torch.float32"), "Tensor": named("torch.Tensor"), "Size": named("torch.Size"),
        "OrderedDict": named("collections.OrderedDict"), "list": named("builtins.list"),
        "a function": named("torch._utils._rebuild_tensor_v2"), "FloatStorage": named("torch.FloatStorage"),
        "a device": called("torch.device", "cpu"), "a Size": called("torch.Size", (1,)),
        "a layout": called("torch.serialization._get_layout", "torch.strided"), "a storage": storage(),
        "a list": made([]), "a dict": made({}), "a number": made(1), "nothing": made(None),
        "a deque": called("collections.deque"), "a set": called("builtins.set"),
    }  # fmt: skip
    states = {"attributes": {"itemsize": 1, "backward": None}, "slots": (None, {"itemsize": 1, "backward": None})}
    for name, target in targets.items():
        for kind, state in states.items():
            yield f"state: {kind} of {name}", archive(built(target, state))


def _of_attributes() -> Files:
    parameter = called("torch._utils._rebuild_parameter", tensor(), True, ORDERED_DICT)
    names = ("_chain", "_storage", "_node", "_base", "_grad", "__class__", "__dict__", "backward", "shape", "data",
             "requires_grad", "grad", "_backward_hooks", "_post_accumulate_hooks", "_name", "detach")  # fmt: skip
    for name in names:
        state = {name: 1}
        yield f"attribute {name} of a tensor", archive(built(tensor(), state))
        by_type = (named("torch._utils._rebuild_tensor_v2"), named("torch.Tensor"))
        arguments = (storage(), 0, (6,), (1,), False, ORDERED_DICT)
        made_by_type = called("torch._tensor._rebuild_from_type_v2", *by_type, arguments, state)
        yield f"attribute {name} by its type", archive(made_by_type)
        with_state = called("torch._utils._rebuild_parameter_with_state", tensor(), True, ORDERED_DICT, state)
        yield f"attribute {name} of a parameter", archive(with_state)
    yield "attribute that is a number", archive(built(tensor(), {1: 2}))
    yield "attributes in slots", archive(built(tensor(), (None, {"label": 1})))
    yield "attributes that are a list", archive(built(tensor(), [1]))
    yield "state of a parameter", archive(built(parameter, {"backward": None}))
    for name in ("items", "keys", "__class__", "__getitem__", "update"):
        yield f"attribute {name} of an OrderedDict", archive(built(ORDERED_DICT, {name: named("builtins.float")}))
    indices = tensor(storage(named("torch.LongStorage"), "1", "cpu", 2), 0, (1, 2), (2, 1))
    values = tensor(None, 0, (2,), (1,))
    layout = called("torch.serialization._get_layout", "torch.sparse_coo")
    sparse = called("torch._utils._rebuild_sparse_tensor", layout, (indices, values, (4,), True))
    for name in ("_places", "_entries", "_size", "_merged"):
        yield (
            f"attribute {name} of a sparse tensor",
            archive(built(sparse, {name: 1}), **{"data/1": struct.pack("<2q", 0, 3)}),
        )


def _of_opcodes() -> Files:
    """Opcodes that find nothing to work on, or the wrong thing, or an argument that lies."""
    empty = {"APPEND": b"a", "APPENDS": b"e", "SETITEM": b"s", "SETITEMS": b"u", "ADDITEMS": b"\x90", "TUPLE": b"t",
             "TUPLE1": b"\x85", "TUPLE2": b"\x86", "TUPLE3": b"\x87", "REDUCE": b"R", "BUILD": b"b", "NEWOBJ": b"\x81",
             "BINPERSID": b"Q", "DUP": b"2", "POP": b"0", "POP_MARK": b"1", "BINPUT": b"q\x00", "MEMOIZE": b"\x94",
             "BINGET": b"h\x00", "STACK_GLOBAL": b"\x93", "FROZENSET": b"\x91", "STOP": b"", "DICT": b"d", "LIST": b"l",
             "LONG_BINPUT": b"r\x00\x00\x00\x00"}  # fmt: skip
    for name, code in empty.items():
        yield f"{name} without operands", archive(PROTOCOL_2 + code + STOP)
    lies = {
        "BINGET": b"h\x09", "LONG_BINGET": b"j\xff\xff\xff\xff", "BINUNICODE": b"X\xff\xff\xff\xffab",
        "BINUNICODE8": b"\x8d" + struct.pack("<Q", 2**63) + b"ab", "SHORT_BINUNICODE": b"\x8c\xffab",
        "BINBYTES": b"B\xff\xff\xff\xffab", "BINBYTES8": b"\x8e" + struct.pack("<Q", 2**62),
        "BYTEARRAY8": b"\x96" + struct.pack("<Q", 2**33), "LONG4": b"\x8b" + struct.pack("<i", 2**31 - 1),
        "LONG4 below zero": b"\x8b" + struct.pack("<i", -5), "LONG1": b"\x8a\xff", "BININT": b"J\x00",
        "BINFLOAT": b"G\x00", "FRAME": b"\x95" + struct.pack("<Q", 2**62) + b"N", "BINSTRING": b"T\xff\xff\xff\xffab",
        "BINSTRING far": b"T\xff\xff\xff\x7fab", "NEXT_BUFFER": b"\x97", "READONLY_BUFFER": b"N\x98",
        "PERSID": b"Pstorage\n", "STRING": b"S'ab'\n", "FLOAT": b"F1.5\n", "UNICODE": b"Vab\n", "GET": b"g0\n",
        "INT of text": b"Iten\n", "INT without end": b"I1234", "INT of many digits": b"I" + b"9" * 1_000_000 + b"\n",
        "LONG of many digits": b"L" + b"9" * 1_000_000 + b"L\n", "BINUNICODE of no UTF-8": b"X\x02\x00\x00\x00\xff\xfe",
        "GLOBAL without end": b"cbuiltins\nlist", "GLOBAL of no UTF-8": b"c\xff\xfe\nlist\n", "opcode 255": b"\xff",
        "opcode 0": b"\x00", "SETITEMS of three": b"}(NNNu", "SETITEM of a list": made([1]) + b"NNs",
        "SETITEM of a tensor": tensor() + made(0) + made(1) + b"s",
        "SETITEM of a class": named("torch.Tensor") + b"NNs",
        "SETITEM of a list as key": b"}" + made([1]) + b"Ns", "SETITEM of a dict as key": b"}" + made({}) + b"Ns",
        "APPEND to a tuple": b")Na", "APPEND to text": made("a") + b"Na",
        "APPEND to a class": named("builtins.list") + b"Na",
        "APPEND to a bytearray": called("builtins.bytearray") + b"Na", "APPENDS to a tensor": tensor() + b"(Ne",
        "ADDITEMS to a list": b"](N\x90", "ADDITEMS of lists": b"\x8f(]\x90", "FROZENSET of lists": b"(]\x91",
        "POP of a mark": b"(0N", "PROTO 6": b"\x80\x06N", "PROTO 255": b"\x80\xffN",
    }  # fmt: skip
    for name, code in lies.items():
        yield f"{name} that lies", archive(PROTOCOL_2 + code + STOP)


def _of_structure() -> Files:
    good = pickled({"x": tensor(), "n": [1, 2, (3, "four")]})
    for place in sorted({0, 1, 2, 3, 5, *range(10, len(good) - 1, 13), len(good) - 1}):
        yield f"pickle cut off after {place} bytes", archive(good[:place])
    yield "no STOP", archive(PROTOCOL_2 + b"N")
    yield "two objects", archive(PROTOCOL_2 + b"NN" + STOP)
    yield "a mark left", archive(PROTOCOL_2 + b"(N" + STOP)
    yield "bytes behind the end", archive(good + b"cos\nsystem\n")
    yield "a second pickle", archive(good + good)


def _of_amplification() -> Files:
    """Small files that ask for much time or memory."""
    doubling = (b"h" + bytes([n]) + b"h" + bytes([n]) + b"\x86q" + bytes([n + 1]) + b"0" for n in range(100))
    doubled = b")q\x000" + b"".join(doubling) + b"hd"
    yield "a key of 2**100 parts", archive(PROTOCOL_2 + b"}" + doubled + b"Ns" + STOP)
    yield "an element of 2**100 parts", archive(PROTOCOL_2 + b"\x8f(" + doubled + b"\x90" + STOP)
    yield "a frozenset of 2**100 parts", archive(PROTOCOL_2 + b"(" + doubled + b"\x91" + STOP)
    yield "a Size of 2**100 parts", archive(PROTOCOL_2 + named("torch.Size") + doubled + b"\x85R" + STOP)
    deep = b")" + b"\x85" * 200_000
    yield "a key 200000 deep", archive(PROTOCOL_2 + b"}" + deep + b"Ns" + STOP)
    yield "a set element 200000 deep", archive(PROTOCOL_2 + b"\x8f(" + deep + b"\x90" + STOP)
    yield "an attribute name 200000 deep", archive(PROTOCOL_2 + ORDERED_DICT + b"}" + deep + b"Nsb" + STOP)
    yield "a size 200000 deep", archive(Raw(tensor(None, 0, Raw(deep))))
    yield "a storage's key 200000 deep", archive(Raw(tensor(storage(None, Raw(deep)))))
    yield (
        "slices 100000 deep",
        archive(Raw(named("builtins.slice") + b"q\x000N" + b"".join([b"q\x01h\x00h\x01NN\x87R"] * 100_000))),
    )
    wide = b"](" + b"N" * 50_000 + b"eq\x00" + named("collections.deque") + b"q\x01"
    copies = b"(" + b"h\x01h\x00\x85R" * 20_000 + b"t"
    yield "20000 copies of a list", archive(PROTOCOL_2 + wide + copies + b"\x86\x86" + STOP)
    numbers = (
        b"]("
        + b"".join(b"M" + struct.pack("<H", n) for n in range(50_000))
        + b"eq\x00"
        + named("builtins.set")
        + b"q\x01"
    )
    yield "20000 sets of a list", archive(PROTOCOL_2 + numbers + copies + b"\x86\x86" + STOP)
    content = made("a" * 100_000) + b"q\x00" + named("_codecs.encode") + b"q\x01" + made("latin1") + b"q\x02"
    yield (
        "20000 encodings of a text",
        archive(PROTOCOL_2 + content + b"(" + b"h\x01h\x00h\x02\x86R" * 20_000 + b"t\x87\x85" + STOP),
    )
    big = b"\x8b" + struct.pack("<i", 1_000_000) + b"\x01" * 1_000_000 + b"q\x00"
    yield (
        "a number of 8 million bits as 100000 keys",
        archive(PROTOCOL_2 + big + b"}(" + b"h\x00N" * 100_000 + b"u\x86" + STOP),
    )
    long_key = b"(" + b"N" * 60_000 + b"tq\x00"
    yield (
        "a key of 60000 parts, 20000 times",
        archive(PROTOCOL_2 + long_key + b"}(" + b"h\x00N" * 20_000 + b"u\x86" + STOP),
    )
    yield "65 dimensions", archive(tensor(None, 0, (1,) * 65, (1,) * 65))
    yield "100000 dimensions", archive(tensor(None, 0, (1,) * 100_000, (1,) * 100_000))
