"""Networks and factors: an epoch of an MLP, alternating least squares, non-negative factors; the same start on every side.

`ROWS` says what is compared; `prepare` runs scikit-learn, implicit and the definitions in numpy. The checks are those of the
parameters after an epoch, of the items' factors and of the parts.
"""

from protocol import uniform
from row import Row

MLP = {"op": "mlp", "n": 10_000, "d": 784, "hidden": 256, "classes": 10, "batch": 128, "device": "cpu"}
ALS = {"op": "als", "users": 943, "items": 1682, "count": 100_000, "k": 32, "iterations": 5, "device": "cpu"}
NMF = {"op": "nmf", "n": 2000, "d": 500, "k": 20, "iterations": 50, "device": "cpu"}
# implicit's default: three steps of conjugate gradients in f32 instead of a solve.
CG = {**ALS, "op": "als_cg"}

ROWS = [
    Row("MLP 784-256-10, batch 128, an epoch of 10000 / scikit-learn", MLP, "python", "sklearn", target=1.5, reps=7,
        tolerance=1e-7),
    Row("ALS 943 x 1682, 100000 ratings, k=32, exact / implicit", ALS, "python", "implicit", target=1.0, reps=9,
        tolerance=1e-8),
    Row("ALS exact / implicit with 3 steps of CG in f32", ALS, "python", None, target=1.0, reps=9, tolerance=1e-3,
        peer_request={**CG, "impl": "implicit"}),
    Row("NMF 2000 x 500, k=20, 50 iterations / scikit-learn", NMF, "python", "sklearn", target=1.5, reps=7,
        tolerance=1e-7),
]  # fmt: skip


def mlp_data(request):
    """Inputs, labels, and the matrices and biases of both layers to begin with."""
    import numpy as np

    n, d, h, k = (request[key] for key in ("n", "d", "hidden", "classes"))
    x = uniform(6, n * d).reshape(n, d)
    y = (x @ uniform(7, d * k).reshape(d, k)).argmax(1)
    start = 0.1 * uniform(8, h * d + k * h)
    return x, y, [start[: h * d].reshape(h, d), start[h * d :].reshape(k, h)], [np.zeros(h), np.zeros(k)]


def flat(matrices, biases):
    """Parameters in the order of the layers, in ten columns."""
    import numpy as np

    return np.concatenate([part.ravel() for pair in zip(matrices, biases) for part in pair]).reshape(-1, 10)


def adam_epoch(x, y, batch, matrices, biases):
    """The definition: one epoch of Adam over batches in order."""
    import numpy as np

    theta = [part.copy() for pair in zip(matrices, biases) for part in pair]
    m, v = [np.zeros_like(t) for t in theta], [np.zeros_like(t) for t in theta]
    for step, at in enumerate(range(0, len(x), batch), 1):
        rows, t = x[at : at + batch], np.eye(biases[1].size)[y[at : at + batch]]
        a = rows @ theta[0].T + theta[1]
        z = np.maximum(a, 0)
        p = np.exp(z @ theta[2].T + theta[3])
        delta = (p / p.sum(1, keepdims=True) - t) / len(rows)
        below = (delta @ theta[2]) * (a > 0)
        for i, g in enumerate([below.T @ rows, below.sum(0), delta.T @ z, delta.sum(0)]):
            m[i], v[i] = 0.9 * m[i] + 0.1 * g, 0.999 * v[i] + 0.001 * g * g
            theta[i] -= 1e-3 * (m[i] / (1 - 0.9**step)) / (np.sqrt(v[i] / (1 - 0.999**step)) + 1e-14)
    return flat(theta[::2], theta[1::2])


def mlp(request):
    x, y, matrices, biases = mlp_data(request)
    if request.get("impl") != "sklearn":
        return lambda: adam_epoch(x, y, request["batch"], matrices, biases)
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from sklearn.utils._testing import ignore_warnings

    # It adds ε to √v before its correction, not after: so small, it makes no difference.
    model = MLPClassifier(hidden_layer_sizes=(request["hidden"],), solver="adam", alpha=0.0, epsilon=1e-14,
                          batch_size=request["batch"], max_iter=1, learning_rate_init=1e-3, shuffle=False,
                          warm_start=True)  # fmt: skip

    @ignore_warnings(category=ConvergenceWarning)
    def run():
        # A start that it has not made itself counts as an earlier fit.
        model.coefs_, model.intercepts_ = [m.T.copy() for m in matrices], [b.copy() for b in biases]
        model.fit(x, y)
        return flat([c.T for c in model.coefs_], model.intercepts_)

    with ignore_warnings(category=ConvergenceWarning):
        model.fit(x[: request["batch"]], y[: request["batch"]])
    return run


