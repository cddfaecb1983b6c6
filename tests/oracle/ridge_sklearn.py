"""Ridge, RidgeCV, KernelRidge and BayesianRidge of scikit-learn on the diabetes data (its first 60 patients, 5 features).

`python tests/oracle/ridge_sklearn.py` writes `ridge_sklearn.json` beside it.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import BayesianRidge, Ridge, RidgeCV

data = load_diabetes(scaled=False)
x = data.data[:60, [0, 2, 3, 8, 9]]
# Two targets: the progression, and the blood pressure's neighbour as a second one.
y = np.c_[data.target[:60], data.data[:60, 5]]
weights = 0.25 + (np.arange(60) * 7 % 11) / 4.0
train, test = slice(0, 45), slice(45, 60)
out = {"x": x.tolist(), "y": y.tolist(), "weights": weights.tolist(), "train": 45}


def ridge(penalty, weighted, intercept, x=x, y=y):
    model = Ridge(penalty, fit_intercept=intercept, solver="cholesky", tol=1e-12)
    model.fit(x[train], y[train], sample_weight=weights[train] if weighted else None)
    return {
        "penalty": penalty,
        "weighted": weighted,
        "intercept": intercept,
        "coefficients": model.coef_.T.tolist(),
        "constant": np.broadcast_to(model.intercept_, (2,)).tolist(),
        "predictions": model.predict(x[test]).tolist(),
    }


out["ridge"] = [ridge(p, w, i) for p in (0.1, 30.0) for w in (False, True) for i in (True, False)]

# More features than observations: products of pairs of standardised features, on 12 patients.
z = (x - x.mean(0)) / x.std(0)
wide = np.concatenate([z[:, [i]] * z[:, [j]] for i in range(5) for j in range(i, 5)] + [z], axis=1)
model = Ridge(2.0, solver="svd").fit(wide[:12], y[:12])
out["wide"] = {"x": wide[:14].tolist(), "penalty": 2.0, "coefficients": model.coef_.T.tolist(),
               "predictions": model.predict(wide[:14]).tolist()}  # fmt: skip

penalties = np.logspace(-3, 3, 7)
cv = RidgeCV(penalties, store_cv_results=True).fit(z[train], y[train])
out["cv"] = {
    "z": z.tolist(),
    "penalties": penalties.tolist(),
    "best": float(cv.alpha_),
    "scores": cv.cv_results_.mean(0).T.tolist(),  # penalty x target
    "coefficients": cv.coef_.T.tolist(),
}


def kernel_ridge(name, weighted, **kernel):
    model = KernelRidge(alpha=0.3, **kernel)
    model.fit(z[train], y[train], sample_weight=weights[train] if weighted else None)
    return {
        "kernel": name,
        "weighted": weighted,
        "penalty": 0.3,
        "dual": model.dual_coef_.tolist(),
        "predictions": model.predict(z[test]).tolist(),
    }


out["kernel_ridge"] = [
    kernel_ridge(name, weighted, **kernel)
    for name, kernel in {
        "rbf": {"kernel": "rbf", "gamma": 0.5 / 1.5**2},
        "laplacian": {"kernel": "laplacian", "gamma": 1 / 2.0},
        "polynomial": {"kernel": "polynomial", "gamma": 1.0, "coef0": 1.0, "degree": 2},
    }.items()
    for weighted in (False, True)
]

# Flat hyper-priors: nothing but the evidence. scikit-learn calls the noise alpha and the weights lambda.
flat = {"alpha_1": 0, "alpha_2": 0, "lambda_1": 0, "lambda_2": 0, "fit_intercept": False}
model = BayesianRidge(max_iter=10_000, tol=1e-14, compute_score=True, **flat)
t = (y[:, 0] - y[:, 0].mean()) / y[:, 0].std()
model.fit(z[train], t[train])
mean, std = model.predict(z[test], return_std=True)
out["bayesian"] = {
    "t": t.tolist(),
    "alpha": float(model.lambda_),
    "beta": float(model.alpha_),
    "coefficients": model.coef_.tolist(),
    "covariance": model.sigma_.tolist(),
    "mean": mean.tolist(),
    "std": std.tolist(),
    "log_evidence": float(model.scores_[-1]),
}

Path(__file__).with_suffix(".json").write_text(json.dumps(out))
