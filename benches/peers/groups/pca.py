"""Principal components: 20,000 rows of 200 columns, the ten leading directions, by the covariance on both sides.

The memory row compares whole processes, data included: an interpreter with its libraries against a binary.
"""

import os
import tempfile

from protocol import uniform
from row import Row

PCA = {"op": "pca", "n": 20_000, "d": 200, "k": 10, "device": "cpu"}
MEMORY = {**PCA, "op": "pca_memory"}

ROWS = [
    Row("PCA 20000 x 200 / scikit-learn", PCA, "python", "sklearn", target=1.0, reps=15),
    Row("PCA 20000 x 200 peak memory / scikit-learn", MEMORY, "python", "sklearn", target=1.0, reps=1, unit="MB"),
]


def data(n, d):
    """Columns of different variance: no two directions are nearly alike."""
    import numpy as np

    return uniform(6, n * d).reshape(n, d) * np.linspace(2.0, 1.0, d) ** 2


def alone(make, *arguments):
    """The array that `make` makes in a process of its own, whose temporary arrays do not count as ours."""
    import numpy as np

    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        if (child := os.fork()) == 0:
            np.save(file.name, make(*arguments))
            os._exit(0)
        os.waitpid(child, 0)
        return np.load(file.name)


def prepare(request):
    """A closure that runs one request once: the leading directions times their variances, `k x d`."""
    import numpy as np

    n, d, k = (request[key] for key in ("n", "d", "k"))
    x = alone(data, n, d) if request["op"] == "pca_memory" else data(n, d)
    if request.get("impl") == "sklearn":
        from sklearn.decomposition import PCA

        def run():
            model = PCA(k).fit(x)
            return model.components_ * model.explained_variance_[:, None]

        return run

    def definition():
        values, vectors = np.linalg.eigh(np.cov(x.T))
        leading = vectors.T[::-1][:k]
        largest = np.abs(leading).argmax(1)
        return leading * (np.sign(leading[np.arange(k), largest]) * values[::-1][:k])[:, None]

    return definition