def ratings(request):
    """Confidences 1 + count, users x items, and the factors of items to begin with; some items are taken far more often."""
    import numpy as np
    from scipy.sparse import csr_matrix

    users, items, count, k = (request[key] for key in ("users", "items", "count", "k"))
    draws = 4 * count
    user = (users * (uniform(1, draws) + 0.5) ** 1.5).astype(int)
    item = (items * (uniform(2, draws) + 0.5) ** 2).astype(int)
    _, first = np.unique(user * items + item, return_index=True)
    first = np.sort(first)[:count]
    values = 2 + np.floor(5 * (uniform(3, count) + 0.5))
    table = csr_matrix((values, (user[first], item[first])), shape=(users, items))
    return table, 0.1 * uniform(4, items * k).reshape(items, k)


def solve_rows(other, table, penalty):
    import numpy as np

    shared = other.T @ other + penalty * np.eye(other.shape[1])
    out = np.zeros((table.shape[0], other.shape[1]))
    for row in range(table.shape[0]):
        at = slice(table.indptr[row], table.indptr[row + 1])
        phi, c = other[table.indices[at]], table.data[at]
        if len(c):
            out[row] = np.linalg.solve(shared + phi.T @ ((c - 1)[:, None] * phi), phi.T @ c)
    return out


def als(request):
    table, start = ratings(request)
    turned, penalty, iterations = table.T.tocsr(), 0.1, request["iterations"]
    if request.get("impl") == "implicit":
        import numpy as np
        from implicit.cpu.als import AlternatingLeastSquares
        from threadpoolctl import threadpool_limits

        cg = request["op"] == "als_cg"
        dtype = np.float32 if cg else np.float64
        table = table.astype(dtype)

        def run():
            model = AlternatingLeastSquares(factors=start.shape[1], regularization=penalty, iterations=iterations,
                                            use_cg=cg, dtype=dtype)  # fmt: skip
            model.user_factors = np.zeros((table.shape[0], start.shape[1]), dtype)
            model.item_factors = start.astype(dtype)
            # Its own threads are faster without those of BLAS, and it says so.
            with threadpool_limits(1, "blas"):
                model.fit(table, show_progress=False)
            return model.item_factors

        return run

    def definition():
        item = start
        for _ in range(iterations):
            user = solve_rows(item, table, penalty)
            item = solve_rows(user, turned, penalty)
        return item

    def by_gradients():
        user, item = 0 * start[:1].repeat(table.shape[0], 0), start
        for _ in range(iterations):
            user = conjugate(user, item, table, penalty)
            item = conjugate(item, user, turned, penalty)
        return item

    return by_gradients if request["op"] == "als_cg" else definition


def conjugate(own, other, table, penalty):
    """Three steps of conjugate gradients from the factors as they are."""
    import numpy as np

    shared, out = other.T @ other + penalty * np.eye(other.shape[1]), own.copy()
    for row in range(table.shape[0]):
        at = slice(table.indptr[row], table.indptr[row + 1])
        phi, c = other[table.indices[at]], table.data[at]
        if not len(c):
            out[row] = 0
            continue
        times = lambda v: shared @ v + phi.T @ ((c - 1) * (phi @ v))
        r = phi.T @ c - times(out[row])
        p, square = r.copy(), r @ r
        for _ in range(3):
            if square < 1e-20:
                break
            ap = times(p)
            step = square / (p @ ap)
            out[row] += step * p
            r -= step * ap
            p, square = r + (r @ r) / square * p, r @ r
    return out


def nmf(request):
    import numpy as np

    n, d, k, iterations = (request[key] for key in ("n", "d", "k", "iterations"))
    x = uniform(6, n * d).reshape(n, d) + 0.5
    w, h = uniform(7, n * k).reshape(n, k) / 10 + 0.1, uniform(8, k * d).reshape(k, d) / 10 + 0.1
    if request.get("impl") == "sklearn":
        from sklearn.decomposition import NMF as Model
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.utils._testing import ignore_warnings

        @ignore_warnings(category=ConvergenceWarning)
        def run():
            model = Model(k, init="custom", solver="cd", tol=0.0, max_iter=iterations)
            model.fit_transform(x, W=w.copy(), H=h.copy())
            return model.components_

        return run

    def sweep(w, x, h):
        gram, inner = h @ h.T, x @ h.T
        for j in range(k):
            w[:, j] = np.maximum(0, w[:, j] + (inner[:, j] - w @ gram[:, j]) / gram[j, j])

    def definition():
        own, across = w.copy(), h.T.copy()
        for _ in range(iterations):
            sweep(own, x, across.T)
            sweep(across, x.T, own.T)
        return across.T

    return definition


def prepare(request):
    """A closure that runs one request once; inputs are made here, outside the clock."""
    return {"mlp": mlp, "als": als, "als_cg": als, "nmf": nmf}[request["op"]](request)
