"""Speed of the default model: effective draws of tau per second, a cold start, and growth.

The peer is the two-way additive model as the field writes it, nothing integrated out, sampled by
PyMC's own sampler in the same run: it has no covariance, so it is the easier of the two. Written
without integration the default model itself would have a Cholesky factor of 97 x 98 / 2 parameters.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayescorr
from bayescorr.bayes import _stack

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


def additive(frame):
    """Draws of the true means in a two-way additive model as it is usually written."""
    pm = _stack.pymc()
    values = frame.to_numpy()
    with pm.Model():
        level = pm.Normal("level", 0, 1)
        between = pm.HalfNormal("between", 1)
        difficulty = pm.HalfNormal("difficulty", 1)
        noise = pm.HalfNormal("noise", 1)
        system = pm.Normal("system", 0, between, shape=values.shape[1])
        topic = pm.Normal("topic", 0, difficulty, shape=(values.shape[0], 1))
        pm.Normal("scores", level + system + topic, noise, observed=values)
        start = perf_counter()
        trace = pm.sample(
            draws=500,
            tune=500,
            chains=2,
            cores=2,
            random_seed=1,
            nuts_sampler="pymc",
            progressbar=False,
            compute_convergence_checks=False,
        )
        seconds = perf_counter() - start
    posterior = _stack.group(trace, "posterior")
    means = posterior["level"].to_numpy()[..., None] + posterior["system"].to_numpy()
    return bayescorr.tau(means, values.mean(axis=0)), seconds


@pytest.mark.benchmark(group="bayes: effective draws of tau per second, 97 x 50")
def test_effective_draws_per_second(benchmark):
    frame = scores()
    bayescorr.fit(frame, **{**SETTINGS, "draws": 20, "tune": 20}, warn=False)
    start = perf_counter()
    fit = benchmark.pedantic(bayescorr.fit, (frame,), SETTINGS, rounds=1)
    rate = effective(fit.posterior["tau"].to_numpy()) / (perf_counter() - start)
    draws, seconds = additive(frame)
    peer = effective(draws) / seconds
    benchmark.extra_info["per second"] = round(rate, 1)
    benchmark.extra_info["peer per second"] = round(peer, 1)
    benchmark.extra_info["ratio"] = round(rate / peer, 1)
    print(f"\n{rate:.1f} effective draws of tau per second, additive model {peer:.1f}", end=" ")
    print(f"(compilation included): {rate / peer:.0f} times")


@pytest.mark.benchmark(group="bayes: from a cold process to a summary, 97 x 50")
def test_cold_start(benchmark, tmp_path):
    scores().to_csv(tmp_path / "scores.csv")
    program = Path(sys.executable).with_name("bayescorr")
    command = [program, "fit", tmp_path / "scores.csv", "--seed", "1"]
    benchmark.pedantic(
        subprocess.run, (command,), {"check": False, "capture_output": True}, rounds=1
    )


SIZES = [(25, 50), (50, 50), (100, 50), (200, 50), (50, 10), (50, 100), (50, 250)]


@pytest.mark.benchmark(group="bayes: growth with systems and topics, 2 chains of 200 + 200")
@pytest.mark.parametrize(("systems", "topics"), SIZES)
def test_growth(benchmark, systems, topics):
    frame = scores(systems, topics)
    options = {**SETTINGS, "draws": 200, "tune": 200, "warn": False}
    bayescorr.fit(frame, **{**options, "draws": 10, "tune": 10})
    benchmark.pedantic(bayescorr.fit, (frame,), options, rounds=1)
