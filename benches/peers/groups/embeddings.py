"""Kernel tests: a permutation test of two samples by MMD, and of independence by HSIC.

hyppo makes B permutations of the whole distance matrix, one after the other, at a cost linear in B: it is run with fewer
permutations than we are and its time scaled by their ratio. Its MMD and its Hsic are correlations; `prepare` returns the
same ones of ours from plain numpy, which are the truth for every side.
"""

from protocol import uniform
from row import Row

GAMMA = 0.5
FEW = 20
MMD = {"op": "mmd_test", "n": 1000, "d": 10, "permutations": 1000, "device": "cpu"}
HSIC = {"op": "hsic_test", "n": 1000, "d": 10, "permutations": 1000, "device": "cpu"}


def fewer(request):
    return {**request, "permutations": FEW}


ROWS = [
    Row("MMD test n=m=1000 d=10 B=1000 / hyppo (B=20, scaled)", MMD, "python", "hyppo", target=1000.0, reps=3,
        peer_request=fewer(MMD), scale=1000 / FEW),
    Row("HSIC test n=1000 d=10 B=1000 / hyppo (B=20, scaled)", HSIC, "python", "hyppo", target=30.0, reps=3,
        peer_request=fewer(HSIC), scale=1000 / FEW),
]  # fmt: skip


def prepare(request):
    """A closure that runs one request once and returns its statistic; inputs are made here, outside the clock."""
    import numpy as np

    n, d = request["n"], request["d"]
    x = uniform(6, n * d).reshape(n, d)
    y = uniform(7, n * d).reshape(n, d) + (0.05 if request["op"] == "mmd_test" else 0.2 * x)
    if request["impl"] == "hyppo":
        from hyppo.independence import Hsic
        from hyppo.ksample import MMD as KMmd

        kind = KMmd if request["op"] == "mmd_test" else Hsic
        test = kind(compute_kernel="rbf", bias=True, gamma=GAMMA)
        return lambda: np.array([test.test(x, y, reps=request["permutations"], auto=False, random_state=1)[0]])
    return lambda: np.array([mmd(x, y) if request["op"] == "mmd_test" else alignment(gram(x), gram(y)) ** 0.5])


def gram(x):
    from scipy.spatial.distance import cdist

    import numpy as np

    return np.exp(-GAMMA * cdist(x, x, "sqeuclidean"))


def alignment(k, l):
    centre = lambda a: a - a.mean(0) - a.mean(1)[:, None] + a.mean()
    k, l = centre(k), centre(l)
    return (k * l).sum() / ((k * k).sum() * (l * l).sum()) ** 0.5


def mmd(x, y):
    """hyppo's normalisation: the root of the alignment with the labels, times 2 m^2 n^2 / (m + n)^4."""
    import numpy as np

    m, n = len(x), len(y)
    label = np.r_[np.zeros(m), np.ones(n)]
    same = (label[:, None] == label).astype(float)
    return alignment(gram(np.r_[x, y]), same) ** 0.5 * 2 * m**2 * n**2 / (m + n) ** 4
