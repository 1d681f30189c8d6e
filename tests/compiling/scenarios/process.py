"""The process around a function: environment, files, clocks, other modules, and what Python itself keeps."""

import contextvars
import decimal
import gc
import importlib
import logging
import math
import operator
import os
import pathlib
import random
import sys
import threading
import types
import warnings

import numpy as np

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad import nn

SCENARIOS = {}
NAME = "LAZYGRAD_TEST_SCALE"
variable = contextvars.ContextVar("variable", default=1.0)
local = threading.local()
log = logging.getLogger("lazygrad.test.staleness")
generator = random.Random(0)


def add(name, read, change, before=lambda m: None):
    def scenario(m):
        before(m)
        return (lambda x: x * read()), [lg.ones(2)], lambda: change(m)

    SCENARIOS[name] = scenario


def set_name(value):
    return lambda m: m.setenv(NAME, value)


ENVIRONMENT = {
    "item": lambda: float(os.environ[NAME]),
    "get": lambda: float(os.environ.get(NAME, "1")),
    "getenv": lambda: float(os.getenv(NAME, "1")),
    "in": lambda: 2.0 if NAME in os.environ else 1.0,
    "length": lambda: len(os.environ),
    "dict": lambda: float(dict(os.environ).get(NAME, "1")),
    "loop": lambda: len([name for name in os.environ]),
    "expandvars": lambda: len(os.path.expandvars(f"${NAME}")),
    "copy": lambda: float(os.environ.copy().get(NAME, "1")),
}
for name, read in ENVIRONMENT.items():
    if name not in ("in", "length", "loop"):
        add(f"os.environ changes, {name}", read, set_name("7"), set_name("22"))
    if name != "item":
        add(f"os.environ gets a name, {name}", read, set_name("7"))


def in_folder(m):
    import tempfile

    m.chdir(tempfile.mkdtemp())
    pathlib.Path("state.txt").write_text("1")


def write(m):
    pathlib.Path("state.txt").write_text("5")


def read_open():
    with open("state.txt") as file:
        return float(file.read())


add("a file, open", read_open, write, in_folder)
add("a file, read_text", lambda: float(pathlib.Path("state.txt").read_text()), write, in_folder)
add("a file, numpy", lambda: float(np.loadtxt("state.txt")), write, in_folder)
add(
    "a file's size",
    lambda: os.stat("state.txt").st_size,
    lambda m: pathlib.Path("state.txt").write_text("55"),
    in_folder,
)
add("a file exists", lambda: 2.0 if os.path.exists("new.txt") else 1.0,
    lambda m: pathlib.Path("new.txt").write_text(""), in_folder)  # fmt: skip
add("a folder's files", lambda: len(os.listdir()), lambda m: pathlib.Path("new.txt").write_text(""), in_folder)
add("the working folder", lambda: len(os.getcwd()), lambda m: m.chdir("/"), in_folder)
add("sys.argv", lambda: len(sys.argv), lambda m: m.setattr(sys, "argv", [*sys.argv, "more"]))
add("sys.argv in place", lambda: len(sys.argv), lambda m: sys.argv.append("x"), lambda m: m.setattr(sys, "argv", ["a"]))
add("sys.path", lambda: len(sys.path), lambda m: m.syspath_prepend("/nowhere"))
add("sys.modules", lambda: 2.0 if "made_up" in sys.modules else 1.0,
    lambda m: m.setitem(sys.modules, "made_up", types.ModuleType("made_up")))  # fmt: skip
add("the recursion limit", lambda: sys.getrecursionlimit(), lambda m: _recursion(m))
add("the switch interval", lambda: sys.getswitchinterval(), lambda m: _switching(m))
add("gc.isenabled", lambda: 2.0 if gc.isenabled() else 1.0, lambda m: gc.disable())
add("gc.get_threshold", lambda: gc.get_threshold()[0], lambda m: _threshold(m))
add("a context variable", lambda: variable.get(), lambda m: variable.set(5.0), lambda m: variable.set(1.0))
add("a thread's variable", lambda: local.value, lambda m: setattr(local, "value", 5.0),
    lambda m: setattr(local, "value", 1.0))  # fmt: skip
add("the thread's name", lambda: len(threading.current_thread().name),
    lambda m: m.setattr(threading.current_thread(), "name", "another name"))  # fmt: skip
add("the logging level", lambda: log.getEffectiveLevel(), lambda m: log.setLevel(37), lambda m: log.setLevel(10))
add("a logger is enabled", lambda: 2.0 if log.isEnabledFor(20) else 1.0, lambda m: log.setLevel(37),
    lambda m: log.setLevel(10))  # fmt: skip
add("warnings.filters", lambda: len(warnings.filters), lambda m: warnings.filterwarnings("ignore", "anything at all"))
add("random.getstate", lambda: generator.getstate()[1][1] % 1000, lambda m: generator.seed(generator.random()))
add("the decimal context", lambda: decimal.getcontext().prec, lambda m: _precision(m))
add("numpy's print options", lambda: np.get_printoptions()["precision"], lambda m: _printing(m))
add("a number as numpy prints it", lambda: len(str(np.array([1 / 3]))), lambda m: _printing(m))
add("numpy's error state", lambda: len(np.geterr()["divide"]), lambda m: _errors(m))
add("the number of threads", lambda: threading.active_count(), lambda m: _thread())


