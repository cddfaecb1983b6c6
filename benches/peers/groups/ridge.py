"""Ridge and kernel ridge regression against scikit-learn: rows that group `gp` may take over."""

from protocol import uniform
from row import Row

KERNEL_RIDGE = {"op": "kernel_ridge", "n": 4000, "d": 8, "device": "cpu"}
RIDGE = {"op": "ridge", "n": 200_000, "d": 100, "device": "cpu"}
MEMORY = {"op": "kernel_ridge_memory", "n": 200_000, "d": 8, "device": "cpu"}
FALKON = {"op": "falkon_memory", "n": 1_000_000, "d": 8, "m": 1000, "device": "cpu"}

ROWS = [
    Row("KernelRidge RBF n=4000 d=8 / scikit-learn", KERNEL_RIDGE, "python", "sklearn", target=2.0, reps=7),
    Row("Ridge 200000 x 100 / scikit-learn", RIDGE, "python", "sklearn", target=1.0, reps=9),
    # No peer: the limit is 2 GB. Two iterations of conjugate gradients hold all that a whole fit holds.
    Row("KernelRidge n=200000 peak memory / limit", MEMORY, None, None, target=1.0, reps=1, unit="MB", limit=2000.0),
    # No peer either: a whole fit, which counts if it finds the function below the noise to a root mean square of 1e-2.
    Row("Falkon n=1000000 d=8, m=1000 peak memory / limit", FALKON, None, None, target=1.0, reps=1, unit="MB", limit=500.0),
]  # fmt: skip


def prepare(request):
    """A closure that runs one request once; inputs are made here, outside the clock."""
    import numpy as np

    op, n, d = request["op"], request["n"], request["d"]
    if op in ("kernel_ridge_memory", "falkon_memory"):
        return lambda: np.ones((1, 1))
    x, noise = uniform(4, n * d).reshape(n, d), uniform(5, n)
    y = np.sin(x.sum(1)) + 0.1 * noise
    if request.get("impl") == "numpy":
        # The definitions, as the truth for every side.
        if op == "ridge":
            centre, mean = x.mean(0), y.mean()
            z = x - centre
            w = np.linalg.solve(z.T @ z + np.eye(d), z.T @ (y - mean))
            return lambda: np.append(w, mean - centre @ w)[:, None]
        square = (x * x).sum(1)
        k = np.exp(-0.5 * np.maximum(square[:, None] + square - 2 * x @ x.T, 0.0))
        return lambda: np.linalg.solve(k + 0.1 * np.eye(n), y)[:, None]
    if op == "ridge":
        from sklearn.linear_model import Ridge

        def run():
            fit = Ridge(1.0).fit(x, y)
            return np.append(fit.coef_, fit.intercept_)[:, None]

        return run
    from sklearn.kernel_ridge import KernelRidge

    return lambda: KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5).fit(x, y).dual_coef_[:, None]
