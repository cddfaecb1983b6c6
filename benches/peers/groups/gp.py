"""Gaussian process regression at fixed hyper-parameters: fit, evidence with its ARD gradient, predictions with deviations.

All sides share the kernel `1.5 exp(-½ Σ (x_f - x'_f)² / ℓ_f²)` with a length scale for each feature, and noise 0.01.
"""

from protocol import uniform
from row import Row

SCALE, NOISE = 1.5, 0.01
FIT = {"op": "gp_fit", "n": 4000, "d": 8, "device": "cpu"}
LML = {"op": "gp_lml", "n": 4000, "d": 8, "device": "cpu"}
LML_SMALL = {"op": "gp_lml", "n": 2000, "d": 8, "device": "cpu"}
MEMORY = {"op": "gp_lml_memory", "n": 4000, "d": 8, "device": "cpu"}
PREDICT = {"op": "gp_predict", "n": 4000, "d": 8, "new": 1000, "device": "cpu"}

ROWS = [
    Row("GPR fit n=4000 d=8 / scikit-learn", FIT, "python", "sklearn", target=4.0, reps=3, tolerance=1e-6),
    Row("GPR evidence, ARD gradient n=4000 / scikit-learn", LML, "python", "sklearn", target=10.0, reps=2,
        tolerance=1e-6),
    Row("GPR evidence, ARD gradient n=2000 / gprx", LML_SMALL, "rust", "gprx", target=1.2, reps=9, tolerance=1e-6),
    # No peer: the limit is 1 GiB.
    Row("GPR evidence, gradient n=4000 peak memory / limit", MEMORY, None, None, target=1.0, reps=1, unit="MB",
        limit=1073.7, tolerance=1e-6),
    Row("GPR predict with std, 1000 of n=4000 / scikit-learn", PREDICT, "python", "sklearn", target=2.0, reps=7,
        tolerance=1e-6),
]  # fmt: skip


def data(n, d):
    """Inputs in a unit cube about zero, targets a wave with a little noise, and the length scales."""
    import numpy as np

    x = uniform(4, n * d).reshape(n, d)
    y = np.sin(3 * x).sum(axis=1) + 0.2 * uniform(5, n)
    return x, y, 0.6 + 0.1 * np.arange(d)


def prepare(request):
    """A closure that runs one request once; inputs are made here, outside the clock."""
    import numpy as np

    op, n, d = request["op"], request["n"], request["d"]
    x, y, lengthscales = data(n, d)
    new = uniform(6, request.get("new", 0) * d).reshape(-1, d)
    if request.get("impl") != "sklearn":
        return {
            "gp_fit": lambda: np.linalg.solve(covariance(x, x, lengthscales) + NOISE * np.eye(n), y),
            "gp_lml": lambda: evidence(x, y, lengthscales),
            "gp_lml_memory": lambda: evidence(x, y, lengthscales),
            "gp_predict": lambda: prediction(x, y, new, lengthscales),
        }[op]
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(SCALE) * RBF(lengthscales)
    if op == "gp_lml":
        model = GaussianProcessRegressor(kernel + WhiteKernel(NOISE), alpha=0.0, optimizer=None)
        # What `fit` prepares, without its factorisation: the clock is for the evidence alone.
        model.X_train_, model.y_train_, model.kernel_ = x, y, model.kernel
        theta = model.kernel_.theta

        def run():
            value, gradient = model.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)
            return np.r_[value, gradient]

        return run
    model = GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None)
    if op == "gp_fit":
        return lambda: model.fit(x, y).alpha_
    model.fit(x, y)
    return lambda: np.stack(model.predict(new, return_std=True), axis=1)


def covariance(x, y, lengthscales):
    """The kernel matrix from widened products, as in the engine's group."""
    import numpy as np

    x, y = x / lengthscales, y / lengthscales
    square = (x * x).sum(1)[:, None] + (y * y).sum(1)[None, :] - 2 * (x @ y.T)
    return SCALE * np.exp(-0.5 * square)


def evidence(x, y, lengthscales):
    """The log marginal likelihood and its gradient by the logarithms of scale, length scales and noise."""
    import numpy as np

    n = len(x)
    k = covariance(x, x, lengthscales)
    factor = np.linalg.cholesky(k + NOISE * np.eye(n))
    inverse = np.linalg.inv(k + NOISE * np.eye(n))
    alpha = inverse @ y
    value = -0.5 * y @ alpha - np.log(np.diag(factor)).sum() - 0.5 * n * np.log(2 * np.pi)
    weights = 0.5 * (np.outer(alpha, alpha) - inverse)
    trace = np.trace(weights)
    weights *= k
    scales = [(weights * ((x[:, None, f] - x[None, :, f]) / lengthscales[f]) ** 2).sum() for f in range(x.shape[1])]
    return np.array([value, weights.sum(), *scales, NOISE * trace])


def prediction(x, y, new, lengthscales):
    """Means and standard deviations of the function, side by side."""
    import numpy as np

    across = covariance(new, x, lengthscales)
    solved = np.linalg.solve(covariance(x, x, lengthscales) + NOISE * np.eye(len(x)), np.c_[y, across.T])
    variance = SCALE - (across * solved[:, 1:].T).sum(axis=1)
    return np.stack([across @ solved[:, 0], np.sqrt(variance)], axis=1)
