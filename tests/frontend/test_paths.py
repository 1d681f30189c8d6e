"""Modules by PyTorch's paths, former names, and what is left out: it imports, and says what to use when called."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import error_class

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

PATHS = {
    "utils.data": "DataLoader Dataset Subset random_split",
    "utils.data.sampler": "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler",
    "utils.data.distributed": "DistributedSampler",
    "utils.data.dataset": "ChainDataset ConcatDataset Dataset IterableDataset Subset TensorDataset random_split",
    "utils.data.dataloader": "DataLoader default_collate get_worker_info",
    "utils.data._utils.collate": "collate_float_fn collate_int_fn collate_numpy_array_fn collate_numpy_scalar_fn "
    "collate_str_fn collate_tensor_fn default_collate default_collate_err_msg_format default_convert "
    "np_str_obj_array_pattern",
    "utils.data._utils.pin_memory": "pin_memory",
    "utils.hooks": "RemovableHandle",
    "utils._device": "_device_constructors device_decorator set_device",
    "utils.model_zoo": "load_url",
    "amp": "GradScaler autocast custom_bwd custom_fwd",
    "nn.functional": "_canonical_mask _in_projection _in_projection_packed _none_or_dtype handle_torch_function "
    "has_torch_function",
    "nn.init": "_calculate_fan_in_and_fan_out _no_grad_fill_ _no_grad_normal_ _no_grad_trunc_normal_ _no_grad_uniform_",
    "nn.common_types": "_size_1_t _size_2_t _size_any_t _ratio_2_t _maybe_indices_t _tensor_list_t",
    "optim.lr_scheduler": "LRScheduler _LRScheduler Optimizer",
    "nn.modules.transformer": "Transformer _get_activation_fn _get_clones",
    "utils.checkpoint": "checkpoint checkpoint_sequential check_backward_validity detach_variable get_device_states "
    "set_checkpoint_debug_enabled set_checkpoint_early_stop set_device_states",
    "nn.modules": "Module Linear Conv2d BatchNorm2d ReLU CrossEntropyLoss Sequential ModuleList Dropout Embedding",
    "nn.modules.activation": "ReLU GELU Softmax PReLU",
    "nn.modules.batchnorm": "BatchNorm1d BatchNorm2d LazyBatchNorm2d SyncBatchNorm _BatchNorm _NormBase",
    "nn.modules.channelshuffle": "ChannelShuffle",
    "nn.modules.distance": "CosineSimilarity PairwiseDistance",
    "nn.modules.fold": "Fold Unfold",
    "nn.modules.instancenorm": "InstanceNorm2d LazyInstanceNorm2d _InstanceNorm",
    "nn.modules.lazy": "LazyModuleMixin",
    "nn.modules.padding": "ConstantPad2d ReflectionPad2d ZeroPad2d _ConstantPadNd _ReflectionPadNd",
    "nn.modules.pixelshuffle": "PixelShuffle PixelUnshuffle",
    "nn.modules.upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "nn.modules.container": "ModuleDict ModuleList ParameterDict ParameterList Sequential Module Parameter",
    "nn.modules.conv": "Conv1d Conv2d ConvTranspose2d LazyConv2d _ConvNd _ConvTransposeNd "
    "_pair _reverse_repeat_tuple _single _triple Module Parameter",
    "nn.modules.dropout": "Dropout Dropout2d _DropoutNd",
    "nn.modules.flatten": "Flatten Unflatten",
    "nn.modules.linear": "Bilinear Identity LazyLinear Linear",
    "nn.modules.loss": "CrossEntropyLoss MSELoss _Loss _WeightedLoss Module Tensor",
    "nn.modules.module": "Module Parameter Tensor _addindent",
    "nn.modules.normalization": "GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    "nn.modules.pooling": "AvgPool2d MaxPool2d _AdaptiveMaxPoolNd _LPPoolNd _MaxPoolNd _MaxUnpoolNd",
    "nn.modules.sparse": "Embedding",
    "nn.modules.utils": "_ntuple _pair _quadruple _single _triple "
    "_reverse_repeat_tuple consume_prefix_in_state_dict_if_present",
    "nn.parallel": "DataParallel DistributedDataParallel data_parallel",
    "nn.parameter": "Buffer Parameter UninitializedBuffer UninitializedParameter is_lazy",
    "autograd.variable": "Variable",
    "autograd.function": "Function InplaceFunction once_differentiable",
    "cuda.amp": "GradScaler autocast custom_bwd custom_fwd",
    "cuda.nvtx": "mark range range_end range_pop range_push range_start",
    "cpu": "Event Stream amp current_device current_stream device_count is_available is_initialized "
    "set_device stream synchronize",
    "cpu.amp": "GradScaler autocast",
    "mps": "Event compile_shader current_allocated_memory device_count driver_allocated_memory empty_cache "
    "get_rng_state is_available manual_seed recommended_max_memory seed set_per_process_memory_fraction set_rng_state "
    "synchronize",
    "xpu": "Event Stream current_device current_stream device device_count empty_cache get_arch_list get_device_name "
    "get_device_properties get_rng_state_all is_available is_bf16_supported is_initialized manual_seed manual_seed_all "
    "max_memory_allocated memory_allocated memory_reserved memory_stats reset_peak_memory_stats seed set_device "
    "synchronize",
    "version": "__version__ cuda debug git_version hip",
    "compiler": "allow_in_graph compile cudagraph_mark_step_begin disable is_compiling list_backends reset",
    "accelerator": "current_accelerator device_count is_available synchronize",
    "distributed": "ReduceOp all_gather all_reduce barrier init_process_group is_available is_initialized",
    "distributed.tensor": "DTensor",
    "distributed.fsdp": "BackwardPrefetch CPUOffload FullStateDictConfig FullyShardedDataParallel MixedPrecision "
    "ShardingStrategy StateDictType fully_shard",
    "distributed.fsdp.wrap": "ModuleWrapPolicy enable_wrap size_based_auto_wrap_policy transformer_auto_wrap_policy",
    "distributed.nn": "all_gather all_reduce",
    "distributed.nn.functional": "all_gather all_reduce",
    "jit": "ScriptModule annotate export ignore is_scripting is_tracing load save script trace unused",
    "_jit_internal": "BroadcastingList2 Dict Final List Optional Tuple _copy_to_script_wrapper _overload "
    "_overload_method boolean_dispatch export ignore is_scripting unused",
    "fx": "GraphModule Interpreter Node Proxy Tracer Transformer replace_pattern symbolic_trace wrap",
    "onnx": "export",
    "masked": "MaskedTensor amax amin argmax argmin as_masked_tensor cumprod cumsum is_masked_tensor log_softmax "
    "logaddexp logsumexp masked_tensor mean median norm normalize prod softmax softmin std sum var",
    "library": "CustomOpDef Library custom_op define impl impl_abstract infer_schema opcheck register_autograd "
    "register_fake register_kernel register_vmap triton_op",
    "utils.weak": "TensorWeakRef WeakIdKeyDictionary WeakIdRef WeakTensorKeyDictionary",
    "utils.benchmark": "Colorize Compare Language Measurement TaskSpec Timer ordered_unique select_unit "
    "set_torch_threads timer trim_sigfig unit_to_english",
    "utils.benchmark.utils.common": "Measurement TaskSpec",
    "utils.benchmark.utils.compare": "Colorize Compare",
    "utils.benchmark.utils.timer": "Language Timer timer",
    "nn.grad": "conv1d_input conv1d_weight conv2d_input conv2d_weight conv3d_input conv3d_weight",
    "nn._reduction": "get_enum legacy_get_enum legacy_get_string",
    "nn.parallel.scatter_gather": "gather scatter scatter_kwargs",
    "nn.parallel.distributed": "DistributedDataParallel",
    "optim._functional": "adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop sgd sparse_adam",
    "multiprocessing": "Pool Process ProcessRaisedException Queue cpu_count get_all_sharing_strategies get_context "
    "get_sharing_strategy set_sharing_strategy set_start_method spawn start_processes",
    "hub": "download_url_to_file help list load load_state_dict_from_url",
}


@pytest.mark.parametrize("path", PATHS)
def test_a_module_has_the_names_of_pytorchs(path: str) -> None:
    theirs, ours = importlib.import_module(f"torch.{path}"), importlib.import_module(f"lazygrad.{path}")
    for name in PATHS[path].split():
        assert hasattr(theirs, name), f"torch.{path} has no {name} any more"
        assert hasattr(ours, name), name


def test_the_same_things_by_all_paths() -> None:
    from lazygrad.nn.modules.batchnorm import _BatchNorm
    from lazygrad.nn.modules.conv import Conv2d, _ConvNd
    from lazygrad.utils.data.dataloader import default_collate
    from lazygrad.utils.data.sampler import Sampler

    assert Sampler is lg.utils.data.Sampler and default_collate is lg.data.default_collate and Conv2d is lg.nn.Conv2d
    assert isinstance(lg.nn.BatchNorm2d(2), _BatchNorm) and isinstance(lg.nn.Conv1d(1, 1, 1), _ConvNd)


@pytest.mark.parametrize("program", [
    "import lazygrad.nn as nn; nn.modules.batchnorm._BatchNorm; nn.modules.Linear; nn.parallel.DataParallel",
    "import lazygrad as lg; lg.utils.data.sampler.Sampler; lg.utils.data.dataloader.default_collate",
    "import lazygrad as lg; lg.jit.ignore; lg.hub.load; lg.fx.Node; lg.compiler.disable; lg.version.cuda",
    "import lazygrad.backends.cudnn as cudnn; cudnn.benchmark = True; import lazygrad; "
    "assert lazygrad.backends.cudnn.benchmark; import lazygrad.backends.cuda.matmul, lazygrad.backends.mps",
    "import lazygrad.jit, lazygrad.hub, lazygrad.fx, lazygrad.compiler, lazygrad.distributed, lazygrad.cuda.amp",
])  # fmt: skip
def test_paths_are_followed_without_importing_their_ends(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_pairs() -> None:
    for name in ("_single", "_pair", "_triple", "_quadruple"):
        ours, theirs = getattr(lg.nn.modules.utils, name), getattr(torch.nn.modules.utils, name)
        for value in (3, (1, 2), [4], "ab"):
            assert ours(value) == theirs(value)


# Former names.


def _outcome(program: Any, t: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = program(t)
        except Exception as error:
            return error_class(error), str(error)
    return result, [warning.category for warning in caught]


def _variables(t: Any) -> Any:
    variable, leaf = t.autograd.Variable, t.ones(2, requires_grad=True)
    made = variable(leaf * 2)
    data = t.zeros(2)
    variable(data).add_(1)
    second = variable(t.ones(2), True)
    (second * 3).sum().backward()
    kinds = [isinstance(value, variable) for value in (leaf, t.nn.Parameter(leaf), made, 3)]
    return made.requires_grad, made.is_leaf, data.tolist(), second.grad.tolist(), kinds, variable().tolist()


def _only_inputs(t: Any) -> Any:
    x = t.ones(2, requires_grad=True)
    return [t.autograd.grad(x.sum(), x, only_inputs=choice)[0].tolist() for choice in (True, False)]


@pytest.mark.parametrize("program", [
    _variables,
    _only_inputs,
    lambda t: t.autograd.Variable(t.ones(1), volatile=True).tolist(),
    lambda t: t.autograd.Variable(t.ones(1), requires_grad=True, volatile=True),
    lambda t: t.autograd.Variable([1.0]),
    lambda t: t.autograd.Variable(t.ones(1, dtype=t.int64), requires_grad=True),
])  # fmt: skip
def test_former_names_equal_torchs(program: Any) -> None:
    assert _outcome(program, lg) == _outcome(program, torch)


def test_grad_takes_its_arguments_in_pytorchs_order() -> None:
    import inspect

    def names(t: Any) -> list[str]:
        return list(inspect.signature(t.autograd.grad).parameters)

    assert names(lg) == names(torch)


# Devices that are not there.


def test_cuda_answers_what_it_has() -> None:
    assert hasattr(lg.cuda, "amp") and hasattr(lg.cuda, "is_available")
    assert not hasattr(lg.cuda, "nccl") and getattr(lg.cuda, "nccl", None) is None
    with pytest.raises(RuntimeError, match=r"no cuda.nccl; ask cuda.is_available\(\) first"):
        _ = lg.cuda.nccl


def test_cuda_amp_runs_without_cuda() -> None:
    def run(t: Any) -> Any:
        layer = t.nn.Linear(2, 1)
        optimizer = t.optim.SGD(layer.parameters(), lr=0.1)
        scaler = t.cuda.amp.GradScaler()
        with t.cuda.amp.autocast():
            loss = layer(t.ones(1, 2)).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.dtype is t.float32, bool((layer.weight.grad > 0).all())

    (ours, categories), (theirs, _) = _outcome(run, lg), _outcome(run, torch)
    assert ours == theirs and FutureWarning in categories


def test_a_bool_chooses_between_functions() -> None:
    def run(t: Any) -> Any:
        part = t._jit_internal
        chosen = part.boolean_dispatch("flag", 1, False, lambda x, flag=True: x, lambda x, flag=False: -x, "m", "name")
        return chosen(3), chosen(3, True), chosen(3, flag=True), chosen(3, flag=False), chosen.__name__

    assert run(lg) == run(torch)


def test_accelerator_and_distributed_are_absent() -> None:
    from lazygrad.distributed import nn as distributed_nn

    assert not lg.accelerator.is_available() and lg.accelerator.device_count() == 0
    assert lg.accelerator.current_accelerator() is None
    assert not lg.distributed.is_available() and not lg.distributed.is_initialized()
    with pytest.raises(NotImplementedError, match="one process"):
        lg.distributed.init_process_group("gloo")
    with pytest.raises(NotImplementedError, match=r"distributed\.all_reduce: lazygrad computes in one process"):
        distributed_nn.all_reduce(lg.ones(2), op=lg.distributed.ReduceOp.SUM)
    assert not lg.distributed.is_nccl_available()
    with pytest.raises(AttributeError, match="no attribute 'all_reduced'"):
        lg.distributed.all_reduced  # noqa: B018


def test_data_parallel_calls_the_module() -> None:
    def run(t: Any) -> Any:
        t.manual_seed(0)
        layer = t.nn.Linear(2, 1)
        wrapped = t.nn.DataParallel(layer, device_ids=[0])
        out = wrapped(t.ones(1, 2))
        return out.tolist(), sorted(wrapped.state_dict()), wrapped.module is layer, wrapped.device_ids

    assert run(lg) == run(torch)
    with pytest.raises(NotImplementedError, match="call the module itself"):
        lg.nn.parallel.DistributedDataParallel(lg.nn.Linear(1, 1))


# Left out.

REFUSED = {
    "jit.trace": "lazygrad.compile",
    "jit.save": "state_dict",
    "jit.load": "lazygrad.load",
    "jit.freeze": "lazygrad.compile",
    "jit.ScriptModule": "lazygrad.compile",
    "hub.load": "lazygrad.load",
    "hub.download_url_to_file": "lazygrad.load",
}


def test_hub_reads_files_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their name, where PyTorch would have put them."""
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(lg.hub, "_chosen", None)
    url = "https://example.org/weights/net-abc123.pth?download=1"
    folder = tmp_path / "hub" / "checkpoints"
    with pytest.raises(FileNotFoundError, match=re.escape(f"{folder / 'net-abc123.pth'} is not there")):
        lg.hub.load_state_dict_from_url(url)
    folder.mkdir(parents=True)
    lg.save({"weight": lg.arange(3)}, folder / "net-abc123.pth")
    assert lg.hub.load_state_dict_from_url(url)["weight"].tolist() == [0, 1, 2]
    lg.hub.set_dir(tmp_path / "elsewhere")
    assert lg.hub.get_dir() == str(tmp_path / "elsewhere")
    assert lg.hub.load_state_dict_from_url(url, model_dir=folder)["weight"].tolist() == [0, 1, 2]
    assert lg.hub.HASH_REGEX.search(url)[1] == "abc123"


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_left_out_says_what_to_use(path: str) -> None:
    module, name = path.split(".")
    with pytest.raises(NotImplementedError, match=f"lazygrad has no {path}: .*{REFUSED[path]}"):
        getattr(getattr(lg, module), name)(lg.ones(1))


