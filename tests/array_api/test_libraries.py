"""scipy and scikit-learn dispatch to the array API on tensors: results are tensors, and those that numpy gives.

Both read whether they dispatch when they are imported, so the programs run in a process of their own.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_COMPARE = """
import warnings
import numpy as np
import lazygrad as lg
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
rows, values = rng.normal(size=(40, 4)), rng.normal(size=40)
classes = (values > 0).astype(np.int64)

def compare(programs):
    for name, program in programs.items():
        expected = program(rows, values, classes)
        found = program(*(lg.tensor(array) for array in (rows, values, classes)))
        assert isinstance(found, lg.Tensor if isinstance(expected, (np.ndarray, np.generic)) else float), (name, found)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-7, atol=1e-9, err_msg=name)
"""

_SCIPY = """
from scipy import cluster, fft, integrate, ndimage, signal, special, stats
from scipy.spatial.transform import Rotation
compare({
    "expit": lambda x, y, c: special.expit(x),
    "logsumexp": lambda x, y, c: special.logsumexp(x, axis=1),
    "softmax": lambda x, y, c: special.softmax(x, axis=1),
    "ndtr": lambda x, y, c: special.ndtr(x),
    "zscore": lambda x, y, c: stats.zscore(x),
    "skew": lambda x, y, c: stats.skew(x),
    "gmean": lambda x, y, c: stats.gmean(abs(x)),
    "pearsonr": lambda x, y, c: stats.pearsonr(x[:, 0], y).statistic,
    "ttest_1samp": lambda x, y, c: stats.ttest_1samp(x, 0.0).pvalue,
    "rfftn": lambda x, y, c: fft.rfftn(x),
    "dct": lambda x, y, c: fft.dct(x),
    "hilbert": lambda x, y, c: signal.hilbert(x, axis=0),
    "fftconvolve": lambda x, y, c: signal.fftconvolve(x, x),
    "gaussian_filter": lambda x, y, c: ndimage.gaussian_filter(x, 1.0),
    "trapezoid": lambda x, y, c: integrate.trapezoid(x, axis=0),
    "rotation": lambda x, y, c: Rotation.from_rotvec(x[:, :3]).as_matrix(),
})
"""

_SCIKIT_LEARN = """
import sklearn
from sklearn import decomposition, discriminant_analysis, linear_model, metrics, model_selection, preprocessing
with sklearn.config_context(array_api_dispatch=True):
    compare({
        "StandardScaler": lambda x, y, c: preprocessing.StandardScaler().fit_transform(x),
        "MinMaxScaler": lambda x, y, c: preprocessing.MinMaxScaler().fit_transform(x),
        "Normalizer": lambda x, y, c: preprocessing.Normalizer().fit_transform(x),
        "LabelEncoder": lambda x, y, c: preprocessing.LabelEncoder().fit_transform(c),
        "Ridge": lambda x, y, c: linear_model.Ridge(solver="svd").fit(x, y).predict(x),
        "PCA": lambda x, y, c: abs(decomposition.PCA(2, svd_solver="full").fit_transform(x)),
        "LDA": lambda x, y, c: discriminant_analysis.LinearDiscriminantAnalysis().fit(x, c).predict(x),
        "r2_score": lambda x, y, c: metrics.r2_score(y, y + 0.1),
        "accuracy_score": lambda x, y, c: metrics.accuracy_score(c, 1 - c),
        "rbf_kernel": lambda x, y, c: metrics.pairwise.rbf_kernel(x),
        "train_test_split": lambda x, y, c: model_selection.train_test_split(x, random_state=0)[0],
    })
"""


@pytest.mark.parametrize(("library", "programs"), [("scipy", _SCIPY), ("sklearn", _SCIKIT_LEARN)])
def test_libraries_dispatch_to_tensors(library: str, programs: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    pytest.importorskip("array_api_compat", reason="array-api-compat is not installed")
    # What C renders is tested elsewhere; here every plan would be another call of the compiler.
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "LAZYGRAD_BACKEND": "numpy"}
    result = subprocess.run(
        [sys.executable, "-c", _COMPARE + programs], env=environment, capture_output=True, text=True, timeout=240
    )
    assert result.returncode == 0, result.stderr
