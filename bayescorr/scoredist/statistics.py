"""What the fits need of the scores: moments of the relevant and the non-relevant, per topic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill
from bayescorr.scoredist import _kernels


class Moments(NamedTuple):
    """Number, mean and variance of scores and of their logarithms, one entry per topic.

    Moments of the logarithms are NaN where a score is 0 or less. Variances are those of the
    scores at hand, with the number of scores as the divisor.
    """

    n: FloatArray
    mean: FloatArray
    variance: FloatArray
    mean_log: FloatArray
    variance_log: FloatArray


def moments(
    scores: ArrayLike,
    relevant: NDArray[np.bool_],
    starts: NDArray[np.intp],
    *,
    logs: bool = True,
) -> tuple[Moments, Moments]:
    """Moments of relevant and of non-relevant scores, of topics that lie one after the other.

    Parameters
    ----------
    scores : array
        Scores of all documents, topic after topic.
    relevant : array of bool
        Which documents are relevant.
    starts : array of int
        Position of the first document of each topic.
    logs : bool
        Whether to compute the moments of the logarithms too; NaN otherwise.

    Examples
    --------
    >>> found, _ = moments([1.0, 3.0, 5.0], np.array([True, True, False]), np.array([0]))
    >>> found.mean, found.variance
    (array([2.]), array([1.]))
    """
    values = np.ascontiguousarray(scores, float)
    log_values = np.empty(0)
    if logs:
        # Moments of logarithms that are not there are no moments.
        log_values = np.log(np.where(values > 0, values, np.nan))
    found = fill(
        _kernels.class_moments,
        values,
        log_values,
        np.ascontiguousarray(relevant),
        np.append(starts, len(values)),
        out=np.empty((len(starts), 2, 5)),
        work=len(values),
    )
    return Moments(*found[:, 0].T), Moments(*found[:, 1].T)
