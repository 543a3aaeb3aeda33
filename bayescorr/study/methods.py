"""The methods of a study: frequentist estimators and Bayesian models, with their options."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayescorr.errors import BayescorrWarning, OptionError, choose
from bayescorr.study._fields import check_whole, make, to_table

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.bayes.result import Fit
    from bayescorr.frequentist.sample import Sample

#: Estimate, standard deviation and one (lower, upper) per level.
Outcome: TypeAlias = tuple[float, float, Sequence[Sequence[float]]]


@dataclass(frozen=True, eq=False)
class Collection:
    """A simulated collection as methods see it: without the truth.

    Attributes
    ----------
    scores : DataFrame
        Topics by systems.
    seed : int
        Where the random numbers of all methods start, so that they are common.
    higher_is_better : bool
        Whether the highest mean is the best.
    """

    scores: pd.DataFrame
    seed: int
    higher_is_better: bool = True
    _samples: dict[int, Sample] = field(default_factory=dict, repr=False)
    _fits: dict[Any, Fit] = field(default_factory=dict, repr=False)

    @cached_property
    def _values(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        from bayescorr.scores.check import sort_labels

        values = sort_labels(self.scores).to_numpy()
        return values if self.higher_is_better else 0.0 - values

    def sample(self, draws: int) -> Sample:
        """Make the sample that frequentist methods share, with their draws."""
        from bayescorr.frequentist.sample import make_sample

        if draws not in self._samples:
            made = make_sample(self._values, draws=draws, random_seed=self.seed)
            self._samples[draws] = made
        return self._samples[draws]

    def fit(self, model: str, priors: Mapping[str, float], **options: Any) -> Fit:
        """Fit the model that methods share which read it differently."""
        from bayescorr.bayes.fit import fit

        key = model, tuple(sorted(priors.items())), tuple(sorted(options.items()))
        if key not in self._fits:
            with warnings.catch_warnings():
                # Convergence is part of the results.
                warnings.simplefilter("ignore", BayescorrWarning)
                self._fits[key] = fit(
                    self.scores,
                    model,
                    priors=priors,
                    random_seed=self.seed,
                    progressbar=False,
                    higher_is_better=self.higher_is_better,
                    warn=False,
                    cores=1,
                    **options,
                )
        return self._fits[key]


@dataclass(frozen=True)
class Frequentist:
    """A frequentist estimator in a study.

    Attributes
    ----------
    name : str
        What it is called in the results.
    estimator : str
        As :func:`bayescorr.list_estimators` lists them; the name when left out.
    draws : int
        T: joint draws, or resamples of the topics.
    interval : {"quantile", "normal"}
        Quantiles of the draws, or normal around the estimate as in the thesis (Bavdaz 2018).
    pairs : int, optional
        Take the standard deviation of tau and tau_ap from that many sampled pairs of pairs of
        systems, as in the thesis, instead of all; intervals are then normal. In a study file, a
        list of numbers stands for as many methods, ``name-number`` each.
    """

    name: str
    estimator: str = ""
    draws: int = 1000
    interval: str = "quantile"
    pairs: int | None = None

    def __post_init__(self) -> None:
        from bayescorr.frequentist.estimates import INTERVALS
        from bayescorr.frequentist.registry import ESTIMATORS

        choose(self.estimator or self.name, ESTIMATORS, "method")
        choose(self.interval, INTERVALS, "interval")
        check_whole(self.draws, 2, f"draws of {self.name}")
        if self.pairs is not None:
            check_whole(self.pairs, 1, f"pairs of {self.name}")
            if (self.estimator or self.name) not in ("ML", "MSQD", "RES"):
                raise OptionError(
                    f"pairs is not to be had for {self.name}.", "Use it with ML, MSQD or RES."
                )

    def run(
        self, collection: Collection, coefficients: Sequence[str], levels: Sequence[float]
    ) -> tuple[dict[str, Outcome], dict[str, Any]]:
        """Estimate the coefficients; also say what a reader should know of it."""
        from bayescorr.coefficients import resolve
        from bayescorr.frequentist.estimates import estimates
        from bayescorr.frequentist.pairs_of_pairs import sample_variance
        from bayescorr.frequentist.registry import ESTIMATORS

        estimator = ESTIMATORS[self.estimator or self.name]
        sample = collection.sample(self.draws)
        wanted = [resolve(coefficient) for coefficient in coefficients]
        found, _ = estimates(sample, [estimator], wanted, intervals=self.pairs is None)
        variances = {} if self.pairs is None else sample_variance(sample, estimator, self.pairs)
        outcomes: dict[str, Outcome] = {}
        for e in found:
            if self.pairs is None:
                ends = [e.interval(level, self.interval) for level in levels]
                outcomes[e.coefficient] = e.value, e.sd, ends
            else:
                # A sampled sum of covariances may come out negative.
                sd = math.sqrt(max(variances.get(e.coefficient, math.nan), 0.0))
                reach = [NormalDist().inv_cdf((1 + level) / 2) * sd for level in levels]
                ends = [(e.value - r, e.value + r) for r in reach]
                outcomes[e.coefficient] = e.value, sd, ends
        notes = list(estimator.notes(sample))
        return outcomes, {"notes": notes} if notes else {}


@dataclass(frozen=True)
class Bayesian:
    """A Bayesian model in a study.

    Attributes
    ----------
    model : str
        As :func:`bayescorr.list_models` lists them.
    name : str
        What it is called in the results; ``bayes:`` and the model when left out.
    draws, tune, chains : int
        As in :func:`bayescorr.fit`; the defaults are smaller, since a study averages over many
        collections.
    target_accept : float, optional
        Rate of acceptance that the sampler aims at; that of the model when left out. Lower is
        faster, and divergences are part of the results.
    priors : mapping
        As in :func:`bayescorr.fit`.
    point : {"mean", "median"}, optional
        The point estimate; that of :meth:`bayescorr.Fit.estimates` when left out. Methods that
        differ in name, point and interval only share one fit, and its time is that of the first.
    interval : {"equal-tailed", "highest-density"}
        Which interval.
    """

    model: str
    name: str = ""
    draws: int = 500
    tune: int = 300
    chains: int = 2
    target_accept: float | None = None
    priors: Mapping[str, float] = field(default_factory=dict)
    point: str | None = None
    interval: str = "equal-tailed"

    def __post_init__(self) -> None:
        from bayescorr._draws import KINDS
        from bayescorr.bayes.model import get_model

        object.__setattr__(self, "name", self.name or f"bayes:{self.model}")
        object.__setattr__(self, "priors", dict(self.priors))
        get_model(self.model).full_priors(self.priors)
        choose(self.interval, KINDS, "kind of interval")
        if self.point is not None:
            choose(self.point, ("mean", "median"), "point estimate")
        if self.target_accept is not None and not 0 < self.target_accept < 1:
            raise OptionError(
                f"target_accept of {self.name} is {self.target_accept}.",
                "Give a number between 0 and 1, such as 0.9.",
            )
        for what, least in (("draws", 4), ("tune", 0), ("chains", 1)):
            check_whole(getattr(self, what), least, f"{what} of {self.name}")

    def run(
        self, collection: Collection, coefficients: Sequence[str], levels: Sequence[float]
    ) -> tuple[dict[str, Outcome], dict[str, Any]]:
        """Fit the model and estimate the coefficients; also say whether it converged."""
        from bayescorr._draws import interval

        steps: dict[str, Any] = (
            {} if self.target_accept is None else {"target_accept": self.target_accept}
        )
        result = collection.fit(
            self.model,
            self.priors,
            draws=self.draws,
            tune=self.tune,
            chains=self.chains,
            **steps,
        )
        table = result.estimates(coefficients=list(coefficients), point=self.point)
        outcomes: dict[str, Outcome] = {}
        for row in table.to_dict("records"):
            draws = result.draws(row["coefficient"])
            ends = [interval(draws, level, self.interval).tolist() for level in levels]
            outcomes[str(row["coefficient"])] = row["estimate"], row["sd"], ends
        found = result.convergence
        return outcomes, {
            "rhat": round(found.rhat, 4),
            "ess_bulk": round(found.ess_bulk, 1),
            "divergences": found.divergences,
            "converged": found.passed,
        }


Method: TypeAlias = Frequentist | Bayesian


def methods_from(given: Any) -> list[Method]:
    """Make the methods that an entry of a study stands for.

    Examples
    --------
    >>> methods_from("bayes:flat")[0].name
    'bayes:flat'
    >>> [m.name for m in methods_from({"name": "ML", "pairs": [500, 1000]})]
    ['ML-500', 'ML-1000']
    """
    if isinstance(given, (Frequentist, Bayesian)):
        return [given]
    if isinstance(given, str):
        kind, colon, model = given.partition(":")
        given = {"model": model} if colon and kind == "bayes" else {"name": given}
    if isinstance(given, Mapping) and "model" in given:
        return [make(Bayesian, given, "Bayesian method")]
    if isinstance(given, Mapping) and isinstance(given.get("pairs"), list):
        estimator = given.get("estimator") or given.get("name")
        return [
            make(
                Frequentist,
                {**given, "estimator": estimator, "name": f"{given.get('name')}-{k}", "pairs": k},
                "frequentist method",
            )
            for k in given["pairs"]
        ]
    return [make(Frequentist, given, "frequentist method")]


def method_to_entry(method: Method) -> str | dict[str, Any]:
    """Return the entry of a study file that stands for a method."""
    table = to_table(method)
    if isinstance(method, Bayesian) and method.name == f"bayes:{method.model}":
        del table["name"]
        return method.name if len(table) == 1 else table
    return method.name if set(table) == {"name"} else table
