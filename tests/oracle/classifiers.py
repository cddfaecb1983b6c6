"""Classifiers, calibration and text features of scikit-learn, and standard errors of statsmodels, on small data.

`python tests/oracle/classifiers.py` writes `classifiers.json` beside it.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import _sigmoid_calibration
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

warnings.filterwarnings("ignore")
out = {}

# Two species that overlap, and three of them.
iris = load_iris()
x3, y3 = iris.data[::2], iris.target[::2]
two = y3 > 0
x2, y2 = x3[two], y3[two] - 1
weights = 0.5 + (np.arange(len(y2)) * 7 % 5) / 2.0
out["x3"], out["y3"] = x3.tolist(), y3.tolist()
out["x2"], out["y2"] = x2.tolist(), y2.tolist()
out["weights"] = weights.tolist()


def logistic(x, y, w=None, **kind):
    model = LogisticRegression(tol=1e-12, max_iter=200000, **kind).fit(x, y, sample_weight=w)
    return {"coefficients": model.coef_.T.tolist(), "intercept": model.intercept_.tolist(), "proba": model.predict_proba(x).tolist()}


out["l2"] = logistic(x2, y2, C=2.0, solver="newton-cholesky")
out["l2_weighted"] = logistic(x2, y2, weights, C=2.0, solver="newton-cholesky")
out["balanced"] = logistic(x2[10:], y2[10:], C=2.0, class_weight="balanced", solver="newton-cholesky")
out["softmax"] = logistic(x3, y3, C=0.5, solver="newton-cg")
out["l1"] = logistic(x2 - x2.mean(0), y2, C=1.0, penalty="l1", solver="saga")
out["elastic"] = logistic(x2 - x2.mean(0), y2, C=1.0, penalty="elasticnet", l1_ratio=0.5, solver="saga")
out["softmax_l1"] = logistic(x3 - x3.mean(0), y3, C=1.0, penalty="l1", solver="saga")

design = sm.add_constant(x2[:, [0, 1, 3]])
logit = sm.Logit(y2, design).fit(disp=0, tol=1e-14, maxiter=100)
probit = sm.Probit(y2, design).fit(disp=0, tol=1e-14, maxiter=100)
for name, fit in [("logit", logit), ("probit", probit)]:
    out[name] = {"params": fit.params.tolist(), "bse": fit.bse.tolist(), "llf": fit.llf, "aic": fit.aic, "bic": fit.bic}
offset = np.linspace(-1.0, 1.0, len(y2))
glm = sm.GLM(y2, design, family=sm.families.Binomial(), offset=offset).fit(tol=1e-14, maxiter=100)
out["offset"] = {"offset": offset.tolist(), "params": glm.params.tolist(), "bse": glm.bse.tolist()}
wine = load_wine()
xw, yw = wine.data[:, [1, 2]], wine.target
mn = sm.MNLogit(yw, sm.add_constant(xw)).fit(disp=0, method="newton", tol=1e-14, maxiter=100)
out["mnlogit"] = {"x": xw.tolist(), "y": yw.tolist(), "params": mn.params.tolist(), "bse": mn.bse.tolist(), "llf": mn.llf}

lda = LinearDiscriminantAnalysis(solver="eigen").fit(x3, y3)
out["lda"] = {
    "proba": lda.predict_proba(x3).tolist(),
    "coefficients": lda.coef_.T.tolist(),
    "intercept": lda.intercept_.tolist(),
    "transform": lda.transform(x3).tolist(),
    "explained": lda.explained_variance_ratio_.tolist(),
}
out["qda"] = {"proba": QuadraticDiscriminantAnalysis().fit(x3, y3).predict_proba(x3).tolist()}
shrunk = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3).fit(x3[5:], y3[5:])
out["lda_shrunk"] = {"proba": shrunk.predict_proba(x3).tolist(), "coefficients": shrunk.coef_.T.tolist()}
out["qda_priors"] = {"proba": QuadraticDiscriminantAnalysis(priors=[0.2, 0.5, 0.3]).fit(x3, y3).predict_proba(x3).tolist()}
out["gaussian_nb_priors"] = {"proba": GaussianNB(priors=[0.2, 0.5, 0.3]).fit(x3, y3).predict_proba(x3).tolist()}
out["gaussian_nb"] = {"proba": GaussianNB().fit(x3, y3).predict_proba(x3).tolist()}
counts = np.round(x3 * 2).astype(int)
bits = (x3 > np.median(x3, 0)).astype(int)
out["bernoulli_nb"] = {"x": bits.tolist(), "proba": BernoulliNB(alpha=1.0).fit(bits, y3).predict_proba(bits).tolist()}
out["multinomial_nb"] = {"x": counts.tolist(), "proba": MultinomialNB(alpha=0.5).fit(counts, y3).predict_proba(counts).tolist()}
out["categorical_nb"] = {"x": counts.tolist(), "proba": CategoricalNB(alpha=1.0).fit(counts, y3).predict_proba(counts).tolist()}

new = x3[::3] + 0.013
out["new"] = new.tolist()
for name, kind in [("uniform", "uniform"), ("distance", "distance")]:
    knn = KNeighborsClassifier(7, weights=kind, algorithm="brute").fit(x3, y3)
    reg = KNeighborsRegressor(5, weights=kind, algorithm="brute").fit(x3[:, :3], x3[:, 3])
    out["knn_" + name] = {"proba": knn.predict_proba(new).tolist(), "regression": reg.predict(new[:, :3]).tolist()}



class Stump(ClassifierMixin, BaseEstimator):
    """The threshold of the least weighted error, by trying all: trees of scikit-learn take that of the least impurity."""

    def fit(self, x, y, sample_weight=None):
        w = np.ones(len(y)) if sample_weight is None else sample_weight
        self.classes_, best = np.unique(y), np.inf
        for j in range(x.shape[1]):
            values = np.unique(x[:, j])
            for t in (values[1:] + values[:-1]) / 2:
                for up in (1, 0):
                    error = w[np.where(x[:, j] > t, up, 1 - up) != y].sum() / w.sum()
                    if error < best - 1e-12:
                        best, self.at_ = error, (j, t, up)
        return self

    def predict(self, x):
        j, t, up = self.at_
        return np.where(x[:, j] > t, up, 1 - up)


ada = AdaBoostClassifier(Stump(), n_estimators=12).fit(x2, y2)
out["adaboost"] = {"errors": ada.estimator_errors_.tolist(), "predict": ada.predict(x2).tolist()}
gbr = GradientBoostingRegressor(n_estimators=30, max_depth=1, learning_rate=0.2, criterion="squared_error").fit(x3[:, :3], x3[:, 3])
out["gradient"] = {"predict": gbr.predict(x3[:, :3]).tolist(), "loss": (gbr.train_score_).tolist()}
gbc = GradientBoostingClassifier(n_estimators=20, max_depth=1, learning_rate=0.2, criterion="squared_error").fit(x2, y2)
out["gradient_classifier"] = {"proba": gbc.predict_proba(x2).tolist()}

scores = LogisticRegression(C=1.0).fit(x2, y2).decision_function(x2)
a, b = _sigmoid_calibration(scores, y2)
iso = IsotonicRegression(out_of_bounds="clip").fit(scores, y2)
grid = np.linspace(-4, 4, 17)
out["calibration"] = {"scores": scores.tolist(), "platt": [-a, -b], "grid": grid.tolist(), "isotonic": iso.predict(grid).tolist()}

texts = ["The cat sat on the mat.", "A dog sat on a log; the dog barked.", "Cats and dogs, dogs and cats", "the mat and the log"]
bag = CountVectorizer(stop_words=["the", "and"], ngram_range=(1, 2)).fit(texts)
tfidf = TfidfVectorizer().fit(texts)
out["text"] = {
    "texts": texts,
    "words": bag.get_feature_names_out().tolist(),
    "counts": bag.transform(texts).toarray().tolist(),
    "tfidf": tfidf.transform(texts).toarray().tolist(),
}

Path(__file__).with_suffix(".json").write_text(json.dumps(out))
