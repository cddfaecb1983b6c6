"""Leave-one-out and generalised cross-validation of ridge regression by explicit refits, in 120 digits (mpmath).

Penalties from 1e-12 to 1e2 on data of which the fit sees nearly everything: there `1 - h` and `y - f` are differences of
numbers that agree to fourteen digits. Then observations far from all others, features in units far apart and weights over
many orders of magnitude, where they agree to thirty. `python tests/oracle/ridge_loo.py` writes `ridge_loo.json` beside it.
"""

import json
import math
from pathlib import Path

from mpmath import matrix, mp, mpf, lu_solve

mp.dps = 120
PENALTIES = [10.0**e for e in range(-12, 3, 2)]
FEW = [1e-12, 1e-6, 1.0, 1e2]


def system(x, w, penalty, intercept):
    """The normal equations, the intercept's column not penalised, and what is to be multiplied by y."""
    n, d = len(x), len(x[0])
    a = matrix([[*map(mpf, row), mpf(int(intercept))] for row in x])
    s = matrix([[mpf(w[i]) * a[i, j] for j in range(d + 1)] for i in range(n)])
    left = a.T * s
    for j in range(d):
        left[j, j] += mpf(penalty)
    if not intercept:
        left[d, d] = 1
    return left, s


def fit(x, y, w, penalty, intercept):
    """Coefficients and intercept."""
    left, s = system(x, w, penalty, intercept)
    return lu_solve(left, s.T * matrix(list(map(mpf, y))))


def at(found, row, intercept):
    d = len(row)
    return sum(mpf(v) * found[j] for j, v in enumerate(row)) + (found[d] if intercept else 0)


def missed(x, y, w, penalty, intercept):
    """By how much a fit without each observation misses it."""
    out = []
    for i in range(len(x)):
        rest = [j for j in range(len(x)) if j != i]
        found = fit([x[j] for j in rest], [y[j] for j in rest], [w[j] for j in rest], penalty, intercept)
        out.append(mpf(y[i]) - at(found, x[i], intercept))
    return out


def traces(x, w, penalty, intercept):
    """`1 - h_ii` of each observation, from fits to unit targets."""
    left, s = system(x, w, penalty, intercept)
    fits = left**-1 * s.T
    return [1 - at(fits[:, i], row, intercept) for i, row in enumerate(x)]


def case(name, x, y, w, intercept, penalties=PENALTIES):
    n, total = len(x), sum(map(mpf, w))
    loo, gcv, residuals = [], [], []
    for penalty in penalties:
        left = missed(x, y, w, penalty, intercept)
        free = traces(x, w, penalty, intercept)
        loo.append(float(sum(mpf(s) * r * r for s, r in zip(w, left)) / total))
        inside = sum(mpf(s) * (r * f) ** 2 for s, r, f in zip(w, left, free)) / total
        gcv.append(float(inside / (sum(free) / n) ** 2))
        residuals.append([float(r) for r in left])
    return {"name": name, "x": x, "y": y, "w": w, "intercept": intercept,
            "loo": loo, "gcv": gcv, "residuals": residuals}  # fmt: skip


def data(n, d, seed):
    x = [[round(math.sin(seed + 7.3 * i + 3.1 * j + 0.9 * i * j), 4) for j in range(d)] for i in range(n)]
    y = [round(x[i][0] - 2 * x[i][d - 1] + 0.5 + 0.3 * math.cos(5.0 * i), 4) for i in range(n)]
    return x, y


ones = [1.0] * 9
heavy = [0.25 * (1 + i * 5 % 7) for i in range(9)]
x, y = data(9, 20, 1)
cases = [case("wide", x, y, w, i) for w in (ones, heavy) for i in (True, False)]
# As many parameters as observations: with the intercept, and without.
x, y = data(9, 8, 2)
cases.append(case("saturated by the intercept", x, y, heavy, True))
x, y = data(9, 9, 3)
cases.append(case("square", x, y, ones, False))
# Two rows the same: a direction that nothing fits.
x, y = data(9, 20, 4)
x[5] = x[2]
cases.append(case("twins", x, y, ones, True))
# Observations 3 and 7 alone have features 1 and 2: whatever the others say, they are met.
x, y = data(9, 4, 5)
for i, row in enumerate(x):
    row[1] = 1.5 if i == 3 else 0.0
    row[2] = -0.5 if i == 7 else 0.0
cases += [case("features of one's own", x, y, ones, True), case("features of one's own", x, y, heavy, False)]



def stray(name, n, d, seed, intercept, w=None, rows=(3,), size=1e9, everywhere=False, change=None):
    x, y = data(n, d, seed)
    for k, i in enumerate(rows):
        for j in range(d if everywhere else 1):
            x[i][j] = float(round(size * (1 if j == k == 0 else math.cos(1 + 2.7 * j + 1.3 * k + j * k))))
    for i, row in enumerate(x if change else []):
        row[:] = change(i, row)
    return case(f"{name}, {size:.0e}, {n} x {d}", x, y, w or [1.0] * n, intercept, FEW)


strays = []
for n, d in [(9, 1), (9, 2), (12, 5), (6, 10)]:
    for size in (1e4, 1e8, 1e15):
        for intercept in (True, False):
            strays.append(stray("one value", n, d, 6, intercept, size=size))
            if d > 1:
                strays.append(stray("a row", n, d, 7, intercept, size=size, everywhere=True))
                strays.append(stray("two rows", n, d, 8, intercept, rows=(3, 5), size=size, everywhere=True))
heavy = [0.25 * (1 + i * 5 % 7) for i in range(12)]
strays.append(stray("two values and weights", 12, 5, 9, True, heavy, rows=(2, 8), size=1e12))
light = [10.0 ** (-3 * (i * 5 % 8)) for i in range(12)]
strays.append(stray("light rows", 12, 3, 10, True, light, rows=()))
strays.append(stray("light rows and a stray one", 12, 3, 11, True, light, size=1e10))
units = lambda i, row: [round(row[0] * 1e4) * 1e4, round(row[1] * 1e4) / 1e12, *row[2:]]
strays.append(stray("units", 12, 3, 12, True, rows=(), change=units))
strays.append(stray("units", 12, 3, 12, False, rows=(), change=units))
wide = lambda i, row: [round(v * 1e4) * 1e4 if j < 2 else round(v * 1e4) / 1e10 for j, v in enumerate(row)]
strays.append(stray("units", 6, 10, 13, True, rows=(), change=wide))
twice = lambda i, row: [row[0], row[0], *row[2:]]
strays.append(stray("a feature twice", 12, 4, 14, True, change=twice, everywhere=True, size=1e10))

out = {"penalties": PENALTIES, "cases": cases, "few": FEW, "strays": strays}
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
