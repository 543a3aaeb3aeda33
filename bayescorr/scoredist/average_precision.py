"""Average precision of a score model: expected over a ranking, or as the area under a curve."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill
from bayescorr.errors import OptionError, ScoresError
from bayescorr.scoredist import _kernels
from bayescorr.scoredist.model import ScoreDistribution, check_supported

#: The most of a distribution that one rectangle may hold where the number of points is left open.
COARSE = 0.25
#: The most of the relevant scores' distribution that all rectangles together may miss or add.
MISSED = 0.02
#: Number of points where it is left open.
POINTS = 64


def expected_ap(model: ScoreDistribution, scores: ArrayLike) -> float:
    r"""Compute the expected average precision of a ranking (equation 1 of Cummins 2012).

    .. math:: E[ap] = \frac{1}{R} \sum_{i=1}^N \frac{p_i}{i} \Big(1 + \sum_{j<i} p_j\Big),
        \qquad R = \sum_i p_i

    where :math:`p_i` is the model's probability that the document at rank i is relevant.

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
            f"Scores of shape {values.shape} were given, one per document is needed.",
            "Give the scores of one topic's documents.",
        )
    check_supported(model.family, values)
    ranked = -np.sort(-values)
    return float(_kernels.expected_precision(model.probability_of_relevance(ranked)))


def aupr(model: ScoreDistribution, points: int | None = 64, upper: Any = None) -> Any:
    r"""Area under the precision-recall curve of a score model (equation 2, Algorithm 1).

    .. math:: AuPR = \int_0^1 prec(s)\, d\,rec(s), \quad
        rec(s) = \int_s^\infty f(t|1)\,dt, \quad
        prec(s) = \frac{\lambda\,rec(s)}{\lambda\,rec(s) + (1 - \lambda) \int_s^\infty f(t|0)\,dt}

    by rectangles of density at uniformly spaced scores from the upper bound down to 0.

    Parameters
    ----------
    model : ScoreDistribution
        The model of a topic, or of many.
    points : int, optional
        Number of scores at which the densities are computed. None is for 64, and as many levels of
        recall instead for models with a distribution so narrow that they would be too wide for it.
    upper : float or array, optional
        Highest score; twice the top score by default.

    Returns
    -------
    float or array
        The area, one for every entry of the model's parameters.

    Notes
    -----
    The width of a rectangle depends on the highest score and not on how much scores differ. Where
    they differ by little, such as 100 plus or minus 1, rectangles are wider than the distributions
    and their areas do not sum to 1: the result may even exceed 1. Use more points then, or None.

    Rectangles cannot have the height of a density that is infinite at 0 (gamma shapes below 1). For
    relevant scores with such a density, the integral is over recall. Non-relevant ones count with
    the exact probability of the lowest rectangle.

    A distribution on all numbers has no lowest score of 0: the scores then reach beyond the lowest
    and the highest returned score by the range of the returned scores. A distribution on whole
    numbers is summed over these, whatever ``points`` is.

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
    if points is not None and (not isinstance(points, int | np.integer) or points < 2):
        raise OptionError(
            f"points is {points!r}, a whole number of at least 2 is needed.", "The default is 64."
        )
    shape = np.shape(model.mixing)

    def flat(value: Any) -> FloatArray:
        return np.broadcast_to(np.asarray(value, float), shape).ravel()

    rows = ScoreDistribution(
        model.family,
        flat(model.mixing),
        tuple(map(flat, model.relevant)),
        tuple(map(flat, model.nonrelevant)),
        flat(model.bottom),
        flat(model.top),
    )
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
    """Area of every model, and whether rectangles are too wide for one of its distributions."""
    parts = ((model.family.relevant, model.relevant), (model.family.nonrelevant, model.nonrelevant))
    discrete = model.family.relevant.discrete
    width = np.ones_like(bound) if discrete else (bound - lower) / points
    numbers = np.ceil(bound) + 1 if discrete else np.full(len(bound), points)
    natural = [part.coefficients(*parameters) for part, parameters in parts]
    found = fill(
        _kernels.aupr,
        lower,
        width,
        numbers.astype(np.int64),
        model.mixing,
        np.array(
            [[np.broadcast_to(slope, bound.shape) for slope in slopes] for slopes, _ in natural]
        ),
        np.array([constant for _, constant in natural]),
        np.array([part.lower for part, _ in parts]),
        np.array([1 - part.survival(lower + width, *values) for part, values in parts]),
        discrete,
        out=np.empty((len(bound), 4)),
        work=50 * numbers.sum(),
    )
    # A distribution may also lie between two rectangles, or be highest at 0, where one begins.
    inside = [1 - part.survival(bound, *values) for part, values in parts]
    missed1, missed0 = np.abs(found[:, 1:3].T - inside)
    return found[:, 0], (np.maximum(found[:, 3], missed0) > COARSE) | (missed1 > MISSED)


def _over_recall(
    begin: int, end: int, model: ScoreDistribution, upper: FloatArray, levels: int, out: FloatArray
) -> None:
    """Area of every model by trapezia over recall, dense at 0 and 1 where precision is steepest."""
    even = np.linspace(0, 1, levels + 1)[1:, None]
    share = even**2 * (3 - 2 * even)
    # A few models at a time, for draws of many topics would fill the memory.
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
    r"""Area under the precision-recall curve of one topic's model, by adaptive quadrature.

    .. math:: AuPR = \int_0^1 prec(rec^{-1}(r))\, dr

    with recall and precision at a score as in :func:`aupr` (Cummins 2012, eq. 2). The integral runs
    over recall, where the integrand is bounded whatever the densities do. Slow: it is there to
    check :func:`aupr`.

    Parameters
    ----------
    model : ScoreDistribution
        The model of one topic.
    upper : float, optional
        Leave out scores above; all scores count by default, where :func:`aupr` leaves out those
        above twice the top score.

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
        # The sum over whole scores is the definition: all that can be done is to leave none out.
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

    # Precision may fall steeply at the very first relevant documents.
    ends = [end for end in (0.0, 1e-12, 1e-8, 1e-4, 1e-2, 0.5) if end < 1 - tails[0]]
    return float(
        sum(
            integrate.quad(precision, low, high, limit=500, epsabs=1e-8, epsrel=1e-8)[0]
            for low, high in pairwise([*ends, 1 - tails[0]])
        )
    )


def _range(model: ScoreDistribution, upper: Any) -> tuple[Any, Any]:
    """Lowest and highest score of the integration."""
    if min(model.family.relevant.lower, model.family.nonrelevant.lower) == 0:
        lower, highest = np.zeros_like(model.top, dtype=float), 2 * model.top
    else:
        beyond = model.top - model.bottom
        lower, highest = model.bottom - beyond, model.top + beyond
    if upper is None:
        return lower, highest
    if not (np.isfinite(upper) & (np.asarray(upper) > lower)).all():
        raise OptionError(
            f"The highest score is {upper}, a number above {np.max(lower):g} is needed.",
            "Leave it out for the default.",
        )
    return lower, upper
