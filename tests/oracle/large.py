"""Distributions of large parameters by mpmath with 40 digits: incomplete gamma and beta functions on a grid to 1e8, tails, rare
quantiles, log densities, entropies. Also prints the coefficients of Temme's expansion in `src/probability/incomplete.rs`.

`python tests/oracle/large.py` writes `large.json` beside it.
"""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 40
f = mp.mpf
half = f(1) / 2


def smaller(log, slope, x, centre, width, low, high):
    """The integral of exp(log) over the side of x that is away from the centre, scaled so that quad sees numbers near one."""
    size = min(width, 1 / abs(slope)) if slope else width
    top = log(x)
    inside = lambda t: mp.exp(log(t) - top)
    to = max(low, x - 100 * size) if x < centre else min(high, x + 100 * size)
    return mp.exp(top) * abs(mp.quad(inside, mp.linspace(x, to, 41)))


def gammas(a, x):
    """P(a, x), Q(a, x)."""
    a, x = f(a), f(x)
    if a < 500:
        return mp.gammainc(a, 0, x, regularized=True), mp.gammainc(a, x, mp.inf, regularized=True)
    constant = mp.loggamma(a)
    one = smaller(lambda t: (a - 1) * mp.log(t) - t - constant, (a - 1) / x - 1, x, a, mp.sqrt(a), f(0), mp.inf)
    return (one, 1 - one) if x < a else (1 - one, one)


def betas(a, b, x):
    """I_x(a, b) and the rest."""
    a, b, x = f(a), f(b), f(x)
    n = a + b
    if n < 500:
        one = mp.betainc(a, b, 0, x, regularized=True)
        return one, mp.betainc(b, a, 0, 1 - x, regularized=True)
    constant = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(n)
    log = lambda t: (a - 1) * mp.log(t) + (b - 1) * mp.log1p(-t) - constant
    slope, width = (a - 1) / x - (b - 1) / (1 - x), mp.sqrt(a * b / n**3)
    one = smaller(log, slope, x, a / n, width, f(0), f(1))
    return (one, 1 - one) if x < a / n else (1 - one, one)


out = {"gamma": [], "beta": [], "tails": [], "quantiles": [], "densities": [], "entropies": []}
for a in [0.3, 5, 40, 300, 9000, 1.1e4, 1e5, 1e6, 1e8]:
    for z in [-20, -6, -2, -0.1, 0.1, 2, 6, 20]:
        x = float(f(a) + f(z) * mp.sqrt(f(a)))
        if x > 0:
            out["gamma"].append([a, x, *map(float, gammas(a, x))])
shapes = [(0.5, 0.5), (2, 3), (40, 60), (300, 0.5), (1e4, 1e4), (5e5, 500001), (5e6, 5e6), (100, 1e6), (1e5, 1e8), (1e8, 1e8)]
for a, b in shapes:
    for z in [-20, -6, -2, -0.1, 0.1, 2, 6, 20]:
        n = f(a) + b
        x = float(f(a) / n + z * mp.sqrt(f(a) * b / n**3))
        if 0 < x < 1:
            out["beta"].append([a, b, x, *map(float, betas(a, b, x))])


def case(name, parameters, x, cdf, survival):
    return {"name": name, "parameters": parameters, "x": x, "cdf": float(cdf), "survival": float(survival)}


def student(nu, z):
    """The tail below -|z|."""
    nu, z = f(nu), abs(f(z))
    if z * z > 3:
        log = lambda t: -(nu + 1) / 2 * mp.log1p(t * t / nu) - (mp.log(nu) / 2 + mp.log(mp.beta(nu / 2, half)))
        if nu > 50:
            return smaller(log, (nu + 1) * z / (nu + z * z), z, f(0), f(1), f(0), mp.inf)
    return mp.betainc(nu / 2, half, 0, nu / (nu + z * z), regularized=True) / 2


for nu, z in [(100, -8), (100, -9.9), (1000, -8), (1000, -12), (1e4, -6), (1e8, -2), (1e8, -8), (1e12, -8)]:
    tail = student(nu, z)
    out["tails"].append(case("student_t", [nu, 0, 1], z, tail, 1 - tail))
for n, k in [(10**6, 499900), (10**6, 490000), (10**7, 4990000)]:
    low, up = betas(n - k, k + 1, half)
    out["tails"].append(case("binomial", [n, 0.5], k, low, up))
for rate, k in [(1e5, 98000), (1e6, 1006000), (1e8, 99940000)]:
    low, up = gammas(k + 1, rate)
    out["tails"].append(case("poisson", [rate], k, up, low))
for a, b, x in [(1e6, 1e6, 0.994), (1e6, 1e6, 1.006)]:
    low, up = gammas(a, f(b) / f(x))
    out["tails"].append(case("inverse_gamma", [a, b], x, up, low))


def von_mises(k, d):
    """The mass beyond the distance d, on one side."""
    k, d = f(k), f(d)
    log = lambda t: -2 * k * mp.sin(t / 2) ** 2 - mp.log(2 * mp.pi * mp.besseli(0, k) * mp.exp(-k))
    return smaller(log, k * mp.sin(d), d, f(0), 1 / mp.sqrt(k), f(0), mp.pi)


for k, d in [(1e4, 0.02), (1e4, 0.1), (1e8, 3e-4)]:
    up = von_mises(k, d)
    out["tails"].append(case("von_mises", [0, k], d, 1 - up, up))

