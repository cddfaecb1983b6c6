"""The relevance vector classifier by its definition: Laplace's approximation in the space of observations, dense matrices.

Of each column of the basis the sparsity s and the quality q come from C = B^-1 + Phi A^-1 Phi', made and inverted whole, where
the library has them from the posterior of the weights. The order of changes is Tipping and Faul's, as there.
"""

import json
from pathlib import Path

import numpy as np


def sigmoid(a):
    return 1.0 / (1.0 + np.exp(-a))


def mode(phi, t, alpha):
    """Weights at the mode, by Newton's method."""
    w = np.zeros(phi.shape[1])
    for _ in range(200):
        y = sigmoid(phi @ w)
        b = y * (1 - y)
        step = np.linalg.solve((phi.T * b) @ phi + np.diag(alpha), phi.T @ (t - y) - alpha * w)
        w = w + step
        if np.abs(step).max() < 1e-13:
            break
    y = sigmoid(phi @ w)
    return w, y, y * (1 - y)


def fit(basis, t, tolerance=1e-9, most=3000):
    """Columns that remain with their precisions, and their weights and evidence."""
    own, slope = 0.25 * (basis**2).sum(axis=0), basis.T @ (t - 0.5)
    share = slope**2 / own
    first = int(share.argmax())
    excess = share[first] - 1
    used, alpha = [first], [own[first] / (excess if excess > 0 else 1e-3)]
    moved = np.inf
    for _ in range(most):
        phi, a = basis[:, used], np.array(alpha)
        w, y, b = mode(phi, t, a)
        if moved < tolerance:
            break
        c = np.diag(1 / b) + (phi / a) @ phi.T
        inverse = np.linalg.inv(c)
        target = phi @ w + (t - y) / b
        big_s = np.einsum("ij,ij->j", basis, inverse @ basis)
        big_q = basis.T @ (inverse @ target)
        best, gain = None, 0.0
        for j in range(basis.shape[1]):
            ss, qq = big_s[j], big_q[j]
            if j in used:
                aj = alpha[used.index(j)]
                s, q = aj * ss / (aj - ss), aj * qq / (aj - ss)
                if q * q > s:
                    new = s * s / (q * q - s)
                    apart = 1 / new - 1 / aj
                    if apart == 0:
                        continue
                    change, d = ("set", j, new), qq * qq / (ss + 1 / apart) - np.log1p(ss * apart)
                else:
                    change, d = ("drop", j, None), qq * qq / (ss - aj) - np.log1p(-ss / aj)
            elif qq * qq > ss:
                change = ("set", j, ss * ss / (qq * qq - ss))
                d = (qq * qq - ss) / ss + np.log(ss / (qq * qq))
            else:
                continue
            if np.isfinite(d) and d > gain:
                best, gain = change, d
        moved = 0.0
        if best is None:
            continue
        kind, j, value = best
        if kind == "drop":
            if len(used) > 1:
                at = used.index(j)
                del used[at], alpha[at]
                moved = np.inf
        elif j in used:
            at = used.index(j)
            moved = abs(np.log(value / alpha[at]))
            alpha[at] = value
        else:
            used.append(j)
            alpha.append(value)
            moved = np.inf
    likelihood = (t * np.log(y) + (1 - t) * np.log(1 - y)).sum()
    curved = np.eye(len(a)) + ((phi.T * b) @ phi) / np.sqrt(np.outer(a, a))
    evidence = likelihood - 0.5 * (a * w * w).sum() - 0.5 * np.linalg.slogdet(curved)[1]
    order = np.argsort(used)
    return np.array(used)[order], a[order], w[order], evidence


def main():
    rng = np.random.default_rng(5)
    centres = np.array([[-0.7, 0.3], [0.3, 0.3], [-0.3, 0.7], [0.4, 0.7]])
    x = np.round(centres[np.arange(120) % 4] + 0.17 * rng.normal(size=(120, 2)), 4)
    t = (np.arange(120) % 4 >= 2).astype(float)
    new = np.round(rng.uniform(-1.2, 1.0, size=(12, 2)), 3)
    out = {"x": x.tolist(), "y": t.astype(int).tolist(), "new": new.tolist(), "cases": []}
    for width in (0.5, 0.3):
        def kernel(a, b, width=width):
            return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / (2 * width**2))

        basis = np.hstack([np.ones((120, 1)), kernel(x, x)])
        used, alpha, w, evidence = fit(basis, t)
        at = np.hstack([np.ones((12, 1)), kernel(new, x)])[:, used]
        out["cases"].append({
            "width": width, "columns": used.tolist(), "precisions": alpha.tolist(), "weights": w.tolist(),
            "log_evidence": evidence, "probabilities": sigmoid(at @ w).tolist(),
        })  # fmt: skip
        print(width, used, alpha, evidence)
    place = Path(__file__).with_suffix(".json")
    place.write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