def _recursion(m):
    sys.setrecursionlimit(sys.getrecursionlimit() + 7)


def _switching(m):
    sys.setswitchinterval(0.0049)


def _threshold(m):
    gc.set_threshold(gc.get_threshold()[0] + 1)


def _precision(m):
    decimal.getcontext().prec += 1


def _printing(m):
    np.set_printoptions(precision=3 if np.get_printoptions()["precision"] != 3 else 4)


def _errors(m):
    np.seterr(divide="ignore" if np.geterr()["divide"] != "ignore" else "raise")


def _thread():
    threading.Thread(target=threading.Event().wait, daemon=True).start()


# Modules and functions that are replaced.


def module(**members):
    made = types.ModuleType("staleness_module")
    vars(made).update(members)
    return made


def importing():
    import staleness_module

    return staleness_module.value


def importing_from():
    from staleness_module import value

    return value


def importing_by_name():
    return importlib.import_module("staleness_module").value


def importing_dunder():
    return __import__("staleness_module").value


def first_module(m):
    m.setitem(sys.modules, "staleness_module", module(value=1.0))


for name, read in {
    "import": importing, "from": importing_from, "import_module": importing_by_name, "__import__": importing_dunder,
}.items():  # fmt: skip
    add(f"a module is replaced, {name}", read,
        lambda m: m.setitem(sys.modules, "staleness_module", module(value=5.0)), first_module)  # fmt: skip
    add(f"a module's variable changes, {name}", read,
        lambda m: setattr(sys.modules["staleness_module"], "value", 5.0), first_module)  # fmt: skip

held = module(value=1.0, function=lambda: 1.0)
add("a variable of a module", lambda: held.value, lambda m: m.setattr(held, "value", 5.0))
add("a function of a module", lambda: held.function(), lambda m: m.setattr(held, "function", lambda: 5.0))
add("a module gets __getattr__", lambda: getattr(held, "other", 1.0),
    lambda m: m.setattr(held, "__getattr__", lambda name: 5.0, raising=False))  # fmt: skip
add("math.sqrt", lambda: math.sqrt(4.0), lambda m: m.setattr(math, "sqrt", lambda x: 5.0))
add("math.pi", lambda: math.pi, lambda m: m.setattr(math, "pi", 5.0))
add("operator.add", lambda: operator.add(1, 2), lambda m: m.setattr(operator, "add", lambda a, b: 9.0))
add("numpy.float32", lambda: np.float32(2), lambda m: m.setattr(np, "float32", lambda x: 9.0))
for builtin, read in {
    "len": lambda: len("ab"), "max": lambda: max(1, 2), "sum": lambda: sum((1, 2)), "float": lambda: float("2"),
    "range": lambda: sum([i for i in range(3)]), "isinstance": lambda: 2.0 if isinstance(1, str) else 1.0,
    "getattr": lambda: getattr(1, "real"), "sorted": lambda: sorted((2, 1))[0],  # noqa: B009
}.items():  # fmt: skip
    add(f"builtins.{builtin}", read, lambda m, builtin=builtin: _replaced_builtin(m, builtin))


def _replaced_builtin(m, name):
    m.setitem(globals(), name, lambda *args: [9.0] if name in ("range", "sorted") else 9.0)


def library_scenario(name, function, change):
    SCENARIOS[name] = lambda m: (function, [lg.ones(2) * 2], lambda: change(m))


linear, network = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.ReLU())


def no_grad(module):
    def function(x):
        with lg.no_grad():
            return module(x)

    return function


library_scenario("lg.exp", lambda x: lg.exp(x), lambda m: m.setattr(lg, "exp", lambda x: x * 5))
library_scenario("F.relu", lambda x: F.relu(x), lambda m: m.setattr(F, "relu", lambda x: x * 5))
library_scenario("Tensor.exp", lambda x: x.exp(), lambda m: m.setattr(lg.Tensor, "exp", lambda x: x * 5))
library_scenario("Tensor.__mul__", lambda x: x * 2, lambda m: m.setattr(lg.Tensor, "__mul__", lambda x, y: x + 5))
library_scenario("nn.ReLU.forward", no_grad(network), lambda m: m.setattr(nn.ReLU, "forward", lambda self, x: x * 5))
library_scenario("nn.Linear.forward", no_grad(linear), lambda m: m.setattr(nn.Linear, "forward", lambda s, x: x * 5))
library_scenario("nn.Linear.__call__", no_grad(linear),
                 lambda m: m.setattr(nn.Linear, "__call__", lambda s, x: x * 5, raising=False))  # fmt: skip
library_scenario("Sequential.forward", no_grad(network),
                 lambda m: m.setattr(nn.Sequential, "forward", lambda s, x: x * 5))  # fmt: skip
library_scenario("Module.__call__", no_grad(linear),
                 lambda m: m.setattr(nn.Module, "__call__", lambda s, x: x * 5))  # fmt: skip
library_scenario("F.linear in nn", no_grad(linear),
                 lambda m: m.setattr(F, "linear", lambda *a: lg.ones(2) * 5))  # fmt: skip
