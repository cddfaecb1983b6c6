"""Linear models, discriminants, neighbours and boosting against scikit-learn, each to the same result."""

from protocol import uniform
from row import Row

LOGISTIC = {"op": "logistic", "n": 100_000, "d": 100, "k": 2, "device": "cpu"}
MULTINOMIAL = {"op": "logistic", "n": 20_000, "d": 64, "k": 10, "device": "cpu"}
LASSO = {"op": "lasso", "n": 1000, "d": 5000, "k": 100, "device": "cpu"}
LEAST_SQUARES = {"op": "least_squares", "n": 200_000, "d": 100, "k": 1, "device": "cpu"}
LDA = {"op": "lda", "n": 100_000, "d": 50, "k": 4, "device": "cpu"}
QDA = {**LDA, "op": "qda"}
NEIGHBOURS = {"op": "neighbours", "n": 50_000, "d": 16, "k": 10, "device": "cpu"}
BOOSTING = {"op": "boosting", "n": 20_000, "d": 20, "k": 100, "device": "cpu"}

ROWS = [
    # Both sides stop where coefficients are those of the optimum to 1e-6 of their norm.
    Row("Logistic 100000 x 100 / scikit-learn", LOGISTIC, "python", "sklearn", target=2.0, tolerance=1e-6),
    Row("Multinomial 20000 x 64, K=10 / scikit-learn", MULTINOMIAL, "python", "sklearn", target=2.0, tolerance=1e-6),
    # Both to a duality gap of 1e-6 |y|^2, which determines coefficients to its root.
    Row("Lasso path of 100, 1000 x 5000 / scikit-learn", LASSO, "python", "sklearn", target=2.0, reps=3, tolerance=2e-3),
    Row("LeastSquares 200000 x 100 / scikit-learn", LEAST_SQUARES, "python", "sklearn", target=1.0, tolerance=1e-9),
    Row("LDA 100000 x 50, K=4 / scikit-learn", LDA, "python", "sklearn", target=2.0, reps=7, tolerance=1e-8),
    Row("QDA 100000 x 50, K=4 / scikit-learn", QDA, "python", "sklearn", target=2.0, reps=7, tolerance=1e-8),
    Row("10 of 50000 x 16, 5000 queries / scikit-learn brute", NEIGHBOURS, "python", "sklearn", target=2.0, reps=7),
    Row("AdaBoost of 100 stumps, 20000 x 20 / scikit-learn", BOOSTING, "python", "sklearn", target=3.0, reps=3, tolerance=1e-2),
]  # fmt: skip


def classes(x, k, noise):
    """The largest of k linear functions and noise; of two the sign of one."""
    import numpy as np

    columns = 1 if k == 2 else k
    scores = x @ uniform(21, x.shape[1] * columns).reshape(-1, columns)
    scores += noise * uniform(22, len(x) * columns).reshape(-1, columns)
    return (scores[:, 0] > 0).astype(int) if k == 2 else np.argmax(scores, 1)


def prepare(request):
    """A closure that runs one request once; inputs are made here, outside the clock."""
    import numpy as np

    op, n, d, k, impl = (request[key] for key in ("op", "n", "d", "k", "impl"))
    x = uniform(20, n * d).reshape(n, d)
    if op == "logistic":
        return logistic(x, classes(x, k, 3.0), impl)
    if op == "lasso":
        return lasso(x, x[:, :50] @ uniform(21, 50) + 0.2 * uniform(22, n), k, impl)
    if op == "least_squares":
        y = x @ uniform(21, d) + 0.2 * uniform(22, n)
        if impl == "numpy":
            design = np.column_stack([x, np.ones(n)])
            return lambda: np.linalg.lstsq(design, y)[0][:, None]
        from sklearn.linear_model import LinearRegression

        def run():
            fit = LinearRegression().fit(x, y)
            return np.append(fit.coef_, fit.intercept_)[:, None]

        return run
    if op in ("lda", "qda"):
        return discriminant(x, classes(x, k, 2.0), k, op, impl)
    if op == "neighbours":
        return neighbours(x, uniform(23, 5000 * d).reshape(5000, d), k, impl)
    return boosting(x, classes(x, 2, 1.0), k)


def logistic(x, y, impl):
    """Coefficients and intercepts, a row for each class but the first of two."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    tolerance = 1e-11 if impl == "numpy" else 1e-7

    def run():
        fit = LogisticRegression(C=1.0, tol=tolerance, max_iter=10_000).fit(x, y)
        return np.column_stack([fit.coef_, fit.intercept_])

    return run


def lasso(x, y, count, impl):
    """Coefficients along a path of penalties from the first that leaves none to a hundredth of it, centred before."""
    from sklearn.linear_model import lasso_path

    tolerance = 1e-12 if impl == "numpy" else 1e-6

    def run():
        centred = x - x.mean(0)
        return lasso_path(centred, y - y.mean(), eps=1e-2, n_alphas=count, tol=tolerance, max_iter=100_000)[1].T

    return run


def discriminant(x, y, k, op, impl):
    """Posterior probabilities of the first 1,000 rows, after a fit to all."""
    import numpy as np
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

    def definition():
        members = [x[y == c] for c in range(k)]
        covariances = [np.cov(m.T, bias=True) for m in members]
        if op == "lda":
            covariances = [sum(c * len(m) for c, m in zip(covariances, members)) / len(x)] * k
        joint = np.empty((1000, k))
        for c, (m, s) in enumerate(zip(members, covariances)):
            z = x[:1000] - m.mean(0)
            quadratic = (z * np.linalg.solve(s, z.T).T).sum(1)
            joint[:, c] = np.log(len(m) / len(x)) - 0.5 * (quadratic + np.linalg.slogdet(s)[1])
        p = np.exp(joint - joint.max(1, keepdims=True))
        return p / p.sum(1, keepdims=True)

    if impl == "numpy":
        return definition
    model = LinearDiscriminantAnalysis if op == "lda" else QuadraticDiscriminantAnalysis
    return lambda: model().fit(x, y).predict_proba(x[:1000])


def neighbours(x, queries, k, impl):
    """Distances to the k nearest rows, nearest first."""
    import numpy as np

    def definition():
        out = np.empty((len(queries), k))
        for i, q in enumerate(queries):
            out[i] = np.sort(np.partition(((x - q) ** 2).sum(1), k)[:k])
        return np.sqrt(out)

    if impl == "numpy":
        return definition
    from sklearn.neighbors import NearestNeighbors

    return lambda: NearestNeighbors(n_neighbors=k, algorithm="brute").fit(x).kneighbors(queries)[0]


def boosting(x, y, count):
    """The share of its own rows that the committee gets right, twice: stumps of scikit-learn minimise the Gini impurity, ours
    the weighted error itself."""
    import numpy as np
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    def run():
        fit = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=count).fit(x, y)
        return np.full((2, 1), fit.score(x, y))

    return run
