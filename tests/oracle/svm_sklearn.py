"""LIBSVM's answers through scikit-learn: SVC, NuSVC, SVR, NuSVR, OneClassSVM at a tolerance of 1e-10, and KernelPCA.

`python tests/oracle/svm_sklearn.py` writes `svm_sklearn.json` beside it.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import KernelPCA
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

TIGHT = {"tol": 1e-10, "cache_size": 500}


def gram(name, a, b, length):
    if name == "rbf":
        return np.exp(-((a[:, None] - b[None]) ** 2).sum(2) / (2 * length**2))
    return a @ b.T


def duals(model, kernel, length, hinge):
    """Of every pair of classes the number of support vectors, the norm, and the dual objective of C."""
    ends = np.r_[0, np.cumsum(model.n_support_)]
    k = gram(kernel, model.support_vectors_, model.support_vectors_, length)
    pairs = []
    for i in range(len(model.classes_)):
        for j in range(i + 1, len(model.classes_)):
            rows = np.r_[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
            a = np.r_[model.dual_coef_[j - 1, ends[i] : ends[i + 1]], model.dual_coef_[i, ends[j] : ends[j + 1]]]
            norm = a @ k[np.ix_(rows, rows)] @ a
            pairs.append([int((a != 0).sum()), norm] + ([np.abs(a).sum() - 0.5 * norm] if hinge else []))
    return pairs


def letters():
    """Letter-like: 26 classes of 16 whole features between 0 and 15."""
    rng = np.random.default_rng(26)
    y = np.repeat(np.arange(26), 20)
    x = np.clip(rng.integers(2, 14, size=(26, 16))[y] + rng.normal(0, 2.2, size=(520, 16)).round(), 0, 15) / 15
    order = rng.permutation(520)
    return x[order].round(4), y[order]


def data(name):
    if name == "letters":
        return letters()
    x, y = {"cancer": load_breast_cancer, "wine": load_wine, "digits": load_digits}[name](return_X_y=True)
    keep = np.random.default_rng(3).permutation(len(x))[: {"cancer": 160, "wine": 178, "digits": 220}[name]]
    x = x[keep] / 16 if name == "digits" else StandardScaler().fit_transform(x[keep])
    return x.round(4), y[keep]


out = {"data": {}, "classify": [], "regress": [], "one_class": []}
for name in ("cancer", "wine", "digits", "letters"):
    x, y = data(name)
    out["data"][name] = {"x": x.tolist(), "y": y.tolist()}
    n = 2 * len(x) // 3
    length = {"digits": 2.0, "letters": 1.0}.get(name, 4.0)
    for kernel in ("rbf", "linear")[: 1 if name == "letters" else 2]:
        for kind, value in (("c", 1.0), ("c", 100.0), ("nu", 0.15)):
            model = SVC(C=value, break_ties=True, decision_function_shape="ovr") if kind == "c" else NuSVC(
                nu=value, break_ties=True, decision_function_shape="ovr")  # fmt: skip
            model.set_params(kernel=kernel, gamma=0.5 / length**2, **TIGHT)
            model.fit(x[:n], y[:n])
            case = {"data": name, "train": n, "kernel": kernel, "length": length, "kind": kind, "value": value,
                    "predictions": model.predict(x[n:]).tolist()}  # fmt: skip
            case["pairs"] = duals(model, kernel, length, kind == "c")
            if len(model.classes_) == 2:
                case["support"] = model.support_.tolist()
                case["intercept"] = model.intercept_.tolist()
                case["decision"] = model.decision_function(x[n:]).tolist()
            out["classify"].append(case)

rng = np.random.default_rng(5)
x = rng.uniform(-2, 2, size=(60, 2)).round(5)
y = (np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=60)).round(5)
w = rng.uniform(0.2, 3, size=60).round(3)
out["curve"] = {"x": x.tolist(), "y": y.tolist(), "w": w.tolist()}
for kind, value in (("epsilon", 0.1), ("epsilon", 0.0), ("nu", 0.3)):
    for weighted in (False, True):
        model = SVR(epsilon=value) if kind == "epsilon" else NuSVR(nu=value)
        if weighted and kind == "nu":
            continue
        model.set_params(C=3.0, kernel="rbf", gamma=0.5, **TIGHT)
        model.fit(x[:40], y[:40], sample_weight=w[:40] if weighted else None)
        a, sv = model.dual_coef_[0], model.support_
        dual = a @ y[:40][sv] - 0.5 * a @ gram("rbf", x[sv], x[sv], 1.0) @ a
        dual -= np.abs(a).sum() * value if kind == "epsilon" else 0.0
        out["regress"].append({"dual": dual,"kind": kind, "value": value, "weighted": weighted,
                               "predictions": model.predict(x[40:]).tolist(), "intercept": model.intercept_[0]})  # fmt: skip
for nu in (0.1, 0.5):
    model = OneClassSVM(nu=nu, kernel="rbf", gamma=0.5, **TIGHT).fit(x)
    a = model.dual_coef_[0]
    out["one_class"].append({"dual": -0.5 * a @ gram("rbf", model.support_vectors_, model.support_vectors_, 1.0) @ a,"nu": nu, "decision": model.decision_function(x).tolist(), "threshold": model.offset_[0]})
model = KernelPCA(n_components=4, kernel="rbf", gamma=0.5, eigen_solver="dense").fit(x[:40])
scores = model.transform(x[40:])
out["kernel_pca"] = {"values": model.eigenvalues_.tolist(), "scores": np.abs(scores).tolist()}
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
