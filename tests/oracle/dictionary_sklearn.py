"""Sparse codes, dictionary learning and non-negative factors of scikit-learn: writes dictionary_sklearn.json beside itself."""

import json
import pathlib

import numpy as np
from sklearn.decomposition import NMF, DictionaryLearning, sparse_encode

rng = np.random.default_rng(7)
atoms = rng.normal(size=(4, 6))
atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
codes = rng.normal(size=(40, 4)) * (rng.random((40, 4)) < 0.4)
x = codes @ atoms + 0.01 * rng.normal(size=(40, 6))
out = {"x": x.tolist(), "atoms": atoms.tolist()}
out["codes"] = sparse_encode(x, atoms, algorithm="lasso_cd", alpha=0.1, max_iter=100000).tolist()
best = np.inf
for seed in range(5):
    found = DictionaryLearning(4, alpha=0.1, max_iter=3000, tol=1e-12, fit_algorithm="cd", transform_algorithm="lasso_cd",
                               transform_max_iter=100000, random_state=seed).fit(x)
    z = sparse_encode(x, found.components_, algorithm="lasso_cd", alpha=0.1, max_iter=100000)
    best = min(best, 0.5 * np.sum((x - z @ found.components_) ** 2) + 0.1 * np.abs(z).sum())
out["objective"] = float(best)
parts = np.abs(rng.normal(size=(30, 3))) @ np.abs(rng.normal(size=(3, 8))) + 0.05 * rng.random((30, 8))
out["parts"] = parts.tolist()
best = np.inf
for seed in range(5):
    model = NMF(3, init="random", solver="cd", tol=1e-10, max_iter=20000, random_state=seed)
    w = model.fit_transform(parts)
    best = min(best, 0.5 * np.sum((parts - w @ model.components_) ** 2))
out["nmf"] = float(best)
# Coordinate descent from given factors, in the order of the components: W and H after one sweep and after ten.
w0, h0 = rng.random((30, 3)), rng.random((3, 8))
out["nmf_start"] = {"w": w0.tolist(), "h": h0.tolist()}
out["nmf_sweeps"] = []
for sweeps in (1, 10):
    model = NMF(3, init="custom", solver="cd", tol=0, max_iter=sweeps, shuffle=False)
    w = model.fit_transform(parts, W=w0.copy(), H=h0.copy())
    value = 0.5 * np.sum((parts - w @ model.components_) ** 2)
    out["nmf_sweeps"].append({"sweeps": sweeps, "w": w.tolist(), "h": model.components_.tolist(), "objective": float(value)})
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")
