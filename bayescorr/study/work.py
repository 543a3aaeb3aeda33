"""The work of a study: units that are the same whoever does them, and in whatever order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescorr._threads import limit_threads
from bayescorr.errors import BayescorrError, CoefficientError
from bayescorr.study.methods import Collection, Method
from bayescorr.study.sources import Simulation

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.simulation import Simulator

# Fitted simulators of this process: a fit may take longer than a unit.
_fitted: dict[tuple[str, str], Simulator] = {}
_MOST_FITTED = 8


@dataclass(frozen=True, order=True)
class Unit:
    """Trials ``start`` to ``stop`` - 1 of a cell: what is worked on and stored at a time."""

    source: str
    simulator: str
    n_topics: int
    start: int
    stop: int

    @property
    def key(self) -> str:
        """Name of the unit, also of its file.

        Examples
        --------
        >>> Unit("demo", "effects", 50, 0, 10).key
        'demo--effects--n50--0-10'
        """
        cell = f"{self.source}--{self.simulator}--n{self.n_topics}"
        return f"{cell}--{self.start}-{self.stop}"

    @classmethod
    def from_key(cls, key: str) -> Unit:
        """Return the unit of this name."""
        source, simulator, n, trials = key.split("--")
        start, stop = trials.split("-")
        return cls(source, simulator, int(n[1:]), int(start), int(stop))


@dataclass(frozen=True, eq=False)
class Task:
    """A unit with all that a worker needs to do it, wherever it is."""

    unit: Unit
    scores: pd.DataFrame
    digest: str
    higher_is_better: bool
    simulation: Simulation
    methods: Sequence[Method]
    coefficients: Sequence[str]
    levels: Sequence[float]
    seed: int


def missing_units(
    cells: Iterable[tuple[str, str, int]], trials: int, batch: int, done: Iterable[Unit]
) -> list[Unit]:
    """Units of at most ``batch`` trials that cover every trial that is not done yet.

    Cells come one after the other, so that a worker compiles a model once per shape.

    Examples
    --------
    >>> done = [Unit("demo", "effects", 50, 0, 4)]
    >>> [u.key for u in missing_units([("demo", "effects", 50)], 11, 4, done)]
    ['demo--effects--n50--4-8', 'demo--effects--n50--8-11']
    """
    finished: dict[tuple[str, str, int], set[int]] = {}
    for unit in done:
        cell = unit.source, unit.simulator, unit.n_topics
        finished.setdefault(cell, set()).update(range(unit.start, unit.stop))
    units = []
    for cell in cells:
        left = [t for t in range(trials) if t not in finished.get(cell, ())]
        start = 0
        for i in range(1, len(left) + 1):
            # A unit ends where it is full, at a gap, and at a multiple of the batch.
            if i == len(left) or left[i] != left[i - 1] + 1 or left[i] % batch == 0:
                units.append(Unit(*cell, left[start], left[i - 1] + 1))
                start = i
    return units


def collection_seeds(seed: int, unit: Unit, trial: int) -> tuple[int, int]:
    """Seeds of a simulated collection and of the methods that see it.

    They depend on the study's seed, source, simulator, number of topics and trial, and on nothing
    else.

    Examples
    --------
    >>> unit = Unit("demo", "effects", 50, 0, 10)
    >>> collection_seeds(1, unit, 3) == collection_seeds(1, Unit("demo", "effects", 50, 3, 4), 3)
    True
    """
    text = json.dumps([unit.source, unit.simulator, unit.n_topics, trial])
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    sequence = np.random.SeedSequence([seed, *words.tolist()])
    simulated, methods = (int(word) >> 1 for word in sequence.generate_state(2, np.uint64))
    return simulated, methods


def do_task(task: Task) -> tuple[Unit, list[dict[str, Any]]]:
    """Simulate the collections of a unit and let every method estimate: rows of the results."""
    rows: list[dict[str, Any]] = []
    # One thread each: workers share the cores, and sums must not depend on how many there are.
    with limit_threads(1):
        simulator = _fit(task)
        for trial in range(task.unit.start, task.unit.stop):
            try:
                rows += _do_trial(task, simulator, trial)
            except Exception as problem:
                problem.add_note(f"This happened in trial {trial} of {task.unit.key}.")
                raise
    return task.unit, rows


def _fit(task: Task) -> Simulator:
    key = task.digest, repr(task.simulation)
    if key not in _fitted:
        if len(_fitted) >= _MOST_FITTED:
            _fitted.pop(next(iter(_fitted)))
        _fitted[key] = task.simulation.fit(task.scores)
    return _fitted[key]


def _do_trial(task: Task, simulator: Simulator, trial: int) -> list[dict[str, Any]]:
    unit = task.unit
    simulated, seed = collection_seeds(task.seed, unit, trial)
    collection = Collection(simulator.sample(unit.n_topics, simulated), seed, task.higher_is_better)
    actual = _actual(task, simulator, collection)
    rows = []
    for method in task.methods:
        begin = perf_counter()
        try:
            outcomes, diagnostics = method.run(collection, task.coefficients, task.levels)
        except (BayescorrError, ArithmeticError, RuntimeError, np.linalg.LinAlgError) as problem:
            # One collection that a method cannot take must not end a study of thousands.
            outcomes, diagnostics = {}, {"error": f"{type(problem).__name__}: {problem}"}
        seconds = perf_counter() - begin
        nothing = (np.nan, np.nan, [(np.nan, np.nan)] * len(task.levels))
        for coefficient in task.coefficients:
            estimate, sd, ends = outcomes.get(coefficient, nothing)
            rows.append(
                {
                    "source": unit.source,
                    "simulator": unit.simulator,
                    "n_topics": unit.n_topics,
                    "trial": trial,
                    "method": method.name,
                    "coefficient": coefficient,
                    "actual": actual[coefficient],
                    "estimate": estimate,
                    "sd": sd,
                    **{
                        f"{side}_{level:g}": end[k]
                        for level, end in zip(task.levels, ends, strict=True)
                        for k, side in enumerate(("lower", "upper"))
                    },
                    "seconds": seconds,
                    "diagnostics": json.dumps(diagnostics) if diagnostics else "",
                }
            )
    return rows


def _actual(task: Task, simulator: Simulator, collection: Collection) -> dict[str, float]:
    """Coefficients between the true and the observed means; NaN where one is undefined."""
    from bayescorr.coefficients import correlate
    from bayescorr.scores.check import observed_means

    truth = simulator.true_means
    observed = observed_means(collection.scores)[truth.index]
    found = {}
    for name in task.coefficients:
        try:
            values = correlate(
                truth.to_numpy(), observed.to_numpy(), name, higher_is_better=task.higher_is_better
            )
            found[name] = float(values[name])
        except CoefficientError:
            found[name] = np.nan
    return found
