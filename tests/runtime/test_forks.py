"""Children forked while other threads of their parent compute, draw or record; forks in forks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.runtime.fork_programs import COMPUTE, run
from tests.runtime.toolchains import needs_compiler

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
backends = pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=needs_compiler)])


@backends
def test_while_another_thread_computes(backend: str, tmp_path: Path) -> None:
    body = """
def child():
    known = compute() == expected
    new = (lg.tensor(values).exp() + 1).log().amax(0)
    return known and np.allclose(new.numpy(), np.log(np.exp(values) + 1).max(0), rtol=1e-5)


with Busy(compute) as busy:
    for _ in range(15):
        in_child(child)
    before = busy.calls
    while busy.calls == before:
        time.sleep(0.001)
assert compute() == expected
"""
    run(COMPUTE + body, tmp_path, backend)


@backends
def test_what_another_thread_changes_is_seen_before_or_after_and_not_between(backend: str, tmp_path: Path) -> None:
    body = """
weight = lg.zeros(300_000)


def update():
    weight.add_(1.0)
    weight.realize()


with Busy(update) as busy:
    for _ in range(15):
        in_child(lambda: len(np.unique(weight.numpy())) == 1 and (weight + 1).amin().item() >= 2)
assert weight[0].item() == busy.calls
"""
    run(body, tmp_path, backend)


def test_while_another_thread_draws_random_numbers(tmp_path: Path) -> None:
    body = """
other = lg.Generator()


def draw():
    lg.randn(50_000)
    lg.rand(50_000, generator=other)
    lg.nn.functional.dropout(lg.ones(50_000)).realize()


def child():
    draw()
    lg.manual_seed(3)
    other.manual_seed(3)
    return np.array_equal(lg.rand(5).numpy(), lg.rand(5, generator=other).numpy())


with Busy(draw):
    for _ in range(15):
        in_child(child)
"""
    run(body, tmp_path, "numpy")


def test_while_two_other_threads_compute_and_fork_too(tmp_path: Path) -> None:
    body = """
def fork():
    in_child(lambda: compute() == expected)


with Busy(compute), Busy(fork) as busy:
    for _ in range(5):
        fork()
    assert busy.calls
"""
    run(COMPUTE + body, tmp_path, "numpy")


@backends
def test_a_fork_in_a_fork_in_a_fork(backend: str, tmp_path: Path) -> None:
    body = """
def child(depth):
    before = compute() == expected
    if depth:
        with Busy(compute):
            in_child(lambda: child(depth - 1))
    return before and compute(3.0) == compute(3.0)


in_child(lambda: child(3))
"""
    run(COMPUTE + body, tmp_path, backend)


@backends
def test_pending_tensors_are_computed_on_either_side(backend: str, tmp_path: Path) -> None:
    body = """
x = lg.tensor(values, requires_grad=True)
pending = (x * x).sum()
noise = lg.nn.functional.dropout(lg.ones(1000))
wanted = (values * values).sum()


def check():
    pending.backward()
    return np.allclose(pending.item(), wanted, rtol=1e-4) and np.allclose(x.grad.numpy(), 2 * values)


def drawn():
    with lg.backend("numpy"):  # in C, random numbers are the library's, which takes a minute to compile
        return noise.sum().item()


def child():
    print(drawn(), flush=True)
    return check()


in_child(child)
assert check()
print(drawn())
"""
    first, second = run(COMPUTE + body, tmp_path, backend).split()
    assert first == second, "a draw that was recorded before the fork is the same draw on both sides"


def test_a_thread_that_forks_in_the_middle_of_a_realization(tmp_path: Path) -> None:
    body = """
from lazygrad.runtime.realize import realize_lock

with realize_lock:
    in_child(lambda: compute() == expected)
    assert compute() == expected
with Busy(compute):
    in_child(lambda: compute() == expected)
"""
    run(COMPUTE + body, tmp_path, "numpy")


def test_a_realization_that_does_not_end_is_not_waited_for_forever(tmp_path: Path) -> None:
    body = """
from lazygrad.host import forks
from lazygrad.runtime.realize import realize_lock

forks.PATIENCE_SECONDS = 0.3
gate, held = threading.Event(), threading.Event()


def hold():
    with realize_lock:
        held.set()
        gate.wait()


thread = threading.Thread(target=hold, daemon=True)
thread.start()
held.wait()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", RuntimeWarning)
    for _ in range(2):
        start = time.monotonic()
        in_child(lambda: compute() == expected)
        assert time.monotonic() - start > 0.3
(message,) = [str(each.message) for each in caught if each.category is RuntimeWarning]
assert "did not end within 0.3 s" in message
gate.set()
thread.join()
in_child(lambda: compute() == expected)
assert compute() == expected
"""
    run(COMPUTE + body, tmp_path, "numpy")


def test_locks_that_are_held_for_a_moment_are_free_in_the_child(tmp_path: Path) -> None:
    body = """
from lazygrad.host import blas, buffer, forks
from lazygrad.ir.device import CPU
from lazygrad.runtime.device_streams import counted_of

locks = [counted_of(CPU)._lock, blas.serial_blas._lock, buffer.pool._lock, buffer._slab._lock, forks._registering]
gate, held = threading.Event(), threading.Event()


def hold():
    for lock in locks[:-1]:
        lock.acquire()
    held.set()
    gate.wait()
    for lock in locks[:-1]:
        lock.release()


def child():
    free = all(lock.acquire(timeout=1) and (lock.release() or True) for lock in locks)
    product = lg.ones(100, 100) @ lg.ones(100, 100)
    return free and compute() == expected and lg.nn.functional.dropout(product).amax().item() == 200


thread = threading.Thread(target=hold, daemon=True)
thread.start()
held.wait()
in_child(child)
gate.set()
thread.join()
"""
    run(COMPUTE + body, tmp_path, "numpy")


def test_a_compiled_function_that_another_thread_was_recording(tmp_path: Path) -> None:
    body = """
compiled = lg.compile(lambda x: x * 2 + 1)
recording = threading.Thread(target=compiled._recording_lock.acquire)
recording.start()
recording.join()


def child():
    results = [compiled(lg.ones(3)).sum().item() for _ in range(4)]
    return results == [9.0] * 4 and compiled.explain() == "the last call was replayed"


compiled(lg.ones(3))
assert compiled.explain() == "another thread was recording it"
in_child(child)
"""
    run(body, tmp_path, "numpy")


def test_interrupted_while_it_waits_to_fork(tmp_path: Path) -> None:
    body = """
from lazygrad.runtime.realize import realize_lock

gate, held = threading.Event(), threading.Event()


def hold():
    with realize_lock:
        held.set()
        gate.wait()


thread = threading.Thread(target=hold, daemon=True)
thread.start()
held.wait()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
warnings.simplefilter("ignore")
interrupted, child = False, None
try:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(1)
except KeyboardInterrupt:
    interrupted = True
assert interrupted
gate.set()
thread.join()
other = threading.Thread(target=compute)  # nothing was left locked
other.start()
other.join(10)
assert not other.is_alive()
"""
    run(COMPUTE + body, tmp_path, "numpy")
