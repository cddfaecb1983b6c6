"""Trajectories of scikit-learn's networks from given weights, all rows at every step: `neural_sklearn.json`."""

import json
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.utils._testing import ignore_warnings

N, D, HIDDEN, EPOCHS, ALPHA = 12, 3, 4, 25, 0.3


def flat(model):
    """Parameters layer by layer: the matrix, outputs x inputs, then the biases."""
    return np.concatenate([part.ravel() for c, b in zip(model.coefs_, model.intercepts_) for part in (c.T, b)])


@ignore_warnings(category=ConvergenceWarning)
def trained(kind, x, y, outputs, solver, activation):
    options = {"learning_rate_init": 0.05, "momentum": 0.8, "nesterovs_momentum": False}
    if solver == "adam":
        # Its ε is added before the correction: so small it makes none.
        options = {"learning_rate_init": 0.02, "epsilon": 1e-300}
    model = kind(hidden_layer_sizes=(HIDDEN,), activation=activation, solver=solver, alpha=ALPHA, batch_size=N,
                 max_iter=1, tol=0.0, n_iter_no_change=1000, shuffle=False, warm_start=True, random_state=0, **options)  # fmt: skip
    model.fit(x, y)
    rng = np.random.default_rng(5)
    model.coefs_ = [rng.uniform(-1, 1, (D, HIDDEN)), rng.uniform(-1, 1, (HIDDEN, outputs))]
    model.intercepts_ = [rng.uniform(-1, 1, HIDDEN), rng.uniform(-1, 1, outputs)]
    start = flat(model)
    model.loss_curve_ = []
    model.max_iter = EPOCHS
    model.fit(x, y)
    return {"start": start.tolist(), "parameters": flat(model).tolist(), "loss": model.loss_curve_[-EPOCHS:],
            "solver": solver, "activation": activation}  # fmt: skip


rng = np.random.default_rng(3)
x = rng.uniform(-1, 1, (N, D))
labels = np.arange(N) % 3
targets = np.stack([np.sin(x[:, 0]), x[:, 1] * x[:, 2]], 1)
out = {
    "x": x.tolist(),
    "labels": labels.tolist(),
    "targets": targets.tolist(),
    "decay": ALPHA / N,
    "classifier": [trained(MLPClassifier, x, labels, 3, "sgd", "tanh"), trained(MLPClassifier, x, labels, 3, "adam", "logistic")],
    "regressor": [trained(MLPRegressor, x, targets, 2, "sgd", "relu"), trained(MLPRegressor, x, targets, 2, "adam", "tanh")],
}
Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")
