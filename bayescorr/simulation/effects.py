"""Simulation by topic and system effects on the logit scale (Urbano, 2016)."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from bayescorr._numbers import FloatArray
from bayescorr.simulation._bandwidth import kernel_bandwidth
from bayescorr.simulation._normal import NormalTransform, correlation_factor
from bayescorr.simulation.base import Simulator
from bayescorr.simulation.fitting import check_unit_range
from bayescorr.simulation.margins import Margin, PointMargin
from bayescorr.simulation.margins_kernel import NormalKernelMargin

_SMOOTHING = 0.05
_NODES = np.linspace(-6, 6, 241)


def logit(p: FloatArray) -> FloatArray:
    """Logit with smoothing: log((p + a) / (1 - p + a)), a = .05, finite at 0 and 1.

    Examples
    --------
    >>> logit(np.array([0.0, 0.5, 1.0])).round(3)
    array([-3.045,  0.   ,  3.045])
    """
    return np.asarray(np.log((p + _SMOOTHING) / (1 - p + _SMOOTHING)))


def inverse_logit(x: FloatArray) -> FloatArray:
    """Inverse of :func:`logit`, clipped to [0, 1].

    Examples
    --------
    >>> inverse_logit(logit(np.array([0.0, 0.2, 1.0]))).round(6)
    array([0. , 0.2, 1. ])
    """
    p = (1 + 2 * _SMOOTHING) / (1 + np.exp(-x)) - _SMOOTHING
    return np.clip(p, 0, 1)


class EffectsSimulator(Simulator):
    r"""Simulate collections like a given one by resampling smoothed effects (Urbano, 2016).

    Scores are taken to the logit scale and decomposed,
    :math:`\mathrm{logit}(x_{ts}) = \mu + \nu_s + \nu_t + e_{ts}`. New topics draw the topic effect
    :math:`\nu_t` and the residuals :math:`e_{ts}` from kernel-smoothed cdfs, joined by a Gaussian
    copula with the correlations of the original ones; :math:`\mu` and :math:`\nu_s` are kept. The
    way back to scores clips them to [0, 1].

    Parameters
    ----------
    scores : DataFrame or array
        Scores of systems (columns) on topics (rows), between 0 and 1.
    normal : bool
        Draw from normal distributions on the scale of the scores: no logit, no kernels, no clipping
        (scores may then be of any range). The published code smooths the topic effect even so.
    homoscedastic : bool
        Rescale the residuals of each system to the pooled variance.
    uncorrelated : bool
        Draw residuals and topic effect independently of each other.
    random_topics : bool
        If False, topics are a biased choice: of ``max(200, 4 n)`` topics sorted by topic effect,
        n are chosen without replacement with probabilities proportional to a Beta(a, b) density,
        a in (.01, 2) and b in (2, 8) drawn anew each time and swapped half of the time. The true
        means remain those of all topics.
    truth : {"simulator", "original"}
        What the true means are. "simulator": those that simulated scores really have, by
        quadrature with an error below 1e-4. "original": the means of the original scores, as in
        the published study. The two differ because the logit is not linear and because of the
        clipping: Kendall's tau between them is about .97 for adhoc6-8. With truth="original" the
        actual tau cannot exceed that, however many the topics, and no estimator can know: hence
        the bias of about +.004 that all of them show at n = 100 in the published study.

    Notes
    -----
    Bandwidths are the two-stage direct plug-in for a cdf, and cdfs are truncated to twice the range
    of the logit, like those of the published code (``ks::kcde``), which however sums the
    density on a grid of 401 points; here the cdf is exact and its inverse is tabulated.

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
            check_unit_range(values, "Rescale the scores, or use normal=True for any range.")
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
        return NormalTransform([_kernel_margin(column) for column in self._effects.T])

    @cached_property
    def _deviations(self) -> FloatArray:
        deviations = self._effects.std(axis=0, ddof=1)
        return np.where(_flat(self._effects), 0.0, deviations)

    def _draw_effects(self, n_topics: int, rng: np.random.Generator) -> FloatArray:
        """Draw residuals and, in the last column, topic effects."""
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
            effects = effects[_biased_choice(len(effects), n_topics, rng)]
        values = self._levels + effects[:, :-1] + effects[:, -1:]
        return values if self.normal else inverse_logit(values)

    @cached_property
    def _simulated_means(self) -> FloatArray:
        """Trapezium rule over the two normal variables behind topic effect and residual."""
        if self.normal:
            return self._levels
        weights = np.exp(-(_NODES**2) / 2)
        weights /= weights.sum()
        if self.uncorrelated:
            correlations = np.zeros(len(self._levels))
        else:
            correlations = (self._factor[:, :-1].T @ self._factor[:, -1])[self._copies]
        own = _NODES[:, None] * np.sqrt(np.clip(1 - correlations**2, 0, None))
        z = np.empty((len(_NODES), len(correlations) + 1))
        means = np.zeros(len(correlations))
        for node, weight in zip(_NODES, weights, strict=True):
            z[:, :-1] = node * correlations + own
            z[:, -1] = node
            effects = self._transform(z)
            scores = inverse_logit(self._levels + effects[:, :-1] + effects[:, -1:])
            means += weight * (weights @ scores)
        return means

    def _state(self) -> dict[str, Any]:
        names = ("normal", "homoscedastic", "uncorrelated", "random_topics", "truth")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def _from_state(cls, scores: pd.DataFrame, state: dict[str, Any]) -> Self:
        return cls(scores, **state)


def _flat(columns: FloatArray) -> NDArray[np.bool_]:
    """Columns that are constant but for rounding."""
    return np.asarray(np.ptp(columns, axis=0) < 1e-12)


def _kernel_margin(effects: FloatArray) -> Margin:
    if _flat(effects):
        return PointMargin(0.0)
    reach = max(2 * float(logit(np.array(1.0))), float(np.abs(effects).max()))
    return NormalKernelMargin(effects, kernel_bandwidth(effects, "cdf"), -reach, reach)


def _biased_choice(size: int, chosen: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Choose rows without replacement, with Beta-weighted probabilities along their order."""
    a, b = rng.uniform(0.01, 2), rng.uniform(2, 8)
    if rng.random() < 0.5:
        a, b = b, a
    log_weights = stats.beta.logpdf(np.arange(1, size + 1) / (size + 1), a, b)
    # The largest of log-weights with Gumbel noise are one draw after the other without replacement.
    keys = log_weights + rng.gumbel(size=size)
    return np.argsort(-keys)[:chosen]
