"""From what an estimator says to estimates, standard deviations and intervals: for all alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill
from bayescorr.errors import ModelError, choose, listing
from bayescorr.frequentist.estimator import Differences, Estimator
from bayescorr.frequentist.sample import Sample
from bayescorr.frequentist.splithalf import extrapolate
from bayescorr.scores.ties import level_ties

if TYPE_CHECKING:
    from bayescorr.coefficients import Coefficient

#: How an interval is made of the draws.
INTERVALS = ("normal", "quantile")

# The coefficients that are sums over pairs, so that pairwise probabilities are enough.
_PAIRWISE = ("tau", "tau_ap")


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate of one coefficient by one method; what is not available is NaN.

    Attributes
    ----------
    method, coefficient : str
        Names of both.
    value : float
        The expected coefficient.
    draws : ndarray, optional
        Draws of the coefficient, for its spread.
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
        """Interval at a level: quantiles of the draws, or normal around the estimate.

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
        tail = (1 - level) / 2
        if kind == "normal":
            reach = float(ndtri(1 - tail)) * self.sd
            return self.value - reach, self.value + reach
        lower, upper = np.quantile(self.draws, [tail, 1 - tail])
        return float(lower), float(upper)


def estimates(
    sample: Sample,
    methods: Sequence[Estimator],
    coefficients: Sequence[Coefficient],
    *,
    intervals: bool = True,
) -> tuple[list[Estimate], list[str]]:
    """Estimate each coefficient by each method, and say what a reader should know of it.

    Parameters
    ----------
    sample : Sample
        From :func:`~bayescorr.frequentist.sample.make_sample`.
    methods : sequence of Estimator
        From ``ESTIMATORS``.
    coefficients : sequence of Coefficient
        From ``COEFFICIENTS`` or :func:`~bayescorr.coefficients.resolve`.
    intervals : bool
        False saves the draws that only standard deviations and intervals need.

    Returns
    -------
    list of Estimate
        Methods by coefficients, in the order given.
    list of str
        Notes, one line each.
    """
    found: list[Estimate] = []
    notes: list[str] = []
    for method in methods:
        if method.splits:
            values, draws, remarks = _by_splits(method, sample, coefficients)
            notes += remarks
        else:
            values, draws = _by_truth(method, sample, coefficients, intervals)
        notes += method.notes(sample)
        for c in coefficients:
            kept = draws.get(c.name) if intervals and method.intervals else None
            found.append(Estimate(method.name, c.name, values.get(c.name, np.nan), kept))
        lacking = [c.name for c in coefficients if c.name not in values]
        if lacking:
            notes.append(f"{method.name}: {_reason(method)}, so no {', '.join(lacking)}.")
        if intervals and not method.intervals:
            notes.append(f"{method.name}: an extrapolation without draws, so no interval.")
    return found, notes


def pair_discordance(method: Estimator, sample: Sample) -> FloatArray | None:
    """P(truth swaps each pair), row below column; None where a method does not say."""
    if method.discordance:
        return sample.once(method.discordance)
    if not method.true_means:
        return None
    from bayescorr.frequentist import _kernels

    draws = np.ascontiguousarray(sample.once(method.true_means).T)
    return sample.over_pairs(
        _kernels.pair_swaps, draws, sample.first, sample.noise, steps=sample.draws
    )


def joint_differences(method: Estimator, sample: Sample) -> tuple[Differences, ...] | None:
    """Joint draws of the true differences; None where a method has none."""
    if method.differences:
        return method.differences(sample)
    if method.true_means:
        return (Differences(sample.once(method.true_means)),)
    return None


def pairwise_draws(sample: Sample, parts: Sequence[Differences]) -> dict[str, FloatArray]:
    """Draws of tau and tau_ap (equations 3 and 4), one discordance D_ij per pair and draw."""
    from bayescorr.frequentist import _kernels

    m = sample.systems
    shapes = {(part.draws, part.centre.shape[1]) for part in parts}
    if shapes != {(parts[0].draws, m)}:
        raise ModelError(
            f"Draws x systems of shape {listing(sorted(shapes))} found for {m} systems.",
            "Give every part as many draws, and as many columns as there are systems.",
        )
    swapped = np.zeros((parts[0].draws, 2))
    nothing = np.empty((0, m))
    for part in parts:
        noise = nothing if part.noise is None else part.noise
        spread = nothing if part.spread is None else part.spread
        fill(
            _kernels.draw_swaps,
            *(part.centre, noise, spread, sample.first, *sample.ap_weights, sample.noise),
            out=swapped,
            work=len(swapped) * sample.pairs,
        )
    return {"tau": 1 - swapped[:, 0] * 4 / (m * (m - 1)), "tau_ap": 1 - swapped[:, 1] * 2 / (m - 1)}


def _by_truth(
    method: Estimator, sample: Sample, coefficients: Sequence[Coefficient], intervals: bool
) -> tuple[dict[str, float], dict[str, FloatArray]]:
    """Estimates and draws of a method that says what the truth may be, by pairs or altogether."""
    from bayescorr.coefficients import correlate

    pairwise = _names_of_pairwise(coefficients)
    others = [c for c in coefficients if c.name not in pairwise]
    draws: dict[str, FloatArray] = {}
    parts = joint_differences(method, sample) if intervals or not method.discordance else None
    if pairwise and parts:
        draws = pairwise_draws(sample, parts)
    if others and method.true_means:
        truth = level_ties(sample.once(method.true_means), float(np.abs(sample.values).max()))
        draws.update(correlate(truth, sample.means, others))
    values = {c.name: float(draws[c.name].mean()) for c in coefficients if c.name in draws}
    if method.discordance:
        discordance = sample.once(method.discordance)
        values.update({n: 1 - float((sample.weights[n] * discordance).sum()) for n in pairwise})
    return values, draws


def _by_splits(
    method: Estimator, sample: Sample, coefficients: Sequence[Coefficient]
) -> tuple[dict[str, float], dict[str, FloatArray], tuple[str, ...]]:
    """Estimates, draws and notes of a method that compares samples of the topics."""
    from bayescorr.coefficients import correlate

    pairwise = _names_of_pairwise(coefficients)
    if method.splits is None or not pairwise:
        return {}, {}, ()
    n, splits = sample.topics, method.splits(sample)
    draws = correlate(splits.truth, splits.observed, pairwise)
    if (splits.sizes == n).all():
        return {name: float(found.mean()) for name, found in draws.items()}, draws, ()
    agreeing = float(np.mean(draws[pairwise[0]] == 1))
    notes = (
        (f"{method.name}: {agreeing:.0%} of the splits agree fully; the fit leaves them out.",)
        if agreeing > 0.5
        else ()
    )
    return {k: extrapolate(splits.sizes, found, n) for k, found in draws.items()}, draws, notes


def _names_of_pairwise(coefficients: Sequence[Coefficient]) -> list[str]:
    """Those of the coefficients that are sums over pairs: ours, not a function of that name."""
    from bayescorr.coefficients import COEFFICIENTS

    return [c.name for c in coefficients if c.name in _PAIRWISE and c is COEFFICIENTS[c.name]]


def _reason(method: Estimator) -> str:
    if method.splits:
        return "split-half is defined for tau and tau_ap only"
    return "pairs of systems are modelled one by one, without joint draws of the true means"
