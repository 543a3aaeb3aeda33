"""The work of a study: units whose results depend on neither their order nor who does them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr._threads import limit_threads
from bayescorr.errors import BayescorrError, CoefficientError
from bayescorr.study.definition import Study
from bayescorr.study.methods import Collection, Method, Outcome
from bayescorr.study.metrics import ROUNDING
from bayescorr.study.sources import Simulation, Source

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.simulation import RealTopics, Simulator
    from bayescorr.simulation.base import Case

Cell: TypeAlias = tuple[str, str, int]
#: The columns that identify a cell of a study, and those that identify a row of its results.
CELL = ["source", "simulator", "n_topics"]
KEYS = [*CELL, "trial", "method", "coefficient"]

# Fitted simulators of this process: fitting may take longer than a unit.
_fitted: dict[tuple[str, str], Simulator | RealTopics] = {}
_MOST_FITTED = 8


@dataclass(frozen=True, order=True)
class Unit:
    """Trials ``start`` to ``stop`` - 1 of a cell, run and stored together."""

    source: str
    simulator: str
    n_topics: int
    start: int
    stop: int

    @property
    def cell(self) -> Cell:
        """Source, simulator and number of topics."""
        return self.source, self.simulator, self.n_topics

    @property
    def trials(self) -> range:
        """The trials."""
        return range(self.start, self.stop)

    @property
    def key(self) -> str:
        """Name of the unit and of its file, such as demo--effects--n50--0-10."""
        return f"{self.source}--{self.simulator}--n{self.n_topics}--{self.start}-{self.stop}"

    @classmethod
    def from_key(cls, key: str) -> Unit:
        """Return the unit with this name; raise ValueError if it is not the name of a unit."""
        source, simulator, n, trials = key.split("--")
        start, stop = trials.split("-")
        unit = cls(source, simulator, int(n[1:]), int(start), int(stop))
        if unit.key != key or not unit.trials:
            raise ValueError(key)
        return unit


@dataclass(frozen=True, eq=False)
class Task:
    """A unit with everything that a worker needs to run it."""

    unit: Unit
    study: Study
    source: Source
    simulation: Simulation
    scores: pd.DataFrame
    digest: str


def missing_units(
    cells: Iterable[Cell], trials: int, batch: int, done: Iterable[Unit]
) -> list[Unit]:
    """Return units of at most ``batch`` trials that cover every unfinished trial.

    Cells follow one another, so that a worker compiles a model once per shape.
    """
    finished: dict[Cell, set[int]] = {}
    for unit in done:
        finished.setdefault(unit.cell, set()).update(unit.trials)
    units = []
    for cell in cells:
        left = [t for t in range(trials) if t not in finished.get(cell, ())]
        start = 0
        for i in range(1, len(left) + 1):
            # A unit ends at a gap and at a multiple of the batch.
            if i == len(left) or left[i] != left[i - 1] + 1 or left[i] % batch == 0:
                units.append(Unit(*cell, left[start], left[i - 1] + 1))
                start = i
    return units


def collection_seeds(seed: int, unit: Unit, trial: int) -> tuple[int, int]:
    """Return the seeds of a collection and of the methods; other trials do not affect them."""
    text = json.dumps([*unit.cell, trial])
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    sequence = np.random.SeedSequence([seed, *words.tolist()])
    simulated, methods = (int(word) >> 1 for word in sequence.generate_state(2, np.uint64))
    return simulated, methods


def methods_of(study: Study, unit: Unit, trial: int) -> list[Method]:
    """Return the methods that see a collection: all but those whose share leaves it out."""
    chance = np.random.default_rng([collection_seeds(study.seed, unit, trial)[1], 2]).random()
    return [method for method in study.methods if chance < method.share]


def do_task(task: Task) -> tuple[Unit, list[dict[str, Any]]]:
    """Simulate the collections of a unit and run every method: return rows of the results."""
    rows: list[dict[str, Any]] = []
    # One thread: workers share the cores, and sums must not depend on the number of threads.
    with limit_threads(1):
        simulator = _fit(task)
        for trial in task.unit.trials:
            try:
                rows += _do_trial(task, simulator, trial)
            except Exception as problem:
                problem.add_note(f"The error occurred in trial {trial} of {task.unit.key}.")
                raise
    return task.unit, rows


def _fit(task: Task) -> Simulator | RealTopics:
    key = task.digest, repr((task.simulation, task.source.higher_is_better))
    if key not in _fitted:
        if len(_fitted) >= _MOST_FITTED:
            _fitted.pop(next(iter(_fitted)))
        _fitted[key] = task.simulation.fit(task.scores, task.source)
    return _fitted[key]


def _do_trial(task: Task, simulator: Simulator | RealTopics, trial: int) -> list[dict[str, Any]]:
    study, unit = task.study, task.unit
    simulated, seed = collection_seeds(study.seed, unit, trial)
    case = simulator.case(unit.n_topics, simulated)
    better = task.source.higher_is_better
    collection = Collection(case.scores, seed, better, case.other_topics)
    actual = _actual(study.coefficients, case, better)
    nothing = Outcome(np.nan, np.nan, [(np.nan, np.nan)] * len(study.levels))
    rows = []
    for method in methods_of(study, unit, trial):
        begin = perf_counter()
        try:
            outcomes, diagnostics = method.run(collection, study.coefficients, study.levels)
        except (BayescorrError, ArithmeticError, RuntimeError, np.linalg.LinAlgError) as problem:
            # One collection that a method cannot handle must not end a study of thousands.
            outcomes, diagnostics = {}, {"error": f"{type(problem).__name__}: {problem}"}
        seconds = perf_counter() - begin
        for coefficient in study.coefficients:
            keys = (*unit.cell, trial, method.name, coefficient)
            row: dict[str, Any] = dict(zip(KEYS, keys, strict=True))
            found = outcomes.get(coefficient, nothing)
            row["actual"] = actual[coefficient]
            row["estimate"], row["sd"] = found.estimate, found.sd
            row["pit"] = share_below(found.draws, actual[coefficient], seed)
            for level, (lower, upper) in zip(study.levels, found.ends, strict=True):
                row |= {f"lower_{level:g}": lower, f"upper_{level:g}": upper}
            row["seconds"] = seconds
            row["diagnostics"] = json.dumps(diagnostics) if diagnostics else ""
            rows.append(row)
    return rows


def share_below(draws: FloatArray | None, actual: float, seed: int) -> float:
    """Return the share of the draws below the actual value, ties at random; NaN without draws.

    It is uniform on (0, 1) if the actual value is one more draw: the probability integral transform
    (Gneiting, Balabdaoui & Raftery 2007).
    """
    if draws is None or np.isnan(actual):
        return np.nan
    below = (draws < actual - ROUNDING).sum()
    equal = (np.abs(draws - actual) <= ROUNDING).sum()
    part = np.random.default_rng([seed, 2]).random()
    return float((below + part * (equal + 1)) / (len(draws) + 1))


def _actual(coefficients: Iterable[str], case: Case, higher_is_better: bool) -> dict[str, float]:
    """Return the coefficients with the true or the other means; NaN where undefined."""
    from bayescorr.coefficients import correlate
    from bayescorr.scores.check import observed_means

    truth = case.means
    means = truth.to_numpy(), observed_means(case.scores)[truth.index].to_numpy()
    found = {}
    for name in coefficients:
        try:
            found[name] = float(correlate(*means, name, higher_is_better=higher_is_better)[name])
        except CoefficientError:
            found[name] = np.nan
    return found
