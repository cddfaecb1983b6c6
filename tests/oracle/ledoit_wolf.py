"""Discriminants with the shrinkage of Ledoit and Wolf by scikit-learn: `python ledoit_wolf.py` writes `ledoit_wolf.json`."""

import json
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

rng = np.random.default_rng(18)
n, d = 45, 6
y = np.arange(n) % 3
x = rng.normal(size=(n, d)) @ np.diag([1, 2, 0.5, 10, 1, 3.0]) + y[:, None] * rng.normal(size=d)
x = np.round(x, 3)
new = np.round(rng.normal(size=(7, d)) * 2, 3)
linear = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(x, y)
quadratic = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(x, y)
out = {
    "x": x.tolist(),
    "y": y.tolist(),
    "new": new.tolist(),
    "covariance": linear.covariance_.tolist(),
    "linear": linear.predict_proba(new).tolist(),
    "quadratic": quadratic.predict_proba(new).tolist(),
}
Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")
