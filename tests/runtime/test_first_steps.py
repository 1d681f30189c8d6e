"""A first training step does not wait for imports that it has no use for."""

import os
import subprocess
import sys

import numpy as np
import scipy.linalg

from lazygrad.host.calls._lapack import routine

_A_LOADER_WITHOUT_WORKERS = """
import sys
import lazygrad as lg
from lazygrad.utils.data import DataLoader, TensorDataset

for (rows,) in DataLoader(TensorDataset(lg.arange(6.0)), batch_size=3, shuffle=True):
    rows.sum().item()
print(sorted({"multiprocessing", "socket", "subprocess"} & set(sys.modules)))
"""

_FACTORIZATIONS = """
import sys
import lazygrad as lg

matrix = lg.tensor([[4.0, 1.0], [1.0, 3.0]])
lower = lg.linalg.cholesky(matrix)
for computed in (lower, lg.linalg.inv(matrix), lg.linalg.solve_triangular(lower, matrix, upper=False)):
    computed.tolist()
print("scipy.linalg" in sys.modules)
"""

_A_SHORT_PROGRAM_AND_A_LONG_ONE = """
import sys
import lazygrad as lg
from lazygrad.runtime.realize import cache

weight = lg.ones(30, 30, requires_grad=True)

def step():
    loss = (lg.ones(100, 30) @ weight).tanh().sum()
    loss.backward()
    return loss.item()

def run(steps):
    for _ in range(steps):
        step()
    return "jinja2" in sys.modules, "lazygrad.runtime.plan" in sys.modules

cache.interpreting = -1e9
print(*run(200))
cache.interpreting = 1e9
print(*run(200))
"""


def _printed(program: str) -> str:
    """In the default settings, where a first step waits for no compiler."""
    settings = [name for name in os.environ if name.startswith("LAZYGRAD_") and name != "LAZYGRAD_CACHE_DIR"]
    variables = {name: value for name, value in os.environ.items() if name not in settings}
    variables["LAZYGRAD_KEEP_PLANS"] = "0"  # as where no process has run the program before
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=variables)
    return outcome.stdout


def test_a_loader_without_workers_imports_nothing_that_starts_processes() -> None:
    assert _printed(_A_LOADER_WITHOUT_WORKERS) == "[]\n"


def test_what_plans_are_made_with_is_imported_when_interpreting_has_taken_as_long() -> None:
    assert _printed(_A_SHORT_PROGRAM_AND_A_LONG_ONE) == "False False\nTrue True\n"


def test_factorizations_leave_scipy_linalg_alone() -> None:
    assert _printed(_FACTORIZATIONS) == "False\n"


def test_scipy_linalg_and_the_wrappers_that_were_loaded_alone_work_side_by_side() -> None:
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]])
    factors, pivots, info = routine("getrf", matrix.dtype)(matrix)
    expected, expected_pivots, _ = scipy.linalg.lapack.dgetrf(matrix)
    assert info == 0 and (factors == expected).all() and (pivots == expected_pivots).all()
