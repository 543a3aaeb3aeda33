r"""Split-half: two samples of the topics at hand, one in the role of the truth.

SHw and SHwo sample with and without replacement at growing sizes x, up to half of the n topics, fit
:math:`y = a e^{b x}` to the share of discordance :math:`y = (1 - \tau) / 2` and extrapolate to n
(Urbano & Marrero 2016, section 4.2). SH samples n topics with replacement twice and needs no
extrapolation (Bavdaz 2018, section 5.2). All three are baselines, and biased.
"""

from __future__ import annotations

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill
from bayescorr.errors import ScoresError
from bayescorr.frequentist.estimator import (
    BAVDAZ,
    URBANO_MARRERO,
    Estimator,
    Integers,
    Splits,
)
from bayescorr.frequentist.sample import Sample

_POINTS = 20
_MOST_SPLITS = 2000
_MOST_PER_SIZE = 100


def subset_sizes(n: int) -> Integers:
    """Sizes of subsets of n topics: 20 from 1 to n/2, distinct, the smallest left out.

    Examples
    --------
    >>> subset_sizes(20), subset_sizes(5)
    (array([ 2,  3,  4,  5,  6,  7,  8,  9, 10]), array([1, 2]))
    """
    if n < 4:
        raise ScoresError(
            f"{n} topics found, split-half needs at least 4.", "Add topics, or use ML or MSQD."
        )
    sizes = np.unique(np.round(np.linspace(1, n // 2, _POINTS + 1)).astype(np.int64))
    return sizes if len(sizes) == 2 else sizes[1:]


def extrapolate(sizes: Integers, correlations: FloatArray, n: int) -> float:
    """Fit log((1 - tau) / 2) = log a + b x by least squares and return tau at x = n.

    Splits without any discordance have no logarithm and are left out; when none is left there is
    nothing to extrapolate but agreement.

    Examples
    --------
    >>> x = np.array([1, 2, 3])
    >>> round(extrapolate(x, 1 - 2 * 0.3 * np.exp(-0.2 * x), 10), 4)
    0.9188
    """
    discordance = (1 - correlations) / 2
    some = discordance > 0
    if not some.any():
        return 1.0
    x, y = sizes[some].astype(np.float64), np.log(discordance[some])
    deviation = x - x.mean()
    squares = float(deviation @ deviation)
    slope = float(deviation @ y) / squares if squares > 0 else 0.0
    at_n = float(y.mean()) + slope * (n - float(x.mean()))
    return float(1 - 2 * np.clip(np.exp(min(at_n, 0.0)), 0, 1))


def _means(sample: Sample, topics: Integers, sizes: Integers) -> FloatArray:
    """Means over the first topics of each row of ``topics``, as many as ``sizes`` says."""
    from bayescorr.frequentist import _kernels

    sums = fill(
        _kernels.topic_sums,
        *(sample.values, topics, sizes),
        out=np.zeros((len(sizes), sample.systems)),
        work=float(sizes.sum()) * sample.systems / 4,
    )
    # Identical systems have identical sums; sums of scores on a decimal grid, or on one of simple
    # fractions, meet again when rounded. Sorting each split for level_ties would take longer than
    # all the rest.
    unit = 10.0 ** np.ceil(np.log10(max(float(np.abs(sample.values).max()), 1e-300)))
    means: FloatArray = np.round(sums / unit, 11) * (unit / sizes[:, None])
    return means


def _splits(sample: Sample, replace: bool) -> Splits:
    n = sample.topics
    sizes = subset_sizes(n)
    sizes = np.repeat(sizes, min(_MOST_PER_SIZE, _MOST_SPLITS // len(sizes)))
    stream = sample.stream("SHw" if replace else "SHwo")
    if replace:
        topics = stream.integers(n, size=(len(sizes), n))
    else:
        topics = stream.permuted(np.tile(np.arange(n), (len(sizes), 1)), axis=1)
    halves = topics[:, : n // 2], topics[:, n // 2 :]
    truth, observed = (_means(sample, half, sizes) for half in halves)
    return Splits(truth, observed, sizes)


def with_replacement(sample: Sample) -> Splits:
    """Pairs of samples with replacement, up to half of the topics each."""
    return _splits(sample, replace=True)


def without_replacement(sample: Sample) -> Splits:
    """Pairs of disjoint samples, up to half of the topics each."""
    return _splits(sample, replace=False)


def full_size(sample: Sample) -> Splits:
    """T pairs of samples of n topics with replacement."""
    n = sample.topics
    sizes = np.full(sample.draws, n)
    topics = sample.stream("SH").integers(n, size=(2, sample.draws, n))
    return Splits(_means(sample, topics[0], sizes), _means(sample, topics[1], sizes), sizes)


SHW = Estimator(
    name="SHw",
    description="Split-half with replacement, extrapolated from n/2 topics (baseline).",
    citation=f"{URBANO_MARRERO}, section 4.2",
    splits=with_replacement,
    intervals=False,
)

SHWO = Estimator(
    name="SHwo",
    description="Split-half without replacement, extrapolated from n/2 topics (baseline).",
    citation=f"{URBANO_MARRERO}, section 4.2",
    splits=without_replacement,
    intervals=False,
)

SH = Estimator(
    name="SH",
    description="Split-half with two samples of all n topics with replacement (baseline).",
    citation=f"{BAVDAZ}, section 5.2",
    splits=full_size,
)
