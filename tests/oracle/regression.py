"""Least squares, generalised linear models and quantiles of statsmodels, and Lasso, ElasticNet, HuberRegressor,
QuantileRegressor, LassoCV and ElasticNetCV of scikit-learn, on data that a recurrence makes.

`python tests/oracle/regression.py` writes `regression.json` beside it.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from sklearn.linear_model import ElasticNet, ElasticNetCV, HuberRegressor, Lasso, LassoCV, QuantileRegressor
from scipy.optimize import linprog
from scipy.stats import norm, scoreatpercentile
from statsmodels.genmod.families import links
from statsmodels.regression.quantile_regression import hall_sheather, kernels

warnings.simplefilter("ignore")
rng = np.random.default_rng(5)
n, d = 40, 4
x = np.round(rng.normal(size=(n, d)) @ (np.eye(d) + 0.3), 3)
noise = np.round(rng.standard_t(4, size=n), 3)
y = np.round(1.5 + x @ np.array([1.0, -2.0, 0.0, 0.5]) + 0.7 * noise, 3)
eta = 0.3 + x @ np.array([0.5, -0.4, 0.2, 0.1])
events = (rng.random(n) < 1 / (1 + np.exp(-2 * eta))).astype(float)
counts = rng.poisson(np.exp(eta)).astype(float)
of_six = rng.binomial(6, 1 / (1 + np.exp(-eta))).astype(float)
positive = np.round(rng.gamma(3.0, np.exp(eta) / 3.0), 3) + 0.01
exposure = np.round(rng.normal(size=n) * 0.3, 3)
design = sm.add_constant(x)
out = {k: v.tolist() for k, v in dict(x=x, y=y, events=events, counts=counts, of_six=of_six, positive=positive, exposure=exposure).items()}

ols = sm.OLS(y, design).fit()
influence = ols.get_influence()
new = design[:5] + np.array([0, 0.5, -0.5, 1.0, 0.0])
frame = ols.get_prediction(new).summary_frame(alpha=0.1)
out["ols"] = dict(
    params=ols.params.tolist(), bse=ols.bse.tolist(), t=ols.tvalues.tolist(), p=ols.pvalues.tolist(),
    r2=ols.rsquared, llf=ols.llf, aic=ols.aic, bic=ols.bic, leverage=influence.hat_matrix_diag.tolist(),
    cook=influence.cooks_distance[0].tolist(), student=influence.resid_studentized_internal.tolist(),
    new=new[:, 1:].tolist(), mean_low=frame.mean_ci_lower.tolist(), mean_high=frame.mean_ci_upper.tolist(),
    low=frame.obs_ci_lower.tolist(), high=frame.obs_ci_upper.tolist(),
)


def glm(name, target, family, offset=None):
    fit = sm.GLM(target, design, family=family, offset=offset).fit(tol=1e-14, maxiter=200)
    out[name] = dict(
        params=fit.params.tolist(), bse=fit.bse.tolist(), deviance=fit.deviance, null=fit.null_deviance,
        scale=fit.scale, pearson=fit.pearson_chi2, llf=fit.llf, p=fit.pvalues.tolist(), aic=fit.aic, bic=fit.bic_llf,
        eta=(design @ fit.params + (0 if offset is None else offset)).tolist(),
    )


glm("logit", events, sm.families.Binomial())
glm("probit", events, sm.families.Binomial(links.Probit()))
glm("cloglog", events, sm.families.Binomial(links.CLogLog()))
glm("poisson", counts, sm.families.Poisson())
glm("poisson_offset", counts, sm.families.Poisson(), offset=exposure)
glm("gamma_log", positive, sm.families.Gamma(links.Log()))
glm("gaussian", y, sm.families.Gaussian())
two = np.c_[of_six, 6 - of_six]
glm("binomial", two, sm.families.Binomial())
glm("binomial_probit", two, sm.families.Binomial(links.Probit()))
other = np.random.default_rng(6)
slow = np.round(other.gamma(8.0, 1 / (8 * np.maximum(2 + x @ np.array([0.2, -0.1, 0.1, 0.05]), 0.5))), 4) + 0.01
curved = np.round(np.exp(0.4 * eta) + 0.1 * other.normal(size=n), 4)
even = other.poisson(np.maximum(6 + x @ np.array([0.6, -0.5, 0.3, 0.2]), 0.5)).astype(float)
out.update(slow=slow.tolist(), curved=curved.tolist(), even=even.tolist())
glm("gamma_inverse", slow, sm.families.Gamma(links.InversePower()))
glm("gaussian_log", curved, sm.families.Gaussian(links.Log()))
glm("poisson_identity", even, sm.families.Poisson(links.Identity()))

out["quantile"] = [
    dict(q=q, params=f.params.tolist())
    for q in (0.1, 0.25, 0.5, 0.75, 0.9)
    for f in [sm.QuantReg(y, design).fit(q=q, max_iter=20000, p_tol=1e-12)]
]


def sparsity_errors(q):
    """statsmodels' robust errors at the exact minimum: its own has residuals of either sign where the line meets rows."""
    exact = QuantileRegressor(quantile=q, alpha=0.0, solver="highs").fit(x, y)
    residual = y - exact.predict(x)
    residual[np.abs(residual) < 1e-9] = 0.0
    h = hall_sheather(n, q)
    spread = scoreatpercentile(residual, 75) - scoreatpercentile(residual, 25)
    h = min(np.std(y), spread / 1.34) * (norm.ppf(q + h) - norm.ppf(q - h))
    density = kernels["epa"](residual / h).sum() / (n * h)
    squares = np.where(residual > 0, q**2, (1 - q) ** 2) / density**2
    bread = np.linalg.pinv(design.T @ design)
    return np.sqrt(np.diag(bread @ (design.T * squares) @ design @ bread))


