"""Speed of the Laplace approximation of the default model: against NUTS, cold, and growth."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from bench_bayes import scores

import bayescorr

OPTIONS = {"random_seed": 1, "progressbar": False, "warn": False}
LAPLACE = {**OPTIONS, "inference": "laplace"}


def seconds(function, *arguments, **options):
    start = perf_counter()
    function(*arguments, **options)
    return perf_counter() - start


@pytest.mark.benchmark(group="laplace: a fit with default settings, 97 x 50, warm")
def test_against_nuts(benchmark):
    frame = scores()
    bayescorr.fit(frame, **LAPLACE)
    start = perf_counter()
    benchmark.pedantic(bayescorr.fit, (frame,), LAPLACE, rounds=3)
    ours = (perf_counter() - start) / 3
    nuts = seconds(bayescorr.fit, frame, **OPTIONS)
    benchmark.extra_info["ratio"] = round(nuts / ours, 1)
    print(f"\nLaplace {ours:.2f} s, NUTS {nuts:.1f} s: {nuts / ours:.0f} times as long")
    assert nuts / ours >= 30


@pytest.mark.benchmark(group="laplace: bayescorr fit demo in a new process")
def test_cold_start(benchmark):
    program = Path(sys.executable).with_name("bayescorr")
    times = {}
    for inference in ("laplace", "nuts"):
        command = [program, "fit", "demo", "--seed", "1", "--inference", inference]
        run = {"check": True, "capture_output": True}
        times[inference] = seconds(subprocess.run, command, **run)
    benchmark.pedantic(subprocess.run, ([program, "--version"],), run, rounds=1)
    share = times["laplace"] / times["nuts"]
    print(f"\nLaplace {times['laplace']:.1f} s, NUTS {times['nuts']:.1f} s: {share:.0%}")
    assert share <= 0.6


@pytest.mark.benchmark(group="laplace: four conditions on 50 systems x 50 topics, warm")
@pytest.mark.parametrize("judged", [50, 15])
def test_conditions(benchmark, judged):
    """All conditions on the same topics, and the truth on 15 of them."""
    truth = scores(50, 50)
    rng = np.random.default_rng(1)
    spread = 0.5 * truth.to_numpy().std()
    tables = {f"judge {i}": truth + rng.normal(0, spread, truth.shape) for i in (1, 2, 3)}
    conditions = {"human": truth.iloc[:judged], **tables}
    options = {**LAPLACE, "unshared": "model"}
    bayescorr.fit_conditions(conditions, **options)
    start = perf_counter()
    benchmark.pedantic(bayescorr.fit_conditions, (conditions,), options, rounds=3)
    ours = (perf_counter() - start) / 3
    print(f"\n50 systems x 50 topics x 4 conditions, {judged} judged by people: {ours:.2f} s")
    assert ours < 5


SIZES = [
    *((m, 50) for m in (25, 50, 100, 200, 500)),
    *((50, n) for n in (10, 100, 250, 1000)),
    (500, 250),
]


@pytest.mark.benchmark(group="laplace: growth with systems and topics")
@pytest.mark.parametrize(("systems", "topics"), SIZES)
def test_growth(benchmark, systems, topics):
    frame = scores(systems, topics)
    bayescorr.fit(frame, **LAPLACE, draws=50)
    found = benchmark.pedantic(bayescorr.fit, (frame,), LAPLACE, rounds=1)
    assert found.convergence.passed, found.convergence
