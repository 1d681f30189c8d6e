"""Which tests run: a sample of the large tables unless asked for the whole, and on C what depends on C.

A sample is drawn for each operation or group of cases of a test, by a hash of the test's name that is the same in every
run. Nothing is left out with its last case.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Sample:
    """How many cases of each group run; the group is what ``pattern`` finds at the start of a case's name."""

    cases: int
    pattern: str


_CALL = r"[^(\[ ]*"  # `t.sum` of `t.sum(float[3, 4], dim=1)`
_FIRST = r"[^-]*"  # `cumsum` of `cumsum-shape0-0-row_major-int64`

SAMPLES: dict[str, Sample] = {
    "tests/runtime/test_dynamic.py": Sample(2, ""),
    "tests/runtime/test_forks.py": Sample(1, ""),
    "tests/runtime/test_multiprocessing.py": Sample(1, ""),
    "tests/distributions/test_distributions.py": Sample(1, r"[A-Za-z0-9]*"),  # of each class
    "tests/distributions/test_divergences.py": Sample(2, r"[A-Za-z]*"),  # of each class
    "tests/distributions/test_transforms.py": Sample(12, ""),
    "tests/compiling/test_staleness.py": Sample(40, r"[^:]*"),
    "tests/data/test_worker_processes.py": Sample(1, ""),
    "tests/data/test_workers.py": Sample(1, ""),
    "tests/frontend/test_conformance.py": Sample(2, _CALL),
    "tests/frontend/test_attention.py": Sample(4, r"[^-]*"),  # of each shape
    "tests/frontend/test_storage_dtypes.py": Sample(2, _FIRST),  # of each program
    "tests/frontend/test_views_inplace.py": Sample(100, ""),
    "tests/frontend/test_data_errors.py": Sample(1, r".*"),
    "tests/masked/test_masked.py": Sample(4, _FIRST),  # of each function
    "tests/nn/test_all_modules.py": Sample(2, r"[^(]*"),  # of each layer
    "tests/nn/test_parametrizations.py": Sample(1, _CALL),
    "tests/nn/test_prune.py": Sample(1, _CALL),
    "tests/examples/test_examples.py": Sample(3, ""),
    "tests/optim/test_direct_steps.py": Sample(1, _FIRST),  # of each event
    "tests/optim/test_families.py": Sample(1, _CALL),  # of each optimizer
    "tests/optim/test_family_plans.py": Sample(1, _CALL),
    "tests/optim/test_schedules.py": Sample(1, r"[^,(-]*"),
    "tests/optim/test_special_optimizers.py": Sample(2, _CALL),
    "tests/nn/test_ctc.py": Sample(8, ""),
    "tests/nn/test_recurrent.py": Sample(12, ""),
    "tests/nn/test_transformer.py": Sample(12, ""),
    "tests/programs/test_programs.py": Sample(1, r"[^/]*"),  # of each folder
    "tests/runtime/test_numpy_calls.py": Sample(6, _FIRST),
    "tests/runtime/test_numpy_calls_conv.py": Sample(3, _FIRST),
    "tests/runtime/test_numpy_calls_indexing.py": Sample(6, _FIRST),
    "tests/inspect/report/test_provenance_of_examples.py": Sample(1, ""),
    "tests/runtime/test_numpy_calls_order.py": Sample(12, _FIRST),
    "tests/scripts/test_reported_programs.py": Sample(1, ""),
    "tests/scripts/test_run.py": Sample(1, ""),
    "tests/targets/cuda/test_determinism.py": Sample(4, ""),
    "tests/targets/cuda/test_alignment.py": Sample(3, ""),
    "tests/targets/cuda/test_dtypes.py": Sample(2, ""),
    "tests/targets/cuda/test_pointwise.py": Sample(3, ""),
    "tests/targets/cuda/test_kernels.py": Sample(8, ""),
    "tests/targets/cuda/test_library.py": Sample(8, ""),
    "tests/targets/cuda/test_linear_algebra.py": Sample(12, ""),
    "tests/targets/c/test_calls_indexing.py": Sample(3, _FIRST),
    "tests/targets/c/test_calls_layout.py": Sample(6, _FIRST),
    "tests/targets/c/test_calls_lines.py": Sample(6, _FIRST),
    "tests/targets/c/test_calls_pooling.py": Sample(6, _FIRST),
    "tests/targets/c/test_contraction.py": Sample(6, _FIRST),
    "tests/targets/c/test_reductions.py": Sample(6, ""),
    "tests/cuda_emulator/test_faults.py": Sample(1, r"[^-]*"),  # an order of each fault
    "tests/targets/cuda/test_machine_code.py": Sample(1, ""),
    "tests/vision/test_models.py": Sample(3, ""),
    "tests/vision/test_ops.py": Sample(8, ""),
    "tests/vision/test_transforms.py": Sample(12, ""),
    "tests/vision/test_transforms_of_samples.py": Sample(6, ""),
    "tests/vision/test_utils.py": Sample(4, ""),
    "tests/test_docs.py": Sample(2, ""),
    "tests/zoo/test_zoo.py": Sample(1, ""),
}

