"""Looking at programs: their forms, their kernels, the decisions behind them."""

from lazygrad.inspect.checking.check import CheckReport, check
from lazygrad.inspect.comparing.compare import Comparison, compare
from lazygrad.inspect.compile_for import Compiled, compile_for
from lazygrad.inspect.environment.cache import CacheInfo, cache_info
from lazygrad.inspect.explain import explain_cache_miss, explain_fusion
from lazygrad.inspect.kernels.override import override
from lazygrad.inspect.kernels.taken_kernel import TakenKernel
from lazygrad.inspect.profiling.profile import profile, record_function
from lazygrad.inspect.report import Report, explain
from lazygrad.inspect.stages.forms import FORM_NAMES, Form, Forms, dump, last_step, stages
from lazygrad.inspect.stages.stepping import graph_diff
from lazygrad.inspect.summary import Summary, summary

__all__ = [
    "FORM_NAMES",
    "CacheInfo",
    "CheckReport",
    "Comparison",
    "Compiled",
    "cache_info",
    "Form",
    "Forms",
    "Report",
    "Summary",
    "TakenKernel",
    "check",
    "compare",
    "compile_for",
    "graph_diff",
    "dump",
    "explain",
    "explain_cache_miss",
    "explain_fusion",
    "last_step",
    "override",
    "profile",
    "record_function",
    "stages",
    "summary",
]
