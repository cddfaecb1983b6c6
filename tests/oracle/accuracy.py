"""Answers in extended precision for processes, ridges, classifiers and components: `python3 tests/oracle/accuracy.py`.

Writes `accuracy.json` beside it. Every formula is written here from its definition, in numpy's long double (64 bits of
mantissa on x86); gradients are central differences of fourth order by the logarithm of each parameter. Kernels are named as
in `tests/gp/accuracy.rs`, parameters in its order, noise last. Data have few digits, so that they are the same numbers in f64.
"""

import json
from pathlib import Path

import numpy as np

LONG = np.longdouble
PI = 4 * np.arctan(LONG(1))
rng = np.random.default_rng(16)
HERE = Path(__file__).parent


def factor(a):
    """The lower Cholesky factor."""
    l = a.copy()
    for j in range(len(a)):
        l[j:, j] /= np.sqrt(l[j, j])
        l[j + 1 :, j + 1 :] -= np.outer(l[j + 1 :, j], l[j + 1 :, j])
    return np.tril(l)


def forward(l, b):
    x = b.astype(LONG).copy()
    for i in range(len(l)):
        x[i] = (x[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


def backward(l, b):
    x = b.astype(LONG).copy()
    for i in reversed(range(len(l))):
        x[i] = (x[i] - l[i + 1 :, i] @ x[i + 1 :]) / l[i, i]
    return x


def solve(a, b):
    l = factor(a)
    return backward(l, forward(l, b))


def apart(x, y, scales):
    """Squared distances in units of the length scales."""
    return sum(((x[:, None, f] - y[None, :, f]) / scales[f]) ** 2 for f in range(x.shape[1]))


def turn(x, y, length, period):
    return np.exp(-2 * np.sin(PI * (x[:, None, 0] - y[None, :, 0]) / period) ** 2 / length**2)


def ard(p, x, y):
    return p[0] * np.exp(-apart(x, y, p[1:4]) / 2)


def matern32(p, x, y):
    z = np.sqrt(3 * apart(x, y, [p[1]] * x.shape[1]))
    return p[0] * (1 + z) * np.exp(-z)


def matern52(p, x, y):
    z = np.sqrt(5 * apart(x, y, p[1:3]))
    return p[0] * (1 + z + z**2 / 3) * np.exp(-z)


def seasons(p, x, y):
    return np.exp(-apart(x, y, [p[0]]) / 2) * turn(x, y, p[1], p[2])


def co2(p, x, y):
    trend = p[0] * np.exp(-apart(x, y, [p[1]]) / 2)
    yearly = p[2] * np.exp(-apart(x, y, [p[3]]) / 2) * turn(x, y, p[4], p[5])
    return trend + yearly + p[6] * (1 + apart(x, y, [p[7]]) / (2 * p[8])) ** -p[8]


def polynomial(p, x, y):
    return (x @ y.T + p[0]) ** 3


def rbf(p, x, y):
    return p[0] * np.exp(-apart(x, y, [p[1]] * x.shape[1]) / 2)


def slopes(f, p):
    """By the logarithm of each."""
    out = []
    for i in range(len(p)):
        h = LONG(2e-5)

        def at(k):
            q = p.copy()
            q[i] *= np.exp(k * h)
            return f(q)

        out.append((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h))
    return out


def evidence(kernel, x, y):
    def value(p):
        l = factor(kernel(p, x, x) + p[-1] * np.eye(len(x), dtype=LONG))
        v = forward(l, y)
        return -(v @ v) / 2 - np.log(np.diag(l)).sum() - len(x) * np.log(2 * PI) / 2

    return value


def floats(a):
    return np.asarray(a, dtype=np.float64).tolist()


def process(name, kernel, p, x, y, new):
    p = np.array(p, dtype=LONG)
    at = [np.asarray(a, dtype=np.float64).astype(LONG) for a in (x, y, new)]
    c = kernel(p, at[0], at[0]) + p[-1] * np.eye(len(x), dtype=LONG)
    l, across = factor(c), kernel(p, at[0], at[2])
    alpha = backward(l, forward(l, at[1]))
    left = np.diag(kernel(p, at[2], at[2])) - (forward(l, across) ** 2).sum(axis=0)
    value = evidence(kernel, at[0], at[1])
    return dict(
        name=name,
        kernel=kernel.__name__,
        parameters=floats(p),
        x=floats(x),
        y=floats(y),
        new=floats(new),
        alpha=floats(alpha),
        mean=floats(across.T @ alpha),
        variance=floats(left),
        evidence=float(value(p)),
        gradient=floats(slopes(value, p)),
    )


def inputs(n, d, spread=3.0, shift=0.0):
    return np.round(rng.uniform(-spread, spread, (n, d)), 3) + shift


def target(x, size=1.0):
    x = x - np.round(x.mean())
    return np.round(size * (np.sin(1.7 * x[:, 0]) + 0.3 * x.sum(axis=1) + 0.2 * rng.standard_normal(len(x))), 3)


def carbon():
    rows = (HERE.parent.parent / "examples" / "data" / "co2.csv").read_text().splitlines()
    rows = np.array([[float(v) for v in r.split(",")] for r in rows if r[:1].isdigit()])
    rows = rows[rows[:, 0] < 1992]
    return rows[:, :1], np.round(rows[:, 1] - 330, 3)


def processes():
    out = []
    x = inputs(250, 3)
    out.append(process("ard", ard, [1.7, 0.8, 2.5, 40, 1e-2], x, target(x), inputs(8, 3)))
    x = inputs(300, 2)
    out.append(process("large targets", matern32, [2e6, 1.4, 100.0], x, target(x, 1e3), inputs(8, 2)))
    x = inputs(200, 2, shift=100000)
    out.append(process("far away", matern52, [2.2, 1.1, 1.9, 1e-3], x, target(x), inputs(8, 2, shift=100000)))
    x = inputs(150, 1, spread=8)
    out.append(process("periodic", seasons, [9, 1.3, 3.7, 1e-1], x, target(x), inputs(8, 1, spread=9)))
    x = inputs(50, 2)
    out.append(process("little noise", matern32, [1, 1.4, 1e-4], x, target(x), inputs(8, 2)))
    x = inputs(120, 2, spread=1)
    out.append(process("polynomial", polynomial, [1, 1e-1], x, target(x), inputs(8, 2, spread=1)))
    x, y = carbon()
    ten = [2000, 50, 5, 100, 1.3, 1, 0.5, 1, 1, 0.1]
    out.append(process("co2", co2, ten, x[::2], y[::2], np.round(inputs(8, 1, spread=20, shift=1975), 3)))
    learned = [1600, 45, 5.2, 90, 1.4, 1, 0.3, 1.6, 0.6, 0.04]
    out.append(process("co2 learned", co2, learned, x[::3], y[::3], np.round(inputs(8, 1, spread=20, shift=1975), 3)))
    return out


def ridge():
    """Without weights: the penalty is that of the coefficients, not of the intercept."""
    out = []
    for name, n, d, penalty, shift, size in [
        ("ridge", 120, 6, 0.5, 0.0, 1.0),
        ("ridge far away", 120, 4, 0.1, 1e4, 1e3),
        ("ridge wide", 40, 60, 2.0, 0.0, 1.0),
    ]:
        x = inputs(n, d, shift=shift)
        y = target(x, size)
        xl, yl = x.astype(LONG), y.astype(LONG)
        centre, mean = xl.mean(axis=0), yl.mean()
        z = xl - centre
        w = solve(z.T @ z + LONG(penalty) * np.eye(d, dtype=LONG), z.T @ (yl - mean))
        out.append(dict(name=name, x=floats(x), y=floats(y), penalty=penalty, w=floats(w), b=float(mean - centre @ w)))
    return out


def falkon():
    """`(K_zx K_xz + penalty K_zz) a = K_zx y`; landmarks z are rows of the data."""
    x = inputs(300, 2)
    y, new, p = target(x), inputs(8, 2), np.array([1, 1.1], dtype=LONG)
    xl, yl = x.astype(LONG), y.astype(LONG)
    # What the seed 0 chooses.
    chosen = [196, 213, 219, 141, 154, 211, 170, 24, 65, 264, 178, 169, 131, 250, 249, 281, 156, 244, 272, 62]
    chosen += [159, 266, 277, 236, 20, 11, 192, 122, 41, 23, 186, 203, 45, 83, 297, 149, 208, 195, 187, 270]
    z = xl[chosen]
    zx, zz = rbf(p, z, xl), rbf(p, z, z)
    out = []
    for penalty in [1e-1, 1e-4]:
        a = solve(zx @ zx.T + LONG(penalty) * zz, zx @ yl)
        out.append(dict(penalty=penalty, mean=floats(rbf(p, new.astype(LONG), z) @ a)))
    return dict(x=floats(x), y=floats(y), chosen=chosen, new=floats(new), cases=out)


def sparse():
    """The bound `log N(y; 0, Q + noise) - tr(K - Q)/(2 noise)`, by parameters and noise on their own scale."""
    x = inputs(200, 1)
    z, new = np.round(np.linspace(-3, 3, 12), 3)[:, None], inputs(8, 1)
    y, p = target(x), np.array([1.3, 0.9, 0.05], dtype=LONG)
    xl, yl, zl, nl = (a.astype(LONG) for a in (x, y, z, new))

    def parts(p):
        l = factor(rbf(p, zl, zl))
        a = forward(l, rbf(p, zl, xl))
        return l, a.T @ a

    def bound(p):
        q = parts(p)[1]
        l = factor(q + p[-1] * np.eye(len(x), dtype=LONG))
        v = forward(l, yl)
        fit = -(v @ v) / 2 - np.log(np.diag(l)).sum() - len(x) * np.log(2 * PI) / 2
        return fit - (len(x) * p[0] - np.trace(q)) / (2 * p[-1])

    l, q = parts(p)
    c = factor(q + p[-1] * np.eye(len(x), dtype=LONG))
    at = forward(l, rbf(p, zl, xl)).T @ forward(l, rbf(p, zl, nl))
    mean = at.T @ backward(c, forward(c, yl))
    left = p[0] - (forward(c, at) ** 2).sum(axis=0)
    by = np.array(slopes(bound, p)) / p
    return dict(
        x=floats(x), y=floats(y), z=floats(z), new=floats(new), value=float(bound(p)), by=floats(by), mean=floats(mean),
        variance=floats(left),
    )  # fmt: skip


def classifier():
    """Laplace's approximation under the logistic likelihood, at the mode."""
    x = inputs(90, 2)
    y = np.where(np.sin(1.3 * x[:, 0]) + 0.4 * x[:, 1] + 0.5 * rng.standard_normal(90) > 0, 1, -1)
    new, p = inputs(8, 2), np.array([2.5, 1.2], dtype=LONG)
    xl, nl = x.astype(LONG), new.astype(LONG)
    eye = np.eye(len(x), dtype=LONG)

    def mode(p):
        k, f = rbf(p, xl, xl), np.zeros(len(x), dtype=LONG)
        for _ in range(40):
            s = 1 / (1 + np.exp(-f))
            w, g = s * (1 - s), (y + 1) / LONG(2) - s
            root = np.sqrt(w)
            b = factor(eye + root[:, None] * k * root)
            r = w * f + g
            a = r - root * backward(b, forward(b, root * (k @ r)))
            f = k @ a
        return k, f, a, root, b

    def value(p):
        _, f, a, _, b = mode(p)
        return -(a @ f) / 2 - np.log1p(np.exp(-y * f)).sum() - np.log(np.diag(b)).sum()

    _, f, a, root, b = mode(p)
    across = rbf(p, xl, nl)
    left = p[0] - (forward(b, root[:, None] * across) ** 2).sum(axis=0)
    return dict(
        x=floats(x), y=y.tolist(), new=floats(new), value=float(value(p)), gradient=floats(slopes(value, p)),
        mean=floats(across.T @ a), variance=floats(left),
    )  # fmt: skip


def components():
    """Eigenvalues of the covariance in f64; numpy has them to its last digits here."""
    out = []
    for name, n, d, shift in [("tall", 300, 5, 0.0), ("far away", 200, 4, 1e4), ("wide", 40, 60, 0.0)]:
        x = inputs(n, d, shift=shift) * np.round(np.linspace(1, 3, d), 2)
        x = np.round(x, 3)
        centred = x - x.astype(LONG).mean(axis=0).astype(float)
        _, s, v = np.linalg.svd(centred, full_matrices=False)
        v = v[:3] * np.sign(v[np.arange(3), np.abs(v[:3]).argmax(axis=1)])[:, None]
        out.append(dict(name=name, x=floats(x), variance=floats(s[:3] ** 2 / (n - 1)), components=floats(v)))
    return out


found = dict(
    processes=processes(), ridge=ridge(), falkon=falkon(), sparse=sparse(), classifier=classifier(), pca=components()
)
Path(__file__).with_suffix(".json").write_text(json.dumps(found) + "\n")