for nu, p in [(1000, 1e-20), (1000, 1e-30), (100, 1e-12), (1e6, 1e-15)]:
    start = mp.findroot(lambda z: mp.log(mp.ncdf(z)) - mp.log(f(p)), -mp.sqrt(-2 * mp.log(f(p))) + half)
    root = mp.findroot(lambda z: mp.log(student(nu, z)) - mp.log(f(p)), (start, start * f("1.02")), tol=1e-30)
    out["quantiles"].append({"name": "student_t", "parameters": [nu, 0, 1], "p": p, "x": float(root)})
for a, p in [(1e6, 1e-9), (1e8, 0.999)]:
    g = lambda x: mp.log(gammas(a, x)[0 if p < 0.5 else 1]) - mp.log(f(p) if p < 0.5 else 1 - f(p))
    z = -6 if p < 0.5 else f("3.1")
    root = mp.findroot(g, (a + z * mp.sqrt(a), a + (z + f("0.01")) * mp.sqrt(a)), tol=1e-25)
    out["quantiles"].append({"name": "gamma", "parameters": [a, 1], "p": p, "x": float(root)})

log_beta = lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
for name, parameters, x, log in [
    ("student_t", [1e6, 0, 1], -3, lambda x, n, *_: -log_beta(n / 2, half) - mp.log(n) / 2 - (n + 1) / 2 * mp.log1p(x * x / n)),
    ("student_t", [1e10, 0, 1], 2, lambda x, n, *_: -log_beta(n / 2, half) - mp.log(n) / 2 - (n + 1) / 2 * mp.log1p(x * x / n)),
    ("gamma", [1e8, 1], 1e8 + 2e4, lambda x, k, l: (k - 1) * mp.log(x) - x - mp.loggamma(k)),
    ("gamma", [1e8, 2], 5e7, lambda x, k, l: k * mp.log(l) + (k - 1) * mp.log(x) - l * x - mp.loggamma(k)),
    ("inverse_gamma", [1e8, 1e8], 1.0001, lambda x, a, b: a * mp.log(b) - mp.loggamma(a) - (a + 1) * mp.log(x) - b / x),
    ("beta", [1e7, 1e7], 0.5002, lambda x, a, b: (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - log_beta(a, b)),
    ("beta", [1e9, 3e9], 0.25, lambda x, a, b: (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - log_beta(a, b)),
    ("von_mises", [0, 1e12], 2e-6, lambda x, m, k: -2 * k * mp.sin(x / 2) ** 2 - mp.log(2 * mp.pi / mp.sqrt(2 * mp.pi * k) * (1 + 1 / (8 * k)))),
]:
    value = log(f(x), *map(f, parameters))
    out["densities"].append({"name": name, "parameters": parameters, "x": x, "log_density": float(value)})


def poisson_entropy(l):
    l = f(l)
    reach = 14 * mp.sqrt(l) + 60
    terms = range(max(0, int(l - reach)), int(l + reach))
    log = lambda k: k * mp.log(l) - l - mp.loggamma(k + 1)
    return -mp.fsum(mp.exp(log(f(k))) * log(f(k)) for k in terms)


psi = mp.digamma
beta_entropy = lambda a, b: log_beta(a, b) - (a - 1) * psi(a) - (b - 1) * psi(b) + (a + b - 2) * psi(a + b)
for name, parameters, value in [
    ("student_t", [1e10, 0, 1], (f(1e10) + 1) / 2 * (psi((f(1e10) + 1) / 2) - psi(f(5e9))) + mp.log(1e10) / 2 + log_beta(f(5e9), half)),
    ("gamma", [1e9, 2], f(1e9) - mp.log(2) + mp.loggamma(1e9) + (1 - f(1e9)) * psi(1e9)),
    ("inverse_gamma", [1e9, 2], f(1e9) + mp.log(2) + mp.loggamma(1e9) - (1 + f(1e9)) * psi(1e9)),
    ("beta", [1e9, 2e9], beta_entropy(f(1e9), f(2e9))),
    ("beta", [0.3, 1e9], beta_entropy(f(0.3), f(1e9))),
    ("poisson", [9000], poisson_entropy(9000)),
    ("poisson", [11000], poisson_entropy(11000)),
    ("poisson", [1e20], mp.log(2 * mp.pi * mp.e * f(1e20)) / 2),
    ("von_mises", [0, 1e16], mp.log(2 * mp.pi * mp.e / f(1e16)) / 2),
    ("von_mises", [0, 100], mp.log(2 * mp.pi * mp.besseli(0, 100)) - 100 * mp.besseli(1, 100) / mp.besseli(0, 100)),
]:
    out["entropies"].append({"name": name, "parameters": parameters, "entropy": float(value)})

Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")

# Temme's coefficients: mu mu' = eta (1 + mu) for mu = lambda - 1, c_0 = 1/mu - 1/eta, eta c_k = c_{k-1}' + g_k eta/mu.
N = 24
mu = [f(0), f(1)] + [f(0)] * N
for n in range(2, N + 1):
    mu[n] = (mu[n - 1] - sum(j * mu[n + 1 - j] * mu[j] for j in range(2, n))) / (n + 1)
ratio = [f(1)]
for n in range(1, N):
    ratio.append(-sum(mu[i + 1] * ratio[n - i] for i in range(1, n + 1)))
c = ratio[1:]
for k, terms in enumerate([14, 8, 3]):
    print(k, [mp.nstr(v, 17) for v in c[:terms]])
    slope = [(n + 1) * c[n + 1] for n in range(len(c) - 1)]
    c = [slope[n] - slope[0] * ratio[n] for n in range(1, len(slope))]