out["quantile_errors"] = [
    dict(q=q, iid=f.bse.tolist(), robust=sparsity_errors(q).tolist())
    for q in (0.25, 0.5, 0.75)
    for f in [sm.QuantReg(y, design).fit(q=q, vcov="iid", max_iter=20000, p_tol=1e-12)]
]
out["quantile_errors"][1]["robust"] = sm.QuantReg(y, design).fit(q=0.5, max_iter=20000, p_tol=1e-12).bse.tolist()


def together(levels, ordered):
    """The sum of all risks at its minimum, with no line above the next at any row if that is asked for."""
    q, p = len(levels), d + 1
    zero = np.zeros((n, p))
    lines = np.kron(np.eye(q), design)
    cost = np.r_[np.zeros(q * p), np.repeat(levels, n), np.repeat(1 - np.array(levels), n)]
    equal = np.hstack([lines, np.eye(q * n), -np.eye(q * n)])
    above = np.vstack([np.hstack([design if j == k else -design if j == k + 1 else zero for j in range(q)]) for k in range(q - 1)])
    above = np.hstack([above, np.zeros((len(above), 2 * q * n))])
    bounds = [(None, None)] * (q * p) + [(0, None)] * (2 * q * n)
    order = dict(A_ub=above, b_ub=np.zeros(len(above))) if ordered else {}
    return linprog(cost, A_eq=equal, b_eq=np.tile(y, q), bounds=bounds, method="highs", **order).fun


levels = np.round(np.arange(0.05, 1.0, 0.1), 2).tolist()
out["quantile_joint"] = dict(levels=levels, objective=together(levels, True), apart=together(levels, False))
pen = QuantileRegressor(quantile=0.3, alpha=0.1, solver="highs").fit(x, y)
out["quantile_penalised"] = dict(q=0.3, penalty=0.1, coef=pen.coef_.tolist(), intercept=pen.intercept_)

# (1/2n) r² + a |w|: half of the library's objective.
out["lasso"] = [
    dict(penalty=2 * a, coef=f.coef_.tolist(), intercept=f.intercept_)
    for a in (0.02, 0.2, 1.0) for f in [Lasso(a, tol=1e-14, max_iter=10**6).fit(x, y)]
]
net = []
for penalty, mix in ((0.4, 0.5), (1.0, 0.2), (0.1, 0.9)):
    # λα = 2 a r, 2λ(1 - α) = 2 a (1 - r).
    a = penalty * (2 - mix) / 2
    f = ElasticNet(a, l1_ratio=mix / (2 - mix), tol=1e-14, max_iter=10**6).fit(x, y)
    net.append(dict(penalty=penalty, mix=mix, coef=f.coef_.tolist(), intercept=f.intercept_))
out["elastic_net"] = net
cv = LassoCV(eps=1e-3, alphas=30, cv=5, tol=1e-12, max_iter=10**6).fit(x, y)
out["lasso_cv"] = dict(penalties=(2 * cv.alphas_).tolist(), errors=cv.mse_path_.mean(axis=1).tolist(), best=2 * cv.alpha_, coef=cv.coef_.tolist())
# One row more, so that folds differ in size: the mean over folds of the mean over rows.
x41, y41 = np.r_[x, [[0.9, -1.1, 0.4, 2.0]]], np.r_[y, 7.5]
both = []
for mix, ratio in ((0.5, 1 / 3), (1.0, 1.0)):
    f = ElasticNetCV(l1_ratio=ratio, eps=1e-2, alphas=12, cv=5, tol=1e-12, max_iter=10**6).fit(x41, y41)
    both.append(dict(mix=mix, penalties=(2 * f.alphas_ / (2 - mix)).tolist(), folds=f.mse_path_.tolist(), coef=f.coef_.tolist(), intercept=f.intercept_))
f = ElasticNetCV(l1_ratio=1 / 3, eps=1e-2, alphas=12, cv=3, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(x41, y41)
both.append(dict(mix=0.5, penalties=(2 * f.alphas_ / 1.5).tolist(), folds=f.mse_path_.tolist(), coef=f.coef_.tolist(), intercept=0.0))
out["elastic_net_cv"] = dict(x=x41.tolist(), y=y41.tolist(), cases=both)
spoilt = y.copy()
spoilt[[3, 17, 30]] += np.array([25.0, -40.0, 18.0])
out["spoilt"] = spoilt.tolist()
out["huber"] = [
    dict(epsilon=e, penalty=a, coef=f.coef_.tolist(), intercept=f.intercept_, scale=f.scale_)
    for e, a in ((1.35, 0.0), (1.8, 1.0))
    for f in [HuberRegressor(epsilon=e, alpha=a, tol=1e-12, max_iter=100000).fit(x, spoilt)]
]
Path(__file__).with_suffix(".json").write_text(json.dumps(out, indent=1) + "\n")
