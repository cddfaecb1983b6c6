"""EM: mixtures of Gaussians and k-means, so many iterations from the same start on every side.

`ROWS` says what is compared; `prepare` runs scikit-learn. The check is that of the means after the last iteration.
"""

from protocol import uniform
from row import Row

FULL = {"op": "mixture", "kind": "full", "n": 100_000, "d": 30, "k": 30, "iterations": 3, "device": "cpu"}
DIAGONAL = {**FULL, "kind": "diag", "iterations": 10}
KMEANS = {"op": "kmeans", "n": 200_000, "d": 32, "k": 64, "iterations": 10, "device": "cpu"}
PEAK = {"full": {**FULL, "op": "mixture_memory"}, "kmeans": {**KMEANS, "op": "kmeans_memory"}}

ROWS = [
    Row("GaussianMixture full 100000 x 30, K=30 / scikit-learn", FULL, "python", "sklearn", target=6.0, reps=3),
    Row("GaussianMixture diagonal / scikit-learn", DIAGONAL, "python", "sklearn", target=3.0, reps=5),
    Row("KMeans 200000 x 32, K=64 / scikit-learn", KMEANS, "python", "sklearn", target=1.5, reps=7),
    # linfa counts the old centre as one more point of its cluster, of some three thousand.
    Row("KMeans 200000 x 32, K=64 / linfa", KMEANS, "rust", "linfa", target=1.5, reps=3, tolerance=1e-2),
    Row("GaussianMixture full, peak memory / scikit-learn", PEAK["full"], "python", "sklearn", target=1.0, reps=1,
        unit="MB"),
    Row("KMeans, peak memory / scikit-learn", PEAK["kmeans"], "python", "sklearn", target=1.0, reps=1, unit="MB"),
]  # fmt: skip


def prepare(request):
    """A closure that runs one request once; inputs are made here, outside the clock."""
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture
    from sklearn.utils._testing import ignore_warnings

    n, d, k, iterations = (request[key] for key in ("n", "d", "k", "iterations"))
    x = uniform(6, n * d).reshape(n, d)
    if request["op"].startswith("kmeans"):
        model = KMeans(k, init=x[:k], n_init=1, tol=0.0, max_iter=iterations, algorithm="lloyd")
        fit, means = model.fit, lambda: model.cluster_centers_
    else:
        # The variance of the uniform distribution.
        precision = np.full((k, d), 12.0) if request["kind"] == "diag" else np.stack([12.0 * np.eye(d)] * k)
        model = GaussianMixture(k, covariance_type=request["kind"], tol=0.0, reg_covar=0.0, max_iter=iterations,
                                weights_init=np.full(k, 1 / k), means_init=x[:k], precisions_init=precision)  # fmt: skip
        fit, means = model.fit, lambda: model.means_

    def run():
        with ignore_warnings(category=ConvergenceWarning):
            fit(x)
        return means()

    return run
