"""Estimates, standard deviations and intervals of any estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray
from bayescorr.coefficients import COEFFICIENTS, Coefficient, correlate
from bayescorr.coefficients._expected import expected
from bayescorr.coefficients._pairs import Pairs
from bayescorr.coefficients.ranks import swap_shares
from bayescorr.errors import ModelError, choose
from bayescorr.frequentist.estimator import Differences, Estimator
from bayescorr.frequentist.ml import t_discordance
from bayescorr.frequentist.sample import Sample
from bayescorr.frequentist.splithalf import extrapolate
from bayescorr.scores.ties import level_ties

#: The kinds of intervals.
INTERVALS = ("normal", "quantile")

#: The coefficients that are sums over pairs, so that pairwise probabilities are enough.
PAIRWISE = ("tau", "tau_ap")


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate of one coefficient by one method; NaN where unavailable.

    Attributes
    ----------
    method, coefficient : str
        Names of both.
    value : float
        The expected coefficient.
    draws : ndarray, optional
        Draws of the coefficient, for its standard deviation and intervals.
    """

    method: str
    coefficient: str
    value: float
    draws: FloatArray | None = None

    @property
    def sd(self) -> float:
        """Standard deviation of the coefficient."""
        return np.nan if self.draws is None else float(self.draws.std(ddof=1))

    def interval(self, level: float = 0.95, kind: str = "quantile") -> tuple[float, float]:
        """Return an interval: quantiles of the draws, or normal around the estimate.

        Examples
        --------
        >>> estimate = Estimate("ML", "tau", 0.5, np.array([0.2, 0.4, 0.6, 0.8]))
        >>> [round(end, 3) for end in estimate.interval(0.5)]
        [0.35, 0.65]
        >>> [round(end, 3) for end in estimate.interval(0.5, "normal")]
        [0.326, 0.674]
        """
        choose(kind, INTERVALS, "interval")
        if self.draws is None:
            return np.nan, np.nan
        if kind == "normal":
            reach = float(ndtri((1 + level) / 2)) * self.sd
            return self.value - reach, self.value + reach
        lower, upper = interval(self.draws, level)
        return float(lower), float(upper)


def estimates(
    sample: Sample,
    methods: Sequence[Estimator],
    coefficients: Sequence[Coefficient],
    *,
    intervals: bool = True,
) -> tuple[list[Estimate], list[str]]:
    """Return the estimates, methods by coefficients in the given order, and notes for the reader.

    Without ``intervals``, the draws that only standard deviations and intervals need are skipped.
    """
    found: list[Estimate] = []
    notes: list[str] = []
    for method in methods:
        if sample.tasks and not method.strata:
            found += [Estimate(method.name, c.name, np.nan) for c in coefficients]
            notes.append(f"{method.name} does not support tasks: use ML, MSQD or RES.")
            continue
        if sample.summary and not method.summaries:
            found += [Estimate(method.name, c.name, np.nan) for c in coefficients]
            notes.append(f"{method.name} is for means, not for other summaries: use RES.")
            continue
        if method.splits:
            values, draws, remarks = _by_splits(method, sample, coefficients)
            notes += remarks
        else:
            values, draws = _by_truth(method, sample, coefficients, intervals)
        notes += method.notes(sample)
        for c in coefficients:
            kept = draws.get(c.name) if intervals and method.intervals else None
            found.append(Estimate(method.name, c.name, values.get(c.name, np.nan), kept))
        unsupported = [c.name for c in coefficients if c.name not in values]
        if unsupported:
            names, reason = ", ".join(unsupported), "it has no joint draws of the true means"
            notes.append(f"{method.name} does not support {names}: {reason}.")
        if intervals and not method.intervals:
            notes.append(f"{method.name} does not support intervals: it has no draws.")
    return found, notes


def pair_discordance(method: Estimator, sample: Sample) -> FloatArray | None:
    """Return P(truth swaps each pair), row below column; None if the method does not have it."""
    if (sample.tasks and not method.strata) or (sample.summary and not method.summaries):
        return None
    if method.sigma:
        return t_discordance(sample, method.sigma(sample))
    if method.discordance:
        return sample.once(method.discordance)
    draws = _true_means(method, sample)
    if draws is None:
        return None
    return np.tril(swap_shares(draws, sample.means, threshold=sample.noise))