# What does not run plans, or chooses itself what runs them.
INDEPENDENT_OF_BACKEND = (
    # what is recorded, inferred, rewritten, printed and read; values come from the tests' own evaluator
    r"ir/(?!test_moments)",
    r"autodiff/",
    r"passes/test_(?!destinations|merging|pick_early)",
    r"inspect/",
    r"conformance/test_names",
    r"func/test_costs",
    r"optim/test_(plans|direct_steps|interrupts|families|family_plans|schedules|special_optimizers|averages)",
    r"runtime/test_dynamic",
    # files, names, stubs, texts, messages, documents
    r"(export|saving)/",
    r"data/",
    r"scripts/test_(command_line|paths_of_modules|reported_programs|run)",
    r"(utils/|devices/test_absent_devices|compiling/test_unread_settings)",
    r"(vision|watching)/",
    r"examples/test_examples\.py::(?!.*\[matrix_factorization\])",
    r"frontend/test_(messages|paths|printing|public_names|tensor_types|devices)",
    r"(oracle|typing)/",
    r"frontend/test_conformance.py::test_raises_as_torch",
    r"nn/test_(containers|module|init|embedding|transformer|parametrizations|prune)",
    r"nn/test_(far_values|functional_samples|lazy|names|resizing)",
    r"nn/test_recurrent\.py::(?!test_layers)",
    r"nn/test_ctc\.py::(?!test_like_torch)",
    r"(distributions/test_(?!plans)|quantized/)",
    r"nn/test_all_modules.py::test_(made|computes|state)",
    r"optim/test_optimizer",
    r"compiling/test_(guard|guard_names|interface|staleness)",
    r"array_api/test_against_strict.py::test_(docstrings|names|other_names|signatures)",
    r"test_(deep_graphs|docs|imports|readme|selection)",
    r"typing/",
    # functions that are called without a plan: numpy's, the C library's, generators, the cache, locks
    r"runtime/test_numpy_",
    r"runtime/test_(background|buffer|cache_trust|collector|error_function|forks|philox)",
    r"runtime/test_(at_once|backend_choice|interpreter|preparation|tape)",
    r"runtime/test_(index_range|multiprocessing|null_device|plan_cache|random_streams|select|threads|tiers|trust)",
    r"frontend/test_random\.",
    # they render and run both forms, or one of them, whatever the backend is
    r"codegen/",
    r"targets/",
    r"fuzz/test_(differential|sanitized|emulated)",
    r"(cuda|cuda_emulator|gpu)/",
)
takes_all = False  # with --whole or --rest; set before any test is imported
_independent = re.compile("|".join(f"tests/(?:{pattern})" for pattern in INDEPENDENT_OF_BACKEND))


def depends_on_backend(item: pytest.Item) -> bool:
    return _independent.match(item.nodeid) is None


# Folders whose tests ask what comes out, and tests in them that ask how: what is planned, kept, and traced again.
_ABOUT_VALUES = re.compile(r"tests/(examples/test_examples|frontend|nn|autograd|optim|conformance|autodiff)[/.]")
ABOUT_PLANS = (
    r"optim/test_(plans|direct_steps|family_plans|schedules|special_optimizers)",
    r"autograd/test_staged_sweep",
    r"frontend/test_(tracing|torch_function)",
    r"nn/test_ctc\.py::test_other_lengths_are_the_same_program",
)
_about_plans = re.compile("|".join(f"tests/(?:{pattern})" for pattern in ABOUT_PLANS))


def is_about_values(item: pytest.Item) -> bool:
    return _ABOUT_VALUES.match(item.nodeid) is not None and _about_plans.match(item.nodeid) is None


def runs_in_each_way(item: pytest.Item) -> bool:
    """Whether a sample runs a test four times, in all ways that a program is run in."""
    return stable_hash(item.nodeid) % 20 == 0


def can_run_again(item: pytest.Function) -> bool:
    """Whether nothing was made for one run of a test, such as a tensor to write to, that the next would meet."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    asked_for = [name for name in item._fixtureinfo.argnames if name not in parameters]
    fixtures = [item._fixtureinfo.name2fixturedefs.get(name) for name in asked_for]
    return all(found is not None and found[-1].scope != "function" for found in fixtures)


def is_deeper(item: pytest.Item) -> bool:
    return item.get_closest_marker("deeper") is not None


def share(count: int) -> int:
    """How many examples a test draws, or how large its graph is: ``count`` in a whole run, a third of it in a sample.

    Such a test is marked ``deeper``, so that --rest runs it too.
    """
    return count if takes_all else -(-count // 3)


def stable_hash(text: str) -> int:
    """The same number in every run, on every machine."""
    return zlib.crc32(text.encode())


def one_of_four(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """What runs where each case waits for a compiler."""
    return {item for item in items if stable_hash(item.nodeid) % 4 == 0}


def sampled(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """The items of the sample: those of no table nor marked ``whole``, and of each group the lowest hashes."""
    groups: dict[tuple[str, str, str], list[pytest.Item]] = defaultdict(list)
    kept: set[pytest.Item] = set()
    for item in items:
        if item.get_closest_marker("whole") is not None:
            continue
        path, _, test = item.nodeid.partition("::")
        name, bracket, case = test.partition("[")
        if bracket and path in SAMPLES:
            group = re.match(SAMPLES[path].pattern, case)
            groups[path, name, group[0] if group else ""].append(item)
        else:
            kept.add(item)
    for (path, _, _), cases in groups.items():
        kept.update(sorted(cases, key=lambda item: stable_hash(item.nodeid))[: SAMPLES[path].cases])
    return kept
