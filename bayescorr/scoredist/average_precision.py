"""Average precision of a score model: expected for a ranking, or the area under a curve."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate

from bayescorr._memory import check_memory
from bayescorr._numbers import FloatArray, check_count
from bayescorr._threads import fill
from bayescorr.errors import OptionError, ScoresError
from bayescorr.scoredist import _kernels
from bayescorr.scoredist.model import ScoreDistribution, check_supported

#: Default number of points.
POINTS = 64
#: With ``points=None``: the largest probability that one rectangle may hold, and the largest error
#: of the total probability of relevant scores.
COARSE, MISSED = 0.25, 0.02


def expected_ap(model: ScoreDistribution, scores: ArrayLike) -> float:
    r"""Compute the expected average precision of a ranking (equation 1 of Cummins 2012).

    .. math:: E[ap] = \frac{1}{R} \sum_{i=1}^N \frac{p_i}{i} \Big(1 + \sum_{j<i} p_j\Big),
        \qquad R = \sum_i p_i

    where :math:`p_i` is the probability, under the model, that the document at rank i is relevant.

    Parameters
    ----------
    model : ScoreDistribution
        The model of one topic, see :func:`fit_score_distribution`.
    scores : array
        Scores of all returned documents, in any order.

    Returns
    -------
    float
        The expected average precision.

    References
    ----------
    J. A. Aslam, E. Yilmaz, V. Pavlu. The maximum entropy method for analyzing retrieval measures.
    SIGIR 2005.

    Examples
    --------
    >>> from bayescorr import fit_score_distribution
    >>> scores = [6.0, 5.0, 3.0, 2.0, 1.0]
    >>> model = fit_score_distribution(scores, [True, True, False, False, False])
    >>> round(expected_ap(model, scores), 3)
    0.998
    """
    values = np.asarray(scores, float)
    if values.ndim != 1 or len(values) == 0:
        raise ScoresError(
            f"scores must be a list of numbers; got an array of shape {values.shape}.",
            "Pass the scores of one topic's documents.",
        )
    check_supported(model.family, values)
    ranked = -np.sort(-values)
    return float(_kernels.expected_precision(model.probability_of_relevance(ranked)))


def aupr(model: ScoreDistribution, points: int | None = 64, upper: Any = None) -> Any:
    r"""Compute the area under the precision-recall curve of a score model.

    .. math:: AuPR = \int_0^1 prec(s)\, d\,rec(s), \quad
        rec(s) = \int_s^\infty f(t|1)\,dt, \quad
        prec(s) = \frac{\lambda\,rec(s)}{\lambda\,rec(s) + (1 - \lambda) \int_s^\infty f(t|0)\,dt}

    (equation 2 of Cummins 2012). Algorithm 1 sums rectangles at uniformly spaced scores from the
    upper bound down to 0.

    Parameters
    ----------
    model : ScoreDistribution
        The model of one topic or many.
    points : int, optional
        Number of scores at which to compute the densities. With None it is 64, except that models
        with a distribution narrower than the rectangles are integrated over 64 levels of recall.
    upper : float or array, optional
        Highest score. The default is twice the top score.

    Returns
    -------
    float or array
        The area for every entry of the model's parameters.

    Notes
    -----
    If the scores differ by little, such as 100 plus or minus 1, rectangles are wider than the
    distributions and the result may exceed 1. Use more points or None.

    The density of a gamma with a shape below 1 is infinite at 0. For such relevant scores the
    integral is over recall. For such non-relevant scores, the lowest rectangle has its exact
    probability. If a distribution supports negative scores, the integral extends beyond the
    returned scores by their range on both sides. Whole scores are all summed over.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> from bayescorr import fit_score_distribution
    >>> model = fit_score_distribution([6.0, 5.0, 3.0, 2.0, 1.0], [True, True, False, False, False])
    >>> round(aupr(model), 3), round(aupr_exact(model), 3)
    (0.984, 0.984)
    """
    if points is not None:
        check_count(points, "points", least=2)
        # Intermediate numbers of at most 1,000 models at a time.
        size = 50.0 * points * min(np.size(model.mixing), 1000)
        check_memory(size, f"Integrating over {points:,} points", "Use fewer points.")
    shape = np.shape(model.mixing)

    def flat(value: Any) -> FloatArray:
        return np.broadcast_to(np.asarray(value, float), shape).ravel()

    rows = model.apply(flat)
    lower, bound = map(flat, _range(model, upper))
    infinite = np.isinf(rows.density(lower, relevant=True))
    areas, coarse = _algorithm_1(rows, lower, bound, points or POINTS)
    instead = infinite | coarse if points is None else infinite
    if instead.any() and not model.family.relevant.discrete:
        areas[instead] = fill(
            _over_recall,
            rows.entries(instead),
            bound[instead],
            points or POINTS,
            out=np.empty(instead.sum()),
            work=1000 * POINTS * instead.sum(),
        )
    return float(areas[0]) if shape == () else areas.reshape(shape)


def _algorithm_1(
    model: ScoreDistribution, lower: FloatArray, bound: FloatArray, points: int
) -> tuple[FloatArray, Any]:
    """Return the area of each model, and whether its rectangles are too wide."""
    parts = model.part(True), model.part(False)
    discrete = model.family.relevant.discrete
    width = np.ones_like(bound) if discrete else (bound - lower) / points
    numbers = np.ceil(bound) + 1 if discrete else np.full(len(bound), points)
    natural = [part.natural(*parameters) for part, parameters in parts]
    found = fill(
        _kernels.aupr,
        lower,
        width,
        numbers.astype(np.int64),
        model.mixing,
        np.array([[np.broadcast_to(a, bound.shape) for a in slopes] for slopes, _ in natural]),
        np.array([constant for _, constant in natural]),
        np.array([part.lower for part, _ in parts]),
        np.array([1 - part.survival(lower + width, *values) for part, values in parts]),
        discrete,
        out=np.empty((len(bound), 4)),
        work=50 * numbers.sum(),
    )
    # A narrow distribution may fall between two points, or peak at 0, where a rectangle starts.
    inside = [1 - part.survival(bound, *values) for part, values in parts]
    missed1, missed0 = np.abs(found[:, 1:3].T - inside)
    return found[:, 0], (np.maximum(found[:, 3], missed0) > COARSE) | (missed1 > MISSED)


def _over_recall(
    begin: int, end: int, model: ScoreDistribution, upper: FloatArray, levels: int, out: FloatArray
) -> None:
    """Fill in the area of each model by the trapezoidal rule over recall."""
    even = np.linspace(0, 1, levels + 1)[1:, None]
    # Levels are dense at 0 and 1, where precision is steepest.
    share = even**2 * (3 - 2 * even)
    # Work in chunks, because draws of many topics would fill the memory.
    for first in range(begin, end, 1000):
        rows = slice(first, min(first + 1000, end))
        some = model.entries(rows)
        tails = some.survival(upper[rows], relevant=True), some.survival(upper[rows], False)
        recall = share * (1 - tails[0])
        score = some.family.relevant.upper_quantile(recall + tails[0], *some.relevant)
        fallout = np.maximum(some.survival(score, relevant=False) - tails[1], 0.0)
        hits = some.mixing * recall
        precision = hits / (hits + (1 - some.mixing) * fallout)
        area = integrate.trapezoid(precision, recall, axis=0)
        out[rows] = recall[0] * precision[0] + area


def aupr_exact(model: ScoreDistribution, upper: float | None = None) -> float:
    r"""Compute the area under the precision-recall curve of one topic by adaptive quadrature.

    .. math:: AuPR = \int_0^1 prec(rec^{-1}(r))\, dr

    with recall and precision as in :func:`aupr` (Cummins 2012, eq. 2). It is slow, and serves to
    check :func:`aupr`.

    Parameters
    ----------
    model : ScoreDistribution
        The model of one topic.
    upper : float, optional
        Highest score. The default is infinity, unlike that of :func:`aupr`.

    Returns
    -------
    float
        The area.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> from bayescorr import fit_score_distribution
    >>> model = fit_score_distribution([3.0, 2.0, 2.0, 1.0], [True, False, True, False])
    >>> round(aupr_exact(model), 4)
    0.8894
    """
    relevant = model.family.relevant
    if relevant.discrete:
        # Here the sum over whole scores is the definition; make sure that it omits none.
        highest = float(relevant.upper_quantile(1e-15, *model.relevant)) + 1
        return float(aupr(model, upper=highest if upper is None else upper))
    tails = [0.0, 0.0]
    if upper is not None and upper != np.inf:
        _range(model, upper)
        tails = [float(model.survival(upper, kind)) for kind in (True, False)]

    def precision(recall: float) -> float:
        score = relevant.upper_quantile(recall + tails[0], *model.relevant)
        hits = model.mixing * recall
        misses = (1 - model.mixing) * (model.survival(score, relevant=False) - tails[1])
        return float(hits / (hits + misses)) if hits > 0 else 0.0

    # Precision may fall steeply at low recall.
    ends = [end for end in (0.0, 1e-12, 1e-8, 1e-4, 1e-2, 0.5) if end < 1 - tails[0]]
    accuracy = {"limit": 500, "epsabs": 1e-8, "epsrel": 1e-8}
    pieces = pairwise([*ends, 1 - tails[0]])
    return float(sum(integrate.quad(precision, *piece, **accuracy)[0] for piece in pieces))


def _range(model: ScoreDistribution, upper: Any) -> tuple[Any, Any]:
    """Return the lowest and the highest score of the integration."""
    if min(model.family.relevant.lower, model.family.nonrelevant.lower) == 0:
        lower, highest = np.zeros_like(model.top, dtype=float), 2 * model.top
    else:
        beyond = model.top - model.bottom
        lower, highest = model.bottom - beyond, model.top + beyond
    if upper is None:
        return lower, highest
    if not (np.isfinite(upper) & (np.asarray(upper) > lower)).all():
        raise OptionError(
            f"upper must be a finite number above {np.max(lower):g}; got {upper}.",
            "Omit it to use the default.",
        )
    return lower, upper
