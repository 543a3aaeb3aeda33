"""The methods of a study: frequentist estimators and Bayesian models, with their options."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from bayescorr._numbers import check_count, check_level
from bayescorr.errors import BayescorrWarning, OptionError, choose
from bayescorr.study._fields import Mistakes, check_types, make, to_table

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr._numbers import FloatArray
    from bayescorr.bayes.result import Fit
    from bayescorr.frequentist.estimator import Estimator
    from bayescorr.frequentist.sample import Sample


class Outcome(NamedTuple):
    """What a method says about a coefficient."""

    estimate: float
    sd: float
    #: One (lower, upper) per level.
    ends: Sequence[Sequence[float]]
    #: Draws of the coefficient, where the method has them.
    draws: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Collection:
    """A collection as methods see it: scores, and a seed that all methods share.

    The coefficient is that with the true ranking or, if ``other_topics`` is given, with the ranking
    by this number of other topics.
    """

    scores: pd.DataFrame
    seed: int
    higher_is_better: bool = True
    other_topics: int | None = None
    _samples: dict[int, Sample] = field(default_factory=dict, repr=False)
    _fits: dict[Any, Fit] = field(default_factory=dict, repr=False)

    def sample(self, draws: int) -> Sample:
        """Return the sample that frequentist methods with this number of draws share."""
        from bayescorr.frequentist.api import prepare

        if draws not in self._samples:
            arguments = (draws, self.higher_is_better, "error", self.seed)
            others = self.other_topics
            _, sample = prepare(self.scores, *arguments, warn=False, other_topics=others)
            self._samples[draws] = sample
        return self._samples[draws]

    def fit(self, model: str, priors: Mapping[str, float], **options: Any) -> Fit:
        """Return the fit that methods with the same model, priors and options share."""
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

    def draws(self, fit: Fit, coefficients: Sequence[str]) -> Mapping[str, FloatArray]:
        """Draw the coefficients with the true ranking, or with that by other topics."""
        from bayescorr.bayes.predictive import draw_agreement

        if self.other_topics is None:
            return {name: fit.draws(name) for name in coefficients}
        seed = np.random.default_rng([self.seed, 1])
        return draw_agreement(fit, self.other_topics, coefficients, random_seed=seed)


@dataclass(frozen=True)
class Frequentist:
    """A frequentist estimator in a study.

    Attributes
    ----------
    name : str
        Name in the results.
    estimator : str
        A name that :func:`bayescorr.list_estimators` lists; default: ``name``.
    draws : int
        Number of joint draws or resamples of the topics.
    interval : {"quantile", "normal"}
        Quantiles of the draws, or normal around the estimate as in the thesis (Bavdaz 2018).
    pairs : int, optional
        Estimate the standard deviation of tau and tau_ap from this number of sampled pairs of pairs
        of systems instead of all, as in the thesis; intervals are then normal. In a study file, a
        list of numbers gives one method per number, named ``name-number``.
    """

    name: str
    estimator: str = ""
    draws: int = 1000
    interval: str = "quantile"
    pairs: int | None = None
    #: Every collection: these methods are fast.
    share: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        from bayescorr.frequentist.estimates import INTERVALS

        mistakes = Mistakes()
        if check_types(self, f"the method {self.name}", mistakes):
            with mistakes.noted():
                choose(self.interval, INTERVALS, "interval")
            with mistakes.noted():
                check_count(self.draws, f"draws of {self.name}", 2)
            with mistakes.noted():
                self._check_pairs(self._estimator.name)
        mistakes.report()

    def _check_pairs(self, estimator: str) -> None:
        if self.pairs is None:
            return
        check_count(self.pairs, f"pairs of {self.name}")
        if estimator not in ("ML", "MSQD", "RES"):
            raise OptionError(
                f"{estimator} does not support pairs.", "Use pairs with ML, MSQD or RES."
            )

    @property
    def predicts(self) -> bool:
        """Whether it predicts the ranking by other topics: not by splits or pairs of pairs."""
        return self.pairs is None and self._estimator.splits is None

    @property
    def _estimator(self) -> Estimator:
        from bayescorr.frequentist.registry import find_estimator

        return find_estimator(self.estimator or self.name)

    def run(
        self, collection: Collection, coefficients: Sequence[str], levels: Sequence[float]
    ) -> tuple[dict[str, Outcome], dict[str, Any]]:
        """Return estimates of the coefficients, and notes about them."""
        from bayescorr.coefficients import resolve
        from bayescorr.frequentist.estimates import estimates
        from bayescorr.frequentist.pairs_of_pairs import sample_variance

        estimator, sample = self._estimator, collection.sample(self.draws)
        wanted = [resolve(coefficient) for coefficient in coefficients]
        found, _ = estimates(sample, [estimator], wanted, intervals=self.pairs is None)
        variances = {} if self.pairs is None else sample_variance(sample, estimator, self.pairs)
        outcomes: dict[str, Outcome] = {}
        for e in found:
            if self.pairs is None:
                sd, ends = e.sd, [e.interval(level, self.interval) for level in levels]
            else:
                # A sampled sum of covariances can be negative.
                sd = math.sqrt(max(variances.get(e.coefficient, math.nan), 0.0))
                reach = [NormalDist().inv_cdf((1 + level) / 2) * sd for level in levels]
                ends = [(e.value - r, e.value + r) for r in reach]
            outcomes[e.coefficient] = Outcome(e.value, sd, ends, e.draws)
        notes = list(estimator.notes(sample))
        return outcomes, {"notes": notes} if notes else {}


@dataclass(frozen=True)
class Bayesian:
    """A Bayesian model in a study.

    Attributes
    ----------
    model : str
        A name that :func:`bayescorr.list_models` lists.
    name : str
        Name in the results; default: ``bayes:`` and the model.
    inference : {"nuts", "laplace"}
        As in :func:`bayescorr.fit`.
    draws, tune, chains : int
        As in :func:`bayescorr.fit`. The defaults are smaller, because a study averages over many
        collections.
    target_accept : float, optional
        Target acceptance rate of the sampler; default: that of the model. Lower is faster;
        divergences are part of the results.
    priors : mapping
        As in :func:`bayescorr.fit`.
    point : {"mean", "median"}
        Point estimate. Methods that differ only in name, point and interval share one fit, whose
        time counts for the first of them.
    interval : {"equal-tailed", "highest-density"}
        Kind of interval.
    share : float
        Share of the collections that the method sees, chosen by the seed: a slow method may check a
        fast one on some of them.
    """

    model: str
    name: str = ""
    inference: str = "nuts"
    draws: int = 500
    tune: int = 300
    chains: int = 2
    target_accept: float | None = None
    priors: Mapping[str, float] = field(default_factory=dict)
    point: str = "mean"
    interval: str = "equal-tailed"
    share: float = 1.0
    #: All models but those that say otherwise predict the ranking by other topics.
    predicts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        from bayescorr._draws import KINDS
        from bayescorr.bayes.model import get_model
        from bayescorr.bayes.sampler import INFERENCES

        object.__setattr__(self, "name", self.name or f"bayes:{self.model}")
        mistakes = Mistakes()
        if check_types(self, f"the method {self.name}", mistakes):
            object.__setattr__(self, "priors", dict(self.priors))
            with mistakes.noted():
                get_model(self.model).full_priors(self.priors)
            with mistakes.noted():
                choose(self.interval, KINDS, "kind of interval")
            with mistakes.noted():
                choose(self.inference, INFERENCES, "inference")
            with mistakes.noted():
                choose(self.point, ("mean", "median"), "point estimate")
            with mistakes.noted(f"The method {self.name}: "):
                if self.target_accept is not None:
                    check_level(self.target_accept, "target_accept", 0.9)
            with mistakes.noted():
                if not 0 < self.share <= 1:
                    raise OptionError(
                        f"share of {self.name} must be above 0 and at most 1; got {self.share}.",
                        "For example, use 0.02.",
                    )
            for what, least in (("draws", 4), ("tune", 1), ("chains", 1)):
                with mistakes.noted():
                    check_count(getattr(self, what), f"{what} of {self.name}", least)
        mistakes.report()

    def run(
        self, collection: Collection, coefficients: Sequence[str], levels: Sequence[float]
    ) -> tuple[dict[str, Outcome], dict[str, Any]]:
        """Fit the model; return estimates of the coefficients, and how well it converged."""
        from bayescorr._draws import estimates_of, interval

        names = ("inference", "draws", "tune", "chains")
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.target_accept is not None:
            options["target_accept"] = self.target_accept
        result = collection.fit(self.model, self.priors, **options)
        drawn = collection.draws(result, coefficients)
        draws = np.column_stack([drawn[name] for name in coefficients])
        table = estimates_of(draws, point=self.point)
        outcomes: dict[str, Outcome] = {}
        for name, row in zip(coefficients, table.to_dict("records"), strict=True):
            ends = [interval(drawn[name], level, self.interval).tolist() for level in levels]
            outcomes[name] = Outcome(row["estimate"], row["sd"], ends, drawn[name])
        found = result.convergence
        return outcomes, {
            "rhat": round(found.rhat, 4),
            "ess_bulk": round(found.ess_bulk, 1),
            "divergences": found.divergences,
            "converged": found.passed,
        }


Method: TypeAlias = Frequentist | Bayesian


def methods_from(entry: Any) -> list[Method]:
    """Return the methods of an entry of a study file: several if ``pairs`` is a list."""
    if isinstance(entry, (Frequentist, Bayesian)):
        return [entry]
    if isinstance(entry, str) and entry.startswith("bayes:"):
        entry = {"model": entry.removeprefix("bayes:")}
    if isinstance(entry, Mapping) and "model" in entry:
        return [make(Bayesian, entry, "Bayesian method")]
    tables = [entry]
    if isinstance(entry, Mapping) and isinstance(entry.get("pairs"), list):
        name = entry.get("name")
        shared = {**entry, "estimator": entry.get("estimator") or name}
        tables = [{**shared, "name": f"{name}-{k}", "pairs": k} for k in entry["pairs"]]
        if not tables:
            raise OptionError(f"pairs of the method {name} is empty.", "Add at least one number.")
    return [make(Frequentist, table, "frequentist method") for table in tables]


def method_to_entry(method: Method) -> str | dict[str, Any]:
    """Return the entry of a study file for a method."""
    table = to_table(method)
    if isinstance(method, Bayesian) and method.name == f"bayes:{method.model}":
        del table["name"]
    return method.name if len(table) == 1 else table
