"""Simulate collections by topic and system effects on the logit scale (Urbano, 2016)."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, OptionError
from bayescorr.simulation._normal import NormalTransform, correlation_factor
from bayescorr.simulation.base import Simulator
from bayescorr.simulation.fitting import check_unit_range
from bayescorr.simulation.margins import Margin, PointMargin
from bayescorr.simulation.margins_kernel import NormalKernelMargin, kernel_bandwidth

_SMOOTHING = 0.05
_NODES = np.linspace(-6, 6, 241)


def logit(p: FloatArray) -> FloatArray:
    """Return the smoothed logit log((p + a) / (1 - p + a)), a = .05, finite at 0 and 1."""
    return np.asarray(np.log((p + _SMOOTHING) / (1 - p + _SMOOTHING)))


def inverse_logit(x: FloatArray) -> FloatArray:
    """Return the inverse of :func:`logit`, clipped to [0, 1]."""
    return np.clip((1 + 2 * _SMOOTHING) / (1 + np.exp(-x)) - _SMOOTHING, 0, 1)


class EffectsSimulator(Simulator):
    r"""Simulate collections like a given one by resampling smoothed effects (Urbano, 2016).

    On the logit scale, scores are decomposed as
    :math:`\mathrm{logit}(x_{ts}) = \mu + \nu_s + \nu_t + e_{ts}`. For each new topic, the topic
    effect :math:`\nu_t` and the residuals :math:`e_{ts}` are drawn from kernel-smoothed cdfs joined
    by a Gaussian copula with the correlations of the original effects; :math:`\mu` and
    :math:`\nu_s` are fixed. The inverse logit clips scores to [0, 1].

    Parameters
    ----------
    scores : DataFrame or array
        Scores of systems (columns) on topics (rows), between 0 and 1.
    normal : bool
        Draw from normal distributions on the scale of the scores, without logit, kernels or
        clipping; scores may have any range. (The published code still smooths the topic effect.)
    homoscedastic : bool
        Rescale the residuals of each system to the pooled variance.
    uncorrelated : bool
        Draw residuals and topic effects independently.
    random_topics : bool
        If False, sort ``max(200, 4 n)`` topics by topic effect and choose n without replacement,
        with probabilities proportional to a Beta(a, b) density. Each sample draws a in (.01, 2) and
        b in (2, 8) and swaps them with probability 1/2. The true means are those of all topics.
    truth : {"simulator", "original"}
        Definition of the true means: the expected simulated scores, by quadrature with an error
        below 1e-4, or the means of the original scores, as in the published study. Because of the
        nonlinear logit and the clipping, Kendall's tau between the two is about .97 for adhoc6-8.
        With "original", the actual tau cannot exceed that value for any number of topics, which
        explains the bias of about +.004 of all estimators at n = 100 in the published study.

    Notes
    -----
    As in the published code (``ks::kcde``), bandwidths are the two-stage direct plug-in for a cdf,
    and cdfs are truncated to twice the range of the logit. The published code sums the density on a
    grid of 401 points; here the cdf is exact and its inverse is tabulated.

    References
    ----------
    J. Urbano (2016). Test collection reliability: a study of the effects of sample size and
    statistical assumptions. Information Retrieval Journal 19(3).

    J. Urbano and M. Marrero (2016). Toward estimating the rank correlation between the test
    collection results and the true system performance. SIGIR.

    Examples
    --------
    >>> scores = np.random.default_rng(1).beta([2, 3, 4], 5, size=(20, 3))
    >>> simulator = EffectsSimulator(scores)
    >>> simulator.sample(2, random_seed=1).round(3)
         sys1   sys2   sys3
    t1  0.147  0.376  0.276
    t2  0.142  0.650  0.699
    >>> simulator.true_means.round(3).tolist()
    [0.238, 0.367, 0.462]
    """

    kind: ClassVar[str] = "effects"

    def __init__(
        self,
        scores: pd.DataFrame | ArrayLike,
        *,
        normal: bool = False,
        homoscedastic: bool = False,
        uncorrelated: bool = False,
        random_topics: bool = True,
        truth: str = "simulator",
    ) -> None:
        super().__init__(scores, truth)
        self.normal = normal
        self.homoscedastic = homoscedastic
        self.uncorrelated = uncorrelated
        self.random_topics = random_topics
        values = self._values
        if not normal:
            check_unit_range(values, ("Rescale the scores, or use ", Argument("normal", True), "."))
            values = logit(values)
        mean = values.mean()
        topic_effects = values.mean(axis=1) - mean
        system_effects = values.mean(axis=0) - mean
        residuals = values - mean - system_effects - topic_effects[:, None]
        if homoscedastic:
            deviations = residuals.std(axis=0, ddof=1)
            pooled = np.sqrt((deviations**2).mean())
            flat = deviations <= 1e-9 * pooled
            residuals = residuals * np.where(flat, 1.0, pooled / np.where(flat, 1.0, deviations))
        self._levels: FloatArray = mean + system_effects
        self._effects = np.column_stack([residuals, topic_effects])

    @cached_property
    def _factor(self) -> FloatArray:
        distinct = np.append(self._distinct, self._effects.shape[1] - 1)
        return correlation_factor(self._effects[:, distinct])

    @cached_property
    def _transform(self) -> NormalTransform:
        return NormalTransform([kernel_margin(column) for column in self._effects.T])

    @cached_property
    def _deviations(self) -> FloatArray:
        return np.where(_flat(self._effects), 0.0, self._effects.std(axis=0, ddof=1))

    def _moved(self, means: FloatArray) -> Self:
        """Find the levels on the logit scale by Newton steps; the mean increases with the level."""
        nodes = np.empty((0, 0)) if self.normal else self._nodes
        moved = copy(self)
        moved.__dict__.pop("_simulated_means", None)
        if self.normal:
            moved._levels = means
            return moved
        if not ((means > 0) & (means < 1)).all():
            outside = means[(means <= 0) | (means >= 1)][0]
            raise OptionError(f"Means must be between 0 and 1; got {outside:g}.")
        levels = np.clip(self._levels, -29, 29)
        # A quarter of the nodes shows where to start.
        for sums in (nodes[::4, ::4], nodes):
            levels = _solve_levels(sums, means, levels)
        moved._levels = levels
        return moved

    def _attainable(self, means: FloatArray) -> FloatArray:
        return means if self.normal else np.clip(means, 0.001, 0.999)

    def _draw_effects(self, n_topics: int, rng: np.random.Generator) -> FloatArray:
        """Draw topics by effects: residuals and, in the last column, the topic effect."""
        if self.uncorrelated:
            z = rng.standard_normal((n_topics, self._effects.shape[1]))
        else:
            drawn = rng.standard_normal((n_topics, len(self._factor))) @ self._factor
            z = drawn[:, np.append(self._copies, drawn.shape[1] - 1)]
        return z * self._deviations if self.normal else self._transform(z)

    def _draw(self, n_topics: int, rng: np.random.Generator) -> FloatArray:
        if self.random_topics:
            effects = self._draw_effects(n_topics, rng)
        else:
            effects = self._draw_effects(max(200, 4 * n_topics), rng)
            effects = effects[np.argsort(effects[:, -1], kind="stable")]
            effects = effects[biased_choice(len(effects), n_topics, rng)]
        values = self._levels + effects[:, :-1] + effects[:, -1:]
        return values if self.normal else inverse_logit(values)

    @cached_property
    def _simulated_means(self) -> FloatArray:
        """Expected scores by the trapezium rule over the normal topic effect and residual."""
        return self._levels if self.normal else _expected(self._nodes, self._levels)[0]

    @cached_property
    def _nodes(self) -> FloatArray:
        """Sum of topic effect and residual, by node of the topic effect, of the residual, system.

        It does not depend on the levels, so that many of them can be tried.
        """
        if self.uncorrelated:
            correlations = np.zeros(len(self._levels))
        else:
            correlations = (self._factor[:, :-1].T @ self._factor[:, -1])[self._copies]
        own = _NODES[:, None] * np.sqrt(np.clip(1 - correlations**2, 0, None))
        z = np.empty((len(_NODES), len(correlations) + 1))
        sums = np.empty((len(_NODES), *own.shape))
        for k, node in enumerate(_NODES):
            z[:, :-1] = node * correlations + own
            z[:, -1] = node
            effects = self._transform(z)
            sums[k] = effects[:, :-1] + effects[:, -1:]
        return sums


def _expected(sums: FloatArray, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return expected scores at these levels and derivatives, over evenly spaced normal nodes."""
    weights = np.exp(-(np.linspace(-6, 6, len(sums)) ** 2) / 2)
    weights /= weights.sum()
    means, slopes = np.zeros(len(levels)), np.zeros(len(levels))
    for part, weight in zip(sums, weights, strict=True):
        p = 1 / (1 + np.exp(-(levels + part)))
        scores = np.clip((1 + 2 * _SMOOTHING) * p - _SMOOTHING, 0, 1)
        means += weight * (weights @ scores)
        inside = (scores > 0) & (scores < 1)
        slopes += weight * (weights @ np.where(inside, (1 + 2 * _SMOOTHING) * p * (1 - p), 0.0))
    return means, slopes


