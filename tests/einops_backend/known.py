"""einops' own tests that lazygrad does not pass, or that do not ask it: test → reason."""

_REMEMBERED = "asks for fullgraph=True; einops' functions remember results (functools.cache), so calls are not replayed"

EXCEPTIONS = {
    "test_layers.py::test_torch_layers_scripting": "torch.jit.script compiles Python source; lazygrad compiles graphs",
    "test_other.py::test_einops_threading": "runs a program with torch; test_threads_find_the_backend is ours",
    "test_ops.py::test_torch_compile_with_dynamic_shape": _REMEMBERED,
    "test_other.py::test_torch_compile_for_functions": _REMEMBERED,
}
