"""The losses that `test_all_modules` compares with PyTorch's, in all reductions and former spellings of them."""

from __future__ import annotations

from .layers import Input, Layer, classes, given, layer, normal, signs, uniform

SCORES, TARGET = normal(5, 3), normal(5, 3, differentiable=False)
CHANCES, SHARES = uniform(5, 3), uniform(5, 3, differentiable=False)
IMAGE, LABELS = normal(2, 3, 4, 2), classes(3, 2, 4, 2)
WEIGHT = "weight=t.tensor([1.0, 2.0, 0.5])"
POWERS = given([[0, 2, -1], [1, -1, 0], [-1, 0, 1], [2, 1, 0], [0, 1, 2]])

# The arguments of each loss, without the reduction, and what it is called with.
_LOSSES: list[tuple[str, str, tuple[Input, ...]]] = [
    ("L1Loss", "", (SCORES, normal(5, 3))),
    ("MSELoss", "", (SCORES, normal(5, 3))),
    ("SmoothL1Loss", "beta=0.3", (SCORES, TARGET)),
    ("SmoothL1Loss", "beta=0", (SCORES, TARGET)),
    ("HuberLoss", "delta=0.3", (SCORES, normal(5, 3))),
    ("PoissonNLLLoss", "", (SCORES, SHARES)),
    ("PoissonNLLLoss", "log_input=False, full=True, eps=1e-3", (CHANCES, classes(6, 5, 3))),
    ("GaussianNLLLoss", "", (SCORES, TARGET, CHANCES)),
    ("GaussianNLLLoss", "full=True, eps=0.5", (SCORES, TARGET, uniform(5, 1))),
    ("GaussianNLLLoss", "", (SCORES, TARGET, uniform(5))),
    ("KLDivLoss", "", (SCORES, SHARES)),
    ("KLDivLoss", "log_target=True", (SCORES, TARGET)),
    ("BCELoss", "", (CHANCES, SHARES)),
    ("BCELoss", WEIGHT, (CHANCES, SHARES)),
    ("BCEWithLogitsLoss", "", (SCORES, SHARES)),
    ("BCEWithLogitsLoss", f"{WEIGHT}, pos_weight=t.tensor([0.5, 1.0, 3.0])", (SCORES, SHARES)),
    ("NLLLoss", "", (SCORES, classes(3, 5))),
    ("NLLLoss", f"{WEIGHT}, ignore_index=1", (IMAGE, LABELS)),
    ("NLLLoss", "ignore_index=-1", (SCORES, classes(3, 5, lowest=-1))),
    ("CrossEntropyLoss", "", (SCORES, classes(3, 5))),
    ("CrossEntropyLoss", "", (normal(3), classes(3))),
    ("CrossEntropyLoss", f"{WEIGHT}, ignore_index=2, label_smoothing=0.2", (IMAGE, LABELS)),
    ("CrossEntropyLoss", "ignore_index=-1", (normal(2, 3, 4), classes(3, 2, 4, lowest=-1))),
    ("CrossEntropyLoss", f"{WEIGHT}, label_smoothing=0.1", (SCORES, uniform(5, 3))),
    ("CrossEntropyLoss", "", (IMAGE, uniform(2, 3, 4, 2))),
    ("HingeEmbeddingLoss", "margin=0.7", (SCORES, signs(5, 3))),
    ("CosineEmbeddingLoss", "margin=0.2", (SCORES, normal(5, 3), signs(5))),
    ("CosineEmbeddingLoss", "", (normal(3), normal(3), signs())),
    ("MarginRankingLoss", "margin=0.4", (normal(5), normal(5), signs(5))),
    ("SoftMarginLoss", "", (SCORES, signs(5, 3))),
    ("MultiMarginLoss", "", (SCORES, classes(3, 5))),
    ("MultiMarginLoss", f"p=2, margin=0.5, {WEIGHT}", (SCORES, classes(3, 5))),
    ("MultiLabelMarginLoss", "", (SCORES, POWERS)),
    ("MultiLabelSoftMarginLoss", "", (SCORES, classes(2, 5, 3))),
    ("MultiLabelSoftMarginLoss", WEIGHT, (normal(2, 5, 3), classes(2, 2, 5, 3))),
    ("TripletMarginLoss", "", (SCORES, normal(5, 3), normal(5, 3))),
    ("TripletMarginLoss", "margin=0.5, p=1, swap=True, eps=0.01", (SCORES, normal(5, 3), normal(5, 3))),
    ("TripletMarginWithDistanceLoss", "swap=True", (SCORES, normal(5, 3), normal(5, 3))),
    ("TripletMarginWithDistanceLoss", "distance_function=nn.CosineSimilarity(), margin=2.5",
     (SCORES, normal(5, 3), normal(5, 3))),
    ("LinearCrossEntropyLoss", "in_features=3, num_classes=4", (SCORES, classes(4, 5))),
    ("LinearCrossEntropyLoss", "in_features=3, num_classes=4, bias=True, ignore_index=2, label_smoothing=0.1",
     (normal(3), classes(2))),
    ("LinearCrossEntropyLoss", f"in_features=3, num_classes=3, out_features=(2,), bias=True, {WEIGHT}",
     (SCORES, classes(3, 5, 2))),
    ("LinearCrossEntropyLoss", "in_features=3, num_classes=4", (SCORES, uniform(5, 4))),
    ("LinearCrossEntropyLoss", "in_features=3, num_classes=4, options=nn.LinearCrossEntropyOptions(batch_chunk_size=2)",
     (SCORES, classes(4, 5))),
]  # fmt: skip

_REDUCTIONS = ("reduction='mean'", "reduction='sum'", "reduction='none'")


def _with(name: str, arguments: str, reduction: str, inputs: tuple[Input, ...]) -> Layer:
    return layer(f"nn.{name}({', '.join(filter(None, (arguments, reduction)))})", *inputs)


LOSSES = [
    *[_with(name, arguments, each, inputs) for name, arguments, inputs in _LOSSES for each in ("", *_REDUCTIONS[1:])],
    layer("nn.KLDivLoss(reduction='batchmean')", SCORES, SHARES),
    *[
        _with(name, "size_average=False", "", (SCORES, SHARES))
        for name in ("L1Loss", "MSELoss", "SmoothL1Loss", "PoissonNLLLoss", "BCEWithLogitsLoss", "SoftMarginLoss")
    ],
    *[
        _with(name, "reduce=False", "size_average=True", (SCORES, classes(3, 5)))
        for name in ("NLLLoss", "CrossEntropyLoss", "MultiMarginLoss")
    ],
]

# Inputs of CTC are logarithms of probabilities.
_LENGTHS = given([6, 4]), given([3, 2])
CTC = [
    layer("nn.CTCLoss()", normal(6, 2, 5), given([[1, 3, 3], [2, 4, 1]]), *_LENGTHS),
    layer("nn.CTCLoss(blank=4, reduction='sum')", normal(6, 2, 5), given([1, 3, 3, 2, 0]), *_LENGTHS),
    layer("nn.CTCLoss(reduction='none')", normal(6, 2, 5), given([[1, 3, 3], [2, 4, 1]]), *_LENGTHS),
    layer("nn.CTCLoss(zero_infinity=True)", normal(6, 2, 5), given([[1, 3, 3], [2, 4, 1]]), given([3, 4]), _LENGTHS[1]),
    layer("nn.CTCLoss()", normal(6, 5), given([1, 3]), given(6), given(2)),
]