def _solve_levels(sums: FloatArray, means: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the levels with these expected scores."""
    low, high = np.full(len(means), -30.0), np.full(len(means), 30.0)
    for _ in range(100):
        found, slope = _expected(sums, levels)
        if np.abs(found - means).max() < 1e-9:
            break
        low, high = np.where(found < means, levels, low), np.where(found < means, high, levels)
        step = levels + (means - found) / np.maximum(slope, 1e-12)
        # Halve the bracket where Newton leaves it.
        levels = np.where((step > low) & (step < high), step, (low + high) / 2)
    return levels


def _flat(columns: FloatArray) -> NDArray[np.bool_]:
    """Return which columns are constant up to rounding."""
    return np.asarray(np.ptp(columns, axis=0) < 1e-12)


def kernel_margin(effects: FloatArray) -> Margin:
    """Return the kernel-smoothed distribution of one effect."""
    if _flat(effects):
        return PointMargin(0.0)
    reach = max(2 * float(logit(np.array(1.0))), float(np.abs(effects).max()))
    return NormalKernelMargin(effects, kernel_bandwidth(effects, "cdf"), -reach, reach)


def biased_choice(size: int, chosen: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Choose rows without replacement, with Beta weights along their order."""
    a, b = rng.uniform(0.01, 2), rng.uniform(2, 8)
    if rng.random() < 0.5:
        a, b = b, a
    log_weights = stats.beta.logpdf(np.arange(1, size + 1) / (size + 1), a, b)
    # The largest log-weights plus Gumbel noise are a weighted sample without replacement.
    keys = log_weights + rng.gumbel(size=size)
    return np.argsort(-keys)[:chosen]
