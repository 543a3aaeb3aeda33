"""How far the relevance judgments of two judges agree, document by document."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr._draws import interval
from bayescorr._numbers import check_count, check_level
from bayescorr._optional import require
from bayescorr._random import RandomSeed, generator
from bayescorr.errors import RunsError, ScoresWarning, choose, listing
from bayescorr.scores.files import MAX_RUN_SIZE, PathLike, check_max_size
from bayescorr.scores.trec import read_qrels

EXTRA = "judgments"

Labels = NDArray[np.int64]


def judgment_agreement(
    qrels: Mapping[str, PathLike],
    truth: str | None = None,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    random_seed: RandomSeed = None,
    max_size: float = MAX_RUN_SIZE,
) -> pd.DataFrame:
    r"""Return Cohen's kappa and Krippendorff's alpha of each judge with the truth.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}, \qquad \alpha = 1 - \frac{D_o}{D_e}

    with the observed share of equal labels :math:`p_o` and the observed disagreement
    :math:`D_o`, and what chance would give. scikit-learn and krippendorff compute them. The
    intervals are those of a bootstrap of the topics, since documents of a topic are judged alike.

    Parameters
    ----------
    qrels : mapping of str to path
        Relevance judgments by name of the judge.
    truth : str, optional
        The judge whom the others are compared with; by default the first.
    level : float
        Level of the percentile intervals.
    resamples : int
        Number of bootstrap samples of the topics.
    random_seed : int or Generator, optional
        Same seed, same intervals.
    max_size : float
        Size of the largest file to read, in MB, unpacked.

    Returns
    -------
    DataFrame
        One row per judge and coefficient: judge, coefficient, estimate, lower, upper, level,
        ``documents`` judged by both, on how many ``topics``, and ``by_one``, the documents of these
        topics that only one of the two judged and that do not count. The coefficients are ``kappa``
        of the grades as they are, ``kappa_binary`` of relevant (above 0) or not, and ``alpha`` of
        ordinal grades.

    References
    ----------
    J. Cohen. A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20(1), 1960. K. Krippendorff. Content Analysis, 4th edition, chapter 12. SAGE, 2019.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = {name: Path(folder, name) for name in ("human", "gpt")}
    ...     _ = files["human"].write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0")
    ...     _ = files["gpt"].write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 1")
    ...     table = judgment_agreement(files, resamples=50, random_seed=1)
    >>> table[["judge", "coefficient", "estimate"]].round(3)
      judge   coefficient  estimate
    0   gpt         kappa     0.500
    1   gpt  kappa_binary     0.500
    2   gpt         alpha     0.533
    """
    check_level(level)
    check_count(resamples, "resamples")
    check_max_size(max_size)
    names = list(qrels)
    truth = names[0] if truth is None else choose(truth, names, "judge")
    judged = {name: read_qrels(path, max_size=max_size) for name, path in qrels.items()}
    rng = generator(random_seed)
    tables = []
    for name in names:
        if name != truth:
            both, by_one = _judged_by_both(judged[truth], judged[name], truth, name)
            table = _agreement(both, level, resamples, rng)
            table.insert(0, "judge", name)
            counts = {"documents": len(both), "topics": both["topic"].nunique(), "by_one": by_one}
            tables.append(table.assign(level=level, **counts))
    if not tables:
        raise RunsError(
            f"Agreement needs the judgments of at least two judges; got {listing(names)}.",
            "Pass {name: file} of the truth and of every judge.",
        )
    return pd.concat(tables, ignore_index=True)


def _judged_by_both(
    a: pd.DataFrame, b: pd.DataFrame, name_a: str, name_b: str
) -> tuple[pd.DataFrame, int]:
    """Return the grades of documents that both judged, and how many only one of the two did."""
    keys = ["topic", "doc"]
    if a.duplicated(keys).any() or b.duplicated(keys).any():
        keys.append("iteration")  # the subtopic
    both = a.merge(b, on=keys, suffixes=("_a", "_b"))
    if both.empty:
        raise RunsError(
            f"No document is judged by both {name_a} and {name_b}: topics {listing(_topics(a), 3)} "
            f"and {listing(_topics(b), 3)}.",
            "Use judgments of the same topics and documents.",
        )
    shared = set(both["topic"])
    judged = sum(int(one["topic"].isin(shared).sum()) for one in (a, b))
    # Sorted, so that a seed chooses the same topics whatever the order of lines.
    return both.sort_values(keys, ignore_index=True), judged - 2 * len(both)


def _topics(judged: pd.DataFrame) -> list[str]:
    return sorted(set(judged["topic"]))


def _agreement(
    both: pd.DataFrame, level: float, resamples: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return estimates and percentile intervals: coefficient, estimate, lower, upper."""
    grades = both[["relevance_a", "relevance_b"]].to_numpy()
    pairs, pair_of = np.unique(grades, axis=0, return_inverse=True)
    topics, topic_of = np.unique(both["topic"], return_inverse=True)
    counts = np.zeros((len(topics), len(pairs)), dtype=np.int64)
    np.add.at(counts, (topic_of, pair_of.ravel()), 1)
    # How often each pair of grades occurs: in the data, then in each bootstrap sample of topics.
    shares = np.full(len(topics), 1 / len(topics))
    chosen = rng.multinomial(len(topics), shares, size=resamples)
    samples = np.vstack([counts.sum(axis=0), chosen @ counts])
    rows = []
    for name, coefficient in _coefficients(pairs).items():
        values = np.array([coefficient(sample) for sample in samples])
        usable = values[1:][np.isfinite(values[1:])]
        if not len(usable):
            usable = values[:1]
        rows.append((name, values[0], *interval(usable, level)))
    table = pd.DataFrame(rows, columns=["coefficient", "estimate", "lower", "upper"])
    if (undefined := table["coefficient"][table["estimate"].isna()]).any():
        warnings.warn(
            f"Undefined: {listing(undefined)}. Both judges gave one label to every document.",
            ScoresWarning,
            stacklevel=3,
        )
    return table


def _coefficients(pairs: Labels) -> dict[str, Callable[[Labels], float]]:
    """Return the coefficients as functions of how often each pair of grades occurs."""
    metrics = require("sklearn.metrics", EXTRA)
    krippendorff = require("krippendorff", EXTRA)
    grades = np.unique(pairs)
    # How many of the two labels of a document are each grade: one row per pair of grades.
    labels = (pairs[:, :, None] == grades).sum(axis=1)

    def kappa(of: Any) -> Callable[[Labels], float]:
        def compute(sample: Labels) -> float:
            with warnings.catch_warnings():
                # Undefined where a sample has one label only.
                warnings.simplefilter("ignore")
                return float(metrics.cohen_kappa_score(*of.T, sample_weight=sample))

        return compute

    def alpha(sample: Labels) -> float:
        found = np.repeat(labels, sample, axis=0)
        if (found.sum(axis=0) > 0).sum() < 2:
            return np.nan
        return float(
            krippendorff.alpha(
                value_counts=found, value_domain=grades, level_of_measurement="ordinal"
            )
        )

    return {"kappa": kappa(pairs), "kappa_binary": kappa(pairs > 0), "alpha": alpha}
