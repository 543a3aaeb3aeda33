"""Throughput of studies: collections per second, and the gain from a second worker.

The six estimators of Urbano & Marrero 2016 with intervals at four levels, on simulated collections
of 55 systems x 50 topics. Two workers are compared with one in the same run, on an idle machine
with two cores.
"""

from __future__ import annotations

import os
from dataclasses import replace
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

from bayescorr.study import Study, run_study
from bayescorr.study.sources import digest
from bayescorr.study.work import Task, Unit, do_task

TRIALS = 160


def scores(systems=55, topics=50):
    rng = np.random.default_rng(1)
    logit = rng.normal(-1, 0.5, systems) + rng.normal(0, 1, (topics, 1))
    logit = logit + rng.normal(0, 0.7, (topics, systems))
    return pd.DataFrame(np.round(1 / (1 + np.exp(-logit)), 4)).add_prefix("s")


def study(path):
    return Study(
        "throughput",
        sources=[{"name": "made-up", "scores": str(path)}],
        simulators=["effects"],
        topics=[50],
        trials=TRIALS,
        methods=["ML", "MSQD", "RES", "KD", "SHw", "SHwo"],
        levels=[0.5, 0.8, 0.9, 0.95],
        batch=10,
    )


@pytest.mark.benchmark(group="studies: a batch of 10 collections, 55 systems, six estimators")
@pytest.mark.parametrize("topics", [10, 50, 100])
def test_a_batch_of_collections(benchmark, topics):
    frame = scores()
    chosen = replace(study("x"), seed=1)
    ((source, simulation),) = chosen.populations
    unit = Unit(source.name, simulation.name, topics, 0, 10)
    task = Task(unit, chosen, source, simulation, frame, digest(frame))
    benchmark.pedantic(do_task, (task,), rounds=5, warmup_rounds=1)
    rate = 10 / benchmark.stats.stats.min
    benchmark.extra_info["collections per second and core"] = rate
    print(f"\nn = {topics}: {rate:.1f} collections per second and core")


@pytest.mark.benchmark(group="studies: throughput by workers, 55 systems x 50 topics")
def test_two_workers_against_one(benchmark, tmp_path):
    frame = scores()
    frame.rename_axis("topic").to_csv(tmp_path / "scores.csv")
    chosen = study(tmp_path / "scores.csv")
    seconds = {}

    def timed(workers):
        # Exclude the time to start workers: a study runs for hours.
        stamps = []
        out = tmp_path / f"{workers}-{len(os.listdir(tmp_path))}"
        run_study(
            chosen, out, workers=workers, progress=lambda d, _: stamps.append((d, perf_counter()))
        )
        warm = [stamp for stamp in stamps if stamp[0] >= 40]
        seconds[workers] = (warm[-1][1] - warm[0][1]) / (warm[-1][0] - warm[0][0])

    timed(1)
    benchmark.pedantic(timed, (2,), rounds=1)
    gain = seconds[1] / seconds[2]
    benchmark.extra_info["collections per second, 1 worker"] = 1 / seconds[1]
    benchmark.extra_info["collections per second, 2 workers"] = 1 / seconds[2]
    benchmark.extra_info["gain of the second worker"] = gain
    print(
        f"\n{1 / seconds[1]:.1f} collections per second with one worker, "
        f"{1 / seconds[2]:.1f} with two: {gain:.2f} times as many"
    )
    assert gain > 1.3
