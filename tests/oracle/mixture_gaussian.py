"""GaussianMixture of scikit-learn, step by step from given starts: `python tests/oracle/mixture_gaussian.py`.

Writes mixture_gaussian.json: for each kind of covariance the parameters after 1, 2, ... iterations, without
regularisation, and what the last of them says of the data.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.mixture import GaussianMixture

warnings.simplefilter("ignore")
STEPS = 6
rng = np.random.default_rng(7)
shapes = [np.array([[1.0, 0.3, 0.0], [0.0, 0.6, 0.2], [0.0, 0.0, 0.8]]), np.eye(3) * 0.7, np.diag([0.4, 1.5, 0.9])]
centres = np.array([[0.0, 0.0, 0.0], [2.5, -1.0, 1.0], [-2.0, 2.0, 0.5]])
x = np.vstack([c + rng.standard_normal((n, 3)) @ a for c, a, n in zip(centres, shapes, [50, 40, 30])])
x = np.round(x, 6)
weights = np.array([0.3, 0.3, 0.4])
means = np.round(centres + rng.normal(0, 0.8, centres.shape), 3)

start = {"full": np.stack([np.eye(3) * v for v in (1.0, 2.0, 0.5)]), "tied": np.eye(3), "diag": np.full((3, 3), 1.2),
         "spherical": np.array([1.0, 1.5, 0.8])}  # fmt: skip
invert = {"full": np.linalg.inv, "tied": np.linalg.inv, "diag": lambda v: 1 / v, "spherical": lambda v: 1 / v}

out = {"library": f"scikit-learn {sklearn.__version__}", "x": x.tolist(), "weights": weights.tolist(),
       "means": means.tolist(), "kinds": {}}  # fmt: skip
for kind in start:
    steps = []
    for n in range(1, STEPS + 1):
        model = GaussianMixture(3, covariance_type=kind, tol=0.0, reg_covar=0.0, max_iter=n, weights_init=weights,
                                means_init=means, precisions_init=invert[kind](start[kind]))  # fmt: skip
        model.fit(x)
        steps.append({"weights": model.weights_.tolist(), "means": model.means_.tolist(),
                      "covariances": np.ravel(model.covariances_).tolist()})  # fmt: skip
    out["kinds"][kind] = {
        "start": np.ravel(start[kind]).tolist(), "steps": steps, "score_samples": model.score_samples(x).tolist(),
        "predict_proba": model.predict_proba(x)[:20].tolist(), "aic": model.aic(x), "bic": model.bic(x),
    }  # fmt: skip
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
