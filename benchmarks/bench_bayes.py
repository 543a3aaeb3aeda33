"""Speed of the default model: effective draws of tau per second, a cold start, and growth.

The peer is the same model with nothing integrated out: PyMC samples the true means and the Bartlett
factor of the covariance, some 4,900 parameters. It runs 30 iterations, its compilation is not
counted, and every iteration counts as an independent draw, so the ratio is a lower bound.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayescorr
from bayescorr.bayes import _stack
from bayescorr.bayes.data import prepare
from bayescorr.bayes.model import get_model

# The chains are short.
pytestmark = pytest.mark.filterwarnings("ignore::bayescorr.ConvergenceWarning")

SETTINGS = {"chains": 2, "draws": 500, "tune": 500, "random_seed": 1, "progressbar": False}


def scores(systems=97, topics=50):
    rng = np.random.default_rng(1)
    logit = rng.normal(-1, 0.4, systems) + rng.normal(0, 1, (topics, 1))
    groups = rng.normal(0, 0.5, (topics, 12))[:, rng.integers(12, size=systems)]
    logit = logit + groups + rng.normal(0, 0.5, (topics, systems))
    return pd.DataFrame(1 / (1 + np.exp(-logit))).add_prefix("s")


def effective(draws):
    """Effective number of draws of tau; chains on the first axis."""
    return float(_stack.ess(xr.Dataset({"tau": (("chain", "draw"), draws)}), "bulk")["tau"])


def nothing_integrated_out(frame, draws=20, tune=10):
    """Iterations per second of the default model as it is written."""
    import pytensor.tensor as pt
    from pytensor.tensor.linalg import cholesky, solve_triangular

    pm = _stack.pymc()
    model = get_model("matrix-t")
    p = SimpleNamespace(**model.priors)
    data, _ = prepare(frame)
    m, n = data.n_systems, data.n_topics
    with pm.Model(coords=data.coords):
        c = pm.LogNormal("c", np.log(p.strength), p.strength_sd)
        mu0 = pm.Normal("mu0", 0, p.mu0_sd)
        delta, loadings = model.target(model.target_parameters(c, p), pt)
        root = cholesky(c * (pt.diag(delta) + loadings @ loadings.T))
        # The inverse of Sigma is root^-T A A' root^-1.
        squares = pm.Gamma("squares", (m + 1 + c - pt.arange(m)) / 2, 0.5, shape=m)
        below = pm.Normal("below", 0, 1, shape=m * (m - 1) // 2)
        A = pt.set_subtensor(pt.diag(pt.sqrt(squares))[np.tril_indices(m, -1)], below)
        z = pm.Normal("z", 0, 1, shape=m)
        mu = mu0 + root @ solve_triangular(A.T, z, lower=False) / np.sqrt(p.prior_topics)
        pm.Deterministic("true_means", mu)
        noise = A.T @ solve_triangular(root, (data.standard - mu).T, lower=True)
        log_det = pt.log(squares).sum() / 2 - pt.log(pt.diag(root)).sum()
        pm.Potential("scores", n * log_det - (noise**2).sum() / 2)
        trace = pm.sample(
            draws=draws,
            tune=tune,
            chains=1,
            random_seed=1,
            nuts_sampler="pymc",
            progressbar=False,
            compute_convergence_checks=False,
        )
    return (draws + tune) / _stack.groups(trace)["posterior"].attrs["sampling_time"]


@pytest.mark.benchmark(group="bayes: effective draws of tau per second, 97 x 50")
def test_effective_draws_per_second(benchmark):
    frame = scores()
    bayescorr.fit(frame, **{**SETTINGS, "draws": 20, "tune": 20}, warn=False)
    start = perf_counter()
    fit = benchmark.pedantic(bayescorr.fit, (frame,), SETTINGS, rounds=1)
    rate = effective(fit.posterior["tau"].to_numpy()) / (perf_counter() - start)
    peer = nothing_integrated_out(frame)
    benchmark.extra_info["per second"] = round(rate, 1)
    benchmark.extra_info["peer per second, at most"] = round(peer, 2)
    benchmark.extra_info["ratio, at least"] = round(rate / peer, 1)
    print(f"\n{rate:.1f} effective draws of tau per second, nothing integrated out: ", end="")
    print(f"{peer:.2f} at most, {rate / peer:.0f} times at least")
    assert rate / peer >= 20


@pytest.mark.benchmark(group="bayes: from a cold process to a summary, 97 x 50")
def test_cold_start(benchmark, tmp_path):
    scores().to_csv(tmp_path / "scores.csv")
    program = Path(sys.executable).with_name("bayescorr")
    command = [program, "fit", tmp_path / "scores.csv", "--seed", "1"]
    benchmark.pedantic(
        subprocess.run, (command,), {"check": True, "capture_output": True}, rounds=1
    )


SIZES = [(25, 50), (50, 50), (100, 50), (200, 50), (50, 10), (50, 100), (50, 250)]


@pytest.mark.benchmark(group="bayes: growth with systems and topics, 2 chains of 200 + 200")
@pytest.mark.parametrize(("systems", "topics"), SIZES)
def test_growth(benchmark, systems, topics):
    frame = scores(systems, topics)
    options = {**SETTINGS, "draws": 200, "tune": 200, "warn": False}
    bayescorr.fit(frame, **{**options, "draws": 10, "tune": 10})
    benchmark.pedantic(bayescorr.fit, (frame,), options, rounds=1)
