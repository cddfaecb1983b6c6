"""The verbs of the engine: dense products, Gram matrices, kernel-vector products, Cholesky factors.

`ROWS` says what is compared; `prepare` runs the Python peers, and their numpy answers are the truth for every side.
"""

from protocol import positive_definite, uniform
from row import Row

GEMM = {"op": "gemm", "n": 2048, "device": "cpu"}
GRAM = {"op": "gram", "n": 4096, "d": 16, "device": "cpu"}
GRAM_VEC = {"op": "gram_vec", "n": 50_000, "d": 3, "device": "cpu"}
CROSS = {**GRAM_VEC, "op": "gram_vec_cross"}  # two data sets: every side evaluates every pair
MEMORY = {"op": "gram_vec_memory", "n": 1_000_000, "d": 3, "rows": 256, "device": "cpu"}
CHOLESKY = {"op": "cholesky", "n": 2048, "device": "cpu"}
LLVMPIPE_GEMM = {"op": "gemm", "n": 1024, "device": "llvmpipe"}
LLVMPIPE_CHOLESKY = {"op": "cholesky", "n": 1024, "device": "llvmpipe"}
SWIFTSHADER_CHOLESKY = {"op": "cholesky", "n": 1024, "device": "swiftshader"}

ROWS = [
    Row("gemm f64 n=2048 / numpy", GEMM, "python", "numpy", target=1.0, reps=9),
    Row("gram RBF n=4096 d=16 / scikit-learn", GRAM, "python", "sklearn", target=4.0, reps=7),
    Row("gram_vec RBF n=50000 d=3 / numpy in chunks", GRAM_VEC, "python", "numpy", target=5.0, reps=2),
    Row("gram_vec RBF n=50000 d=3 / PyKeOps", GRAM_VEC, "python", "pykeops", target=4.0, reps=3),
    Row("gram_vec of two data sets / numpy in chunks", CROSS, "python", "numpy", target=5.0, reps=2),
    Row("gram_vec of two data sets / PyKeOps", CROSS, "python", "pykeops", target=4.0, reps=3),
    # No peer: the limit is 200 MB.
    Row("gram_vec n=1000000 peak memory / limit", MEMORY, None, None, target=1.0, reps=1, unit="MB", limit=200.0),
    # "Within 10 %" of faer.
    Row("cholesky f64 n=2048 / faer", CHOLESKY, "rust", "faer", target=1 / 1.1, reps=9),
    Row("gemm f32 n=1024 llvmpipe / burn", LLVMPIPE_GEMM, "rust", "burn", target=1.0, reps=7, tolerance=1e-5),
    # The flop rate of one over that of the other: a Cholesky is n^3 / 3 flops, a product 2 n^3.
    Row("cholesky f32 n=1024 llvmpipe / own gemm, by flops", LLVMPIPE_CHOLESKY, "ours", None, target=0.5, reps=7,
        tolerance=1e-5, peer_request=LLVMPIPE_GEMM, scale=1 / 6),
    Row("cholesky f32 n=1024 SwiftShader / numr", SWIFTSHADER_CHOLESKY, "rust", "numr", target=20.0, reps=2,
        tolerance=1e-5),
]  # fmt: skip


def prepare(request):
    """A closure that runs one request once; inputs are made here, outside the clock."""
    import numpy as np

    op, n = request["op"], request["n"]
    if op == "gemm":
        a, b = uniform(1, n * n).reshape(n, n), uniform(2, n * n).reshape(n, n)
        return lambda: a @ b
    if op == "cholesky":
        a = positive_definite(3, n)
        return lambda: np.linalg.cholesky(a)
    d = request["d"]
    x, v = uniform(4, n * d).reshape(n, d), uniform(5, n)
    if op == "gram":
        from sklearn.metrics.pairwise import rbf_kernel

        return lambda: rbf_kernel(x, gamma=0.5)
    if op == "gram_vec_memory":
        few = x[: request["rows"]]
        return lambda: np.concatenate([chunked(few, x, v), chunked(x, few, v[: len(few)])])
    y = uniform(6, n * d).reshape(n, d) if op == "gram_vec_cross" else x
    if request.get("impl") == "pykeops":
        from pykeops.numpy import Genred

        arguments = ["x=Vi(3)", "y=Vj(3)", "v=Vj(1)", "g=Pm(1)"]
        product = Genred("Exp(-SqDist(x,y)*g)*v", arguments, reduction_op="Sum", axis=1)
        column, gamma = v[:, None], np.array([0.5])
        product(x[:8], x[:8], column[:8], gamma, backend="CPU")  # compiles
        return lambda: product(x, y, column, gamma, backend="CPU")
    return lambda: chunked(x, y, v)


def chunked(x, y, v, entries=2**24):
    """K(x, y) v in numpy, `entries` kernel values at a time.

    -|x - y|^2 / 2 = x'y - |x|^2 / 2 - |y|^2 / 2 is one product of widened matrices: the fastest form we found.
    """
    import numpy as np

    left = np.c_[x, -0.5 * (x * x).sum(1), np.ones(len(x))]
    right = np.c_[y, np.ones(len(y)), -0.5 * (y * y).sum(1)].T.copy()
    rows = max(1, entries // len(y))
    buffer, out = np.empty((rows, len(y))), np.empty(len(x))
    for i in range(0, len(x), rows):
        k = np.matmul(left[i : i + rows], right, out=buffer[: len(x) - i])
        out[i : i + rows] = np.exp(k, out=k) @ v
    return out
