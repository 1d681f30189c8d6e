"""The table of a model's layers is torchinfo's, and is made without computing anything."""

# ruff: noqa: E501 (tables are as wide as they are)

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn

TABLE = """
==========================================================================================
Layer (type:depth-idx)                   Output Shape              Param #
==========================================================================================
Net                                      [7, 10]                   3
├─Conv2d: 1-1                            [7, 4, 24, 24]            104
├─Dropout2d: 1-2                         [7, 4, 24, 24]            --
├─ModuleList: 1-3                        --                        --
│    └─Sequential: 2-1                   [7, 4]                    --
│    │    └─Linear: 3-1                  [7, 4]                    20
│    │    └─ReLU: 3-2                    [7, 4]                    --
│    └─Sequential: 2-2                   [7, 4]                    --
│    │    └─Linear: 3-3                  [7, 4]                    20
│    │    └─ReLU: 3-4                    [7, 4]                    --
├─Linear: 1-4                            [7, 4]                    20
├─Linear: 1-5                            [7, 4]                    (recursive)
├─Linear: 1-6                            [7, 10]                   (50)
==========================================================================================
Total params: 217
Trainable params: 167
Non-trainable params: 50
Total mult-adds (M): 0.42
==========================================================================================
Input size (MB): 0.02
Forward/backward pass size (MB): 0.13
Params size (MB): 0.00
Estimated Total Size (MB): 0.15
==========================================================================================
"""  # as torchinfo 1.8.0 prints it


WITH_ALL_COLUMNS = """
==========================================================================================================================================
Layer (type (var_name))                  Kernel Shape   Input Shape    Output Shape   Param #        Param %        Mult-Adds      Trainable
==========================================================================================================================================
Net (Net)                                --             [1, 1, 28, 28] [1, 10]        3                1.38%        --             Partial
+ scale                                  [3]                                          └─3
+ Conv2d (convolution)                   [5, 5]         [1, 1, 28, 28] [1, 4, 24, 24] 104             47.93%        59,904         True
|    + weight                            [1, 4, 5, 5]                                 ├─100
|    + bias                              [4]                                          └─4
+ Dropout2d (dropout)                    --             [1, 4, 24, 24] [1, 4, 24, 24] --                  --        --             --
+ ModuleList (blocks)                    --             --             --             --                  --        --             True
|    + 0.0.weight                        [4, 4]                                       ├─16
|    + 0.0.bias                          [4]                                          ├─4
|    + 1.0.weight                        [4, 4]                                       ├─16
|    + 1.0.bias                          [4]                                          └─4
|    + Sequential (0)                    --             [1, 4]         [1, 4]         20               9.22%        20             True
|    |    + 0.weight                     [4, 4]                                       ├─16
|    |    + 0.bias                       [4]                                          └─4
|    + Sequential (1)                    --             [1, 4]         [1, 4]         20               9.22%        20             True
|    |    + 0.weight                     [4, 4]                                       ├─16
|    |    + 0.bias                       [4]                                          └─4
+ Linear (shared)                        --             [1, 4]         [1, 4]         20               9.22%        20             True
|    + weight                            [4, 4]                                       ├─16
|    + bias                              [4]                                          └─4
+ Linear (last)                          --             [1, 4]         [1, 10]        (50)            23.04%        50             False
|    + weight                            [4, 10]                                      ├─40
|    + bias                              [10]                                         └─10
==========================================================================================================================================
Total params: 217
Trainable params: 167
Non-trainable params: 50
Total mult-adds (M): 0.06
==========================================================================================================================================
Input size (MB): 0.00
Forward/backward pass size (MB): 0.02
Params size (MB): 0.00
Estimated Total Size (MB): 0.02
==========================================================================================================================================
"""

WITHOUT_INPUT = """
=================================================================
Layer (type:depth-idx)                   Param #
=================================================================
Net                                      3
├─Conv2d: 1-1                            104
├─Dropout2d: 1-2                         --
├─ModuleList: 1-3                        --
│    └─Sequential: 2-1                   --
│    │    └─Linear: 3-1                  20
│    │    └─ReLU: 3-2                    --
│    └─Sequential: 2-2                   --
│    │    └─Linear: 3-3                  20
│    │    └─ReLU: 3-4                    --
├─Linear: 1-4                            20
├─Linear: 1-5                            (50)
=================================================================
Total params: 217
Trainable params: 167
Non-trainable params: 50
=================================================================
"""


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(1, 4, 5)
        self.dropout = nn.Dropout2d()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(2)])
        self.shared = nn.Linear(4, 4)
        self.scale = nn.Parameter(lg.ones(3))
        self.last = nn.Linear(4, 10).requires_grad_(False)
        self.seen: list[lg.Tensor] = []

    def forward(self, x: Any) -> Any:
        x = self.dropout(self.convolution(x)).mean(1)[:, 0, :4]
        for block in self.blocks:
            x = block(x)
        x = self.last(self.shared(self.shared(x))) * self.scale.sum()
        self.seen.append(x)
        return x


def test_the_table() -> None:
    model = Net()
    found = lg.summary(model, input_size=(7, 1, 28, 28))
    assert str(found) == TABLE.strip()
    assert (found.total_params, found.trainable_params) == (217, 167)
    assert model.seen[0]._storage.value.value is None, "nothing is computed"
    assert model.training and model.dropout.training and not model._forward_hooks


def test_inputs_of_other_kinds_and_depths() -> None:
    model = nn.Sequential(nn.Embedding(9, 4), nn.Sequential(nn.Linear(4, 2), nn.Sequential(nn.Tanh())))
    by_size = lg.summary(model, (2, 3), dtypes=[lg.int64], depth=1)
    assert str(by_size) == str(lg.summary(model, input_data=lg.zeros(2, 3, dtype=lg.int64), depth=1))
    assert "3-1" not in str(by_size) and "├─Sequential: 1-2                        [2, 3, 2]                 10" in str(
        by_size
    )
    both = lg.summary(nn.Bilinear(2, 3, 4), [(5, 2), (5, 3)])
    assert both.layers[0].output_size == [5, 4] and both.total_params == 28
    for arguments in (
        {"input_size": (1,), "input_data": lg.ones(1)},
        {"input_size": (1, 1), "mode": "x"},
        {"col_names": ["output_size"]},
        {"col_names": ["size"]},
        {"row_settings": ["name"]},
        {"col_width": 0},
        {"verbose": 3},
    ):
        with pytest.raises(ValueError, match="summary: "):
            lg.summary(model, **arguments)


def test_columns_rows_and_details(capsys: pytest.CaptureFixture[str]) -> None:
    columns = "kernel_size input_size output_size num_params params_percent mult_adds trainable".split()
    rows = ["var_names", "ascii_only", "hide_recursive_layers"]
    options: dict[str, Any] = {"col_names": columns, "col_width": 14, "row_settings": rows, "depth": 2, "batch_dim": 0}
    found = lg.summary(Net(), (1, 28, 28), verbose=2, **options)
    assert str(found) == WITH_ALL_COLUMNS.strip() and capsys.readouterr().out == f"{found}\n"
    lg.summary(Net(), (1, 28, 28), **options)
    assert not capsys.readouterr().out


def test_a_model_without_input() -> None:
    model = Net()
    assert str(lg.summary(model)) == WITHOUT_INPUT.strip() and not model.seen
