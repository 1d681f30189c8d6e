"""scikit-learn fits, predicts and scores tensors as it does arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn import (  # noqa: E402
    cluster,
    decomposition,
    ensemble,
    linear_model,
    metrics,
    model_selection,
    neighbors,
    pipeline,
    preprocessing,
    svm,
    tree,
)

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "regression": lambda x, y: linear_model.LinearRegression().fit(x, x[:, 0]).predict(x),
    "ridge": lambda x, y: linear_model.Ridge().fit(x, x).predict(x),
    "logistic regression": lambda x, y: linear_model.LogisticRegression().fit(x, y).predict_proba(x),
    "support vectors": lambda x, y: svm.SVC().fit(x, y).predict(x),
    "tree": lambda x, y: tree.DecisionTreeClassifier(random_state=0).fit(x, y).predict(x),
    "forest": lambda x, y: ensemble.RandomForestClassifier(3, random_state=0).fit(x, y).predict_proba(x),
    "neighbours": lambda x, y: neighbors.KNeighborsClassifier(3).fit(x, y).predict(x),
    "k-means": lambda x, y: cluster.KMeans(2, n_init=1, random_state=0).fit_predict(x),
    "principal components": lambda x, y: decomposition.PCA(2).fit_transform(x),
    "scaler": lambda x, y: preprocessing.StandardScaler().fit_transform(x),
    "range": lambda x, y: preprocessing.MinMaxScaler().fit(x).inverse_transform(x),
    "one hot": lambda x, y: preprocessing.OneHotEncoder().fit_transform(y.reshape(-1, 1)).toarray(),
    "labels": lambda x, y: preprocessing.LabelEncoder().fit_transform(y),
    "pipeline": lambda x, y: pipeline.make_pipeline(
        preprocessing.StandardScaler(), linear_model.SGDClassifier(random_state=0)
    ).fit(x, y).score(x, y),
    "cross validation": lambda x, y: model_selection.cross_val_score(linear_model.LogisticRegression(), x, y, cv=3),
    "folds": lambda x, y: [rows for _, rows in model_selection.StratifiedKFold(4).split(x, y)],
    "accuracy": lambda x, y: metrics.accuracy_score(y, x[:, 0] > 0),
    "confusion": lambda x, y: metrics.confusion_matrix(y, x[:, 0] > 0),
    "f1": lambda x, y: metrics.f1_score(y, x[:, 0] > 0),
    "area": lambda x, y: metrics.roc_auc_score(y, x[:, 0]),
    "curve": lambda x, y: metrics.roc_curve(y, x[:, 0])[1],
    "squared error": lambda x, y: metrics.mean_squared_error(x[:, 0], x[:, 1]),
    "r2": lambda x, y: metrics.r2_score(x[:, 0], x[:, 1]),
    "silhouette": lambda x, y: metrics.silhouette_score(x, y),
}  # fmt: skip


def data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    labels = np.arange(40) % 2
    return (random.normal(size=(40, 3)) + labels[:, None]).astype(np.float32), labels


@pytest.mark.host_memory("scikit-learn reads the memory of tensors")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_tensors_go_in(call: Callable[[Any, Any], Any]) -> None:
    x, y = data()
    np.testing.assert_allclose(call(lg.tensor(x), lg.tensor(y)), call(x, y), rtol=1e-5, atol=1e-6)


@pytest.mark.host_memory("scikit-learn reads the memory of tensors")
def test_tensors_are_split_into_tensors() -> None:
    x, y = data()
    parts = model_selection.train_test_split(lg.tensor(x), lg.tensor(y), test_size=0.25, random_state=0)
    expected = model_selection.train_test_split(x, y, test_size=0.25, random_state=0)
    for part, want in zip(parts, expected, strict=True):
        assert isinstance(part, lg.Tensor)
        np.testing.assert_array_equal(part.numpy(), want)