def joint_differences(method: Estimator, sample: Sample) -> tuple[Differences, ...] | None:
    """Return joint draws of the true differences; None if the method does not have them."""
    if method.differences:
        return method.differences(sample)
    draws = _true_means(method, sample)
    return None if draws is None else (Differences(draws),)


def pairwise_draws(sample: Sample, parts: Sequence[Differences]) -> dict[str, FloatArray]:
    """Return draws of tau and tau_ap (equations 3 and 4), one D_ij per draw and pair."""
    size, m = parts[0].draws, sample.systems
    found = {name: np.ones(size) for name in PAIRWISE}
    for part in parts:
        _check_shape((part.draws, part.centre.shape[1]), (size, m))
        none = np.zeros(size, dtype=np.int64)
        rows = none if len(part.centre) == 1 else np.arange(size)
        pairs = Pairs(part.centre, sample.means[None], rows, none, (size,))
        values = expected(pairs, threshold=sample.noise, noise=part.noise, spread=part.spread)
        for name, value in zip(PAIRWISE, values, strict=False):
            found[name] -= 1 - value
    return found


def _true_means(method: Estimator, sample: Sample) -> FloatArray | None:
    """Return draws of the true means (draws x systems); None if the method does not have them."""
    if method.true_means is None:
        return None
    draws = sample.once(method.true_means)
    _check_shape(draws.shape, (len(draws), sample.systems))
    return draws


def _check_shape(found: tuple[int, ...], needed: tuple[int, ...]) -> None:
    if found != needed:
        raise ModelError(
            f"Draws x systems must have shape {needed}; got {found}.",
            "Return the same number of draws in every part, and one column per system.",
        )


def _by_truth(
    method: Estimator, sample: Sample, coefficients: Sequence[Coefficient], intervals: bool
) -> tuple[dict[str, float], dict[str, FloatArray]]:
    """Return estimates and draws of a method that models the truth, by pairs or jointly."""
    pairwise = _pairwise(coefficients)
    others = [c for c in coefficients if c.name not in pairwise]
    closed_form = method.sigma or method.discordance
    draws: dict[str, FloatArray] = {}
    parts = joint_differences(method, sample) if intervals or not closed_form else None
    if pairwise and parts:
        draws = pairwise_draws(sample, parts)
    truth = _true_means(method, sample) if others else None
    if truth is not None:
        truth = level_ties(truth, float(np.abs(sample.values).max()))
        draws.update(correlate(truth, sample.means, others))
    values = {c.name: float(draws[c.name].mean()) for c in coefficients if c.name in draws}
    discordance = pair_discordance(method, sample) if closed_form and pairwise else None
    if discordance is not None:
        values.update({n: 1 - float((sample.weights[n] * discordance).sum()) for n in pairwise})
    return values, draws


def _by_splits(
    method: Estimator, sample: Sample, coefficients: Sequence[Coefficient]
) -> tuple[dict[str, float], dict[str, FloatArray], tuple[str, ...]]:
    """Return estimates, draws and notes of a method that compares samples of the topics."""
    pairwise = _pairwise(coefficients)
    if method.splits is None or not pairwise:
        return {}, {}, ()
    n, splits = sample.topics, method.splits(sample)
    draws = correlate(splits.truth, splits.observed, pairwise)
    if (splits.sizes == n).all():
        return {name: float(found.mean()) for name, found in draws.items()}, draws, ()
    values = {name: extrapolate(splits.sizes, found, n) for name, found in draws.items()}
    agreeing = float(np.mean(draws[pairwise[0]] == 1))
    note = f"{method.name}: {agreeing:.0%} of the splits agree fully and are left out of the fit."
    return values, draws, (note,) if agreeing > 0.5 else ()


def _pairwise(coefficients: Sequence[Coefficient]) -> list[str]:
    """Return the names of the coefficients that are sums over pairs, not functions so named."""
    return [c.name for c in coefficients if c.name in PAIRWISE and c is COEFFICIENTS[c.name]]