def test_classes_that_are_left_out_can_be_named() -> None:
    class Mine(lg.jit.ScriptModule):
        pass

    assert not isinstance(lg.nn.Linear(1, 1), (lg.jit.ScriptModule, lg.fx.GraphModule, Mine))
    with pytest.raises(NotImplementedError, match="ScriptModule"):
        Mine()


def test_functions_decorated_for_torchscript_run_as_they_are() -> None:
    program = """
import warnings
import lazygrad as lg

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")

    @lg.jit.script
    def double(x):
        return x * 2

    @lg.jit.script
    def triple(x):
        return x * 3

assert [str(w.message).startswith("jit.script compiles nothing here") for w in caught] == [True]

class Model(lg.nn.Module):
    @lg.jit.ignore
    def names(self):
        return {"a"}

    @lg.jit.ignore(drop=True)
    def more(self):
        return {"b"}

    @lg.jit.unused
    def unused(self):
        return {"c"}

    @lg.jit.export
    def forward(self, x):
        return double(x) if not lg.jit.is_scripting() else x

model = Model()
assert model(lg.ones(1)).item() == 2 and triple(lg.ones(1)).item() == 3
assert model.names() | model.more() | model.unused() == {"a", "b", "c"}
try:
    lg.jit.script(model)
except NotImplementedError as error:
    assert "lazygrad.compile(module)" in str(error)
else:
    raise AssertionError("a module was scripted")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_compiler_knows_when_a_call_is_recorded() -> None:
    answers: list[bool] = []

    @lg.compiler.disable
    def part(x: lg.Tensor) -> lg.Tensor:
        return x + 1

    @lg.compiler.disable(recursive=False)
    def other(x: lg.Tensor) -> lg.Tensor:
        answers.append(lg.compiler.is_compiling())
        return part(x) * 2

    assert lg.compiler.compile(other)(lg.ones(1)).item() == 4
    other(lg.ones(1))
    assert answers[0] is True and answers[-1] is False


@pytest.mark.parametrize(("length", "replicas"), [(10, 2), (11, 3), (2, 5), (0, 2), (12, 4)])
@pytest.mark.parametrize("options", [{}, {"shuffle": False}, {"drop_last": True}, {"seed": 3}])
def test_shares_of_a_dataset(length: int, replicas: int, options: dict[str, Any]) -> None:
    def run(t: Any) -> Any:
        samplers = [
            t.utils.data.distributed.DistributedSampler(range(length), replicas, rank, **options)
            for rank in range(replicas)
        ]
        epochs = []
        for epoch in range(2):
            for sampler in samplers:
                sampler.set_epoch(epoch)
            epochs.append([list(sampler) for sampler in samplers])
        return epochs, [len(sampler) for sampler in samplers]

    assert run(lg) == run(torch)


def test_a_share_needs_to_be_told_which() -> None:
    with pytest.raises(NotImplementedError, match="one process"):
        lg.utils.data.distributed.DistributedSampler(range(4))
    for t in (torch, lg):
        with pytest.raises(ValueError, match="Invalid rank 2, rank should be in the interval"):
            t.utils.data.distributed.DistributedSampler(range(4), 2, 2)


def test_tensors_as_one_vector_and_back() -> None:
    def program(t: Any, module: Any) -> Any:
        tensors = [t.arange(6.0).reshape(2, 3).t(), t.tensor(3.0), t.ones(2)]
        flat = module._flatten_dense_tensors(tensors)
        parts = module._unflatten_dense_tensors(flat, tensors)
        parts[0].mul_(10)  # a view of the vector
        return flat.tolist(), [part.tolist() for part in parts], [part.shape for part in parts]

    from lazygrad.utils import flattening

    assert program(lg, flattening) == program(torch, torch._utils)
    for t, module in ((lg, flattening), (torch, torch._utils)):
        with pytest.raises(RuntimeError, match="exceeds dimension size"):
            module._unflatten_dense_tensors(t.ones(3), [t.ones(2, 3)])


def asked_before_a_device_is_chosen(t: Any) -> list[Any]:
    strategies = t.multiprocessing.get_all_sharing_strategies()
    t.multiprocessing.set_sharing_strategy("file_system")
    found = [strategies, t.multiprocessing.get_sharing_strategy()]
    t.multiprocessing.set_sharing_strategy("file_descriptor")
    with pytest.raises(AssertionError, match="invalid sharing strategy 'memory', expected one of"):
        t.multiprocessing.set_sharing_strategy("memory")
    for call in (t.xpu.empty_cache, lambda: t.xpu.manual_seed_all(3), lambda: t.mps.manual_seed(3)):
        found.append(call())
    found += [t.xpu.is_available(), t.xpu.is_initialized(), t.xpu.is_bf16_supported(), t.xpu.device_count()]
    found += [t.xpu.memory_allocated(), t.xpu.max_memory_reserved(), t.mps.is_available(), t.mps.device_count()]
    found.append(t.is_autocast_cpu_enabled())
    with t.autocast("cpu"):
        return [*found, t.is_autocast_cpu_enabled()]


@pytest.mark.filterwarnings("ignore:torch.is_autocast_cpu_enabled")
def test_devices_that_are_not_there_are_asked_for() -> None:
    assert asked_before_a_device_is_chosen(lg) == asked_before_a_device_is_chosen(torch)


@pytest.mark.parametrize("name", ["_jit_set_profiling_executor", "_jit_set_profiling_mode", "_jit_set_autocast_mode"])
def test_switches_of_scripts_answer_what_they_were(name: str) -> None:
    """speechbrain sets them when it is imported."""

    def compute(framework: Any) -> list[bool]:
        switch = getattr(framework._C, name)
        before = switch(False)
        answers = [before, switch(True), switch(False), switch(before)]
        framework._C._jit_override_can_fuse_on_cpu(False)
        framework._C._jit_override_can_fuse_on_gpu(False)
        return answers

    assert compute(lg) == compute(torch)
