r"""Split-half: two samples of the observed topics, one of which plays the truth.

SHw and SHwo sample with and without replacement at growing sizes x, up to half of the n topics, fit
:math:`y = a e^{b x}` to the share of discordance :math:`y = (1 - \tau) / 2` and extrapolate to n
(Urbano & Marrero 2016, section 4.2). SH samples n topics with replacement twice and needs no
extrapolation (Bavdaz 2018, section 5.2). All three are biased baselines.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill
from bayescorr.errors import ScoresError
from bayescorr.frequentist.estimator import BAVDAZ, URBANO_MARRERO, Estimator, Splits
from bayescorr.frequentist.sample import Integers, Sample

_POINTS = 20
_MOST_SPLITS = 2000
_MOST_PER_SIZE = 100


def subset_sizes(n: int) -> Integers:
    """Return sizes of subsets of n topics: up to 20 distinct ones from 2 to n/2."""
    if n < 4:
        raise ScoresError(
            f"Split-half needs at least 4 topics; got {n}.", "Add topics, or use ML or MSQD."
        )
    sizes = np.unique(np.round(np.linspace(1, n // 2, _POINTS + 1)).astype(np.int64))
    return sizes if len(sizes) == 2 else sizes[1:]


def extrapolate(sizes: Integers, correlations: FloatArray, n: int) -> float:
    """Fit log((1 - tau) / 2) = log a + b x by least squares and return tau at x = n.

    Splits without discordance have no logarithm and are left out. If all agree, tau is 1.
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
    """Return means (splits x systems) over the first ``sizes`` topics of each row of ``topics``."""
    from bayescorr.frequentist import _kernels

    sums = fill(
        _kernels.topic_sums,
        *(sample.values, topics, sizes),
        out=np.zeros((len(sizes), sample.systems)),
        work=float(sizes.sum()) * sample.systems / 4,
    )
    # Rounding restores ties between sums of decimals or simple fractions; identical systems have
    # identical sums anyway. Sorting each split for level_ties would take longer than all the rest.
    unit = 10.0 ** np.ceil(np.log10(max(float(np.abs(sample.values).max()), 1e-300)))
    return np.asarray(np.round(sums / unit, 11) * (unit / sizes[:, None]))


def _splits(sample: Sample, replace: bool) -> Splits:
    """Draw pairs of samples of at most half of the topics, disjoint unless ``replace``."""
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


def _full_size(sample: Sample) -> Splits:
    """Draw T pairs of samples of n topics with replacement."""
    n = sample.topics
    sizes = np.full(sample.draws, n)
    topics = sample.stream("SH").integers(n, size=(2, sample.draws, n))
    return Splits(_means(sample, topics[0], sizes), _means(sample, topics[1], sizes), sizes)


SHW = Estimator(
    name="SHw",
    description="Split-half with replacement, extrapolated from n/2 topics (baseline).",
    citation=f"{URBANO_MARRERO}, section 4.2",
    splits=partial(_splits, replace=True),
    intervals=False,
)

SHWO = Estimator(
    name="SHwo",
    description="Split-half without replacement, extrapolated from n/2 topics (baseline).",
    citation=f"{URBANO_MARRERO}, section 4.2",
    splits=partial(_splits, replace=False),
    intervals=False,
)

SH = Estimator(
    name="SH",
    description="Split-half with two samples of all n topics with replacement (baseline).",
    citation=f"{BAVDAZ}, section 5.2",
    splits=_full_size,
)
