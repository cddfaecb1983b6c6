"""Leave-one-out of kernel ridge by scikit-learn: GridSearchCV with n folds over bandwidths and penalties.

`python tests/oracle/kernel_ridge_cv.py` writes `kernel_ridge_cv.json` beside it.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, LeaveOneOut

rng = np.random.default_rng(7)
x = rng.uniform(-2, 2, size=(30, 2)).round(6)
y = (np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.normal(size=30)).round(6)
lengths, penalties = [0.3, 1.0, 3.0], [1e-3, 0.05, 1.0]
grid = {"gamma": [0.5 / l**2 for l in lengths], "alpha": penalties}
search = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=LeaveOneOut(), scoring="neg_mean_squared_error").fit(x, y)
scores = np.zeros((3, 3))
for params, score in zip(search.cv_results_["params"], -search.cv_results_["mean_test_score"]):
    scores[grid["gamma"].index(params["gamma"]), penalties.index(params["alpha"])] = score
best = search.best_params_
new = rng.uniform(-2, 2, size=(7, 2)).round(6)
out = {"x": x.tolist(), "y": y.tolist(), "lengths": lengths, "penalties": penalties, "scores": scores.tolist(),
       "best": [grid["gamma"].index(best["gamma"]), penalties.index(best["alpha"])], "new": new.tolist(),
       "predictions": search.predict(new).tolist()}  # fmt: skip
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
