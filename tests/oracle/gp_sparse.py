"""Sparse Gaussian processes by GPy: SGPR (VarDTC), DTC and FITC at fixed hyper-parameters.

Writes gp_sparse.json: data, bound or likelihood, gradients, predictions. Needs GPy 1.13 or later.
"""

import json
import pathlib

import GPy
import numpy as np
from GPy.inference.latent_function_inference import DTC, FITC, VarDTC

rng = np.random.default_rng(20)
n, m, d = 60, 9, 2
x = rng.uniform(-2, 2, (n, d))
y = np.sin(1.5 * x[:, :1]) * np.cos(x[:, 1:]) + 0.15 * rng.standard_normal((n, 1))
z = x[:m] + 0.1 * rng.standard_normal((m, d))
new = rng.uniform(-2.5, 2.5, (12, d))
noise = 0.05

kernels = {
    "rbf": lambda: GPy.kern.RBF(d, variance=1.7, lengthscale=[0.9, 1.4], ARD=True),
    "matern52": lambda: GPy.kern.Matern52(d, variance=0.8, lengthscale=[1.1, 0.7], ARD=True),
}
inferences = {"variational": VarDTC, "dtc": DTC, "fitc": FITC}

cases = []
for kernel, make in kernels.items():
    for method, inference in inferences.items():
        model = GPy.core.SparseGP(x, y, z, make(), GPy.likelihoods.Gaussian(variance=noise), inference_method=inference())
        model.inference_method.const_jitter = 1e-9
        model.update_model(True)
        model.parameters_changed()
        mean, variance = model.predict(new, include_likelihood=False)
        case = {
            "kernel": kernel,
            "method": method,
            "value": float(np.squeeze(model.log_likelihood())),
            "mean": mean[:, 0].tolist(),
            "variance": variance[:, 0].tolist(),
        }
        if method == "variational":
            case["by_scale"] = float(model.kern.variance.gradient[0])
            case["by_lengthscale"] = np.asarray(model.kern.lengthscale.gradient).tolist()
            case["by_noise"] = float(model.likelihood.variance.gradient[0])
            case["by_inducing"] = np.asarray(model.Z.gradient).tolist()
        cases.append(case)

out = {
    "noise": noise,
    "x": x.tolist(),
    "y": y[:, 0].tolist(),
    "z": z.tolist(),
    "new": new.tolist(),
    "cases": cases,
}
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(out) + "\n")
for case in cases:
    print(case["kernel"], case["method"], case["value"], case["mean"][:2], case["variance"][:2])
