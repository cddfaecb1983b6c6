"""BayesianGaussianMixture of scikit-learn from given labels: `python tests/oracle/mixture_bayesian.py`.

Writes mixture_bayesian.json: parameters after some iterations with both weight priors, without regularisation, from the
M-step of a hard assignment.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.mixture import BayesianGaussianMixture

warnings.simplefilter("ignore")
rng = np.random.default_rng(11)
centres = np.array([[0.0, 0.0], [12.0, 0.0], [0.0, 9.0], [2.5, 1.5]])
x = np.round(np.vstack([c + rng.standard_normal((n, 2)) @ a for c, a, n in zip(
    centres, [np.eye(2), np.diag([0.5, 2.0]), np.array([[1.0, 0.6], [0.0, 0.8]]), np.eye(2) * 0.5], [40, 30, 25, 15])]), 6)

shifted = centres[:3] + np.array([[2.5, 1.0], [-4.0, 3.0], [1.0, -5.0]])
labels = np.argmin(((x[:, None] - shifted) ** 2).sum(2), axis=1)


class FromLabels(BayesianGaussianMixture):
    def _initialize_parameters(self, X, random_state, **rest):
        self._initialize(X, np.eye(3)[labels])


out = {"library": f"scikit-learn {sklearn.__version__}", "x": x.tolist(), "labels": labels.tolist(), "fits": []}
for kind, concentration in [("dirichlet_distribution", 0.5), ("dirichlet_process", 0.7)]:
    for steps in [1, 2, 10]:
        model = FromLabels(
            n_components=3, tol=0.0, reg_covar=0.0, max_iter=steps,
            weight_concentration_prior_type=kind, weight_concentration_prior=concentration,
            mean_precision_prior=0.8, degrees_of_freedom_prior=3.5,
        ).fit(x)  # fmt: skip
        out["fits"].append({
            "prior": kind, "concentration": concentration, "steps": steps, "weights": model.weights_.tolist(),
            "means": model.means_.tolist(), "covariances": np.ravel(model.covariances_).tolist(),
            "mean_precision": model.mean_precision_.tolist(), "degrees_of_freedom": model.degrees_of_freedom_.tolist(),
            "predict_proba": model.predict_proba(x)[::5].tolist(),
        })  # fmt: skip
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
