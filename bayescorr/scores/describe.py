"""A first look at a table of scores: size, spread, and where the variance comes from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bayescorr.errors import listing
from bayescorr.scores.check import check_scores
from bayescorr.scores.ties import Groups, constant_systems, equal_means, identical_systems

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class ScoresDescription:
    """What :func:`describe_scores` finds; print it, or take ``to_frame()``.

    Attributes
    ----------
    topics, systems : int
        Number of rows and columns.
    mean, sd : float
        Mean and standard deviation of all scores.
    zeros : float
        Share of scores that are exactly 0.
    missing : int
        Number of missing scores.
    system_variance, topic_variance, interaction_variance : float
        Variance components; NaN when scores are missing.
    identical, equal_means : list of tuple
        Groups of identical systems, and of different systems with equal means.
    constant : tuple
        Systems with the same score on all topics.
    """

    topics: int
    systems: int
    mean: float
    sd: float
    zeros: float
    missing: int
    system_variance: float
    topic_variance: float
    interaction_variance: float
    identical: Groups
    constant: tuple[Hashable, ...]
    equal_means: Groups

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per quantity: quantity, value, share.

        The share is that of the sum of the three variance components. Groups of systems are
        counted here; their names are in the attributes.

        Examples
        --------
        >>> description = describe_scores([[0.1, 0.4], [0.3, 0.2]])
        >>> list(description.to_frame().columns)
        ['quantity', 'value', 'share']
        """
        total = self.system_variance + self.topic_variance + self.interaction_variance
        rows = [
            ("topics", self.topics, np.nan),
            ("systems", self.systems, np.nan),
            ("mean", self.mean, np.nan),
            ("sd", self.sd, np.nan),
            ("zeros (share)", self.zeros, np.nan),
            ("missing", self.missing, np.nan),
        ]
        rows += [
            (f"variance: {name}", value, value / total if total > 0 else np.nan)
            for name, value in (
                ("system", self.system_variance),
                ("topic", self.topic_variance),
                ("interaction", self.interaction_variance),
            )
        ]
        rows += [
            ("groups of identical systems", len(self.identical), np.nan),
            ("constant systems", len(self.constant), np.nan),
            ("groups of equal means", len(self.equal_means), np.nan),
        ]
        frame = pd.DataFrame(rows, columns=["quantity", "value", "share"])
        return frame.astype({"value": float, "share": float})

    def notes(self) -> list[str]:
        """Sentences that name identical systems, constant systems and equal means, if any.

        Examples
        --------
        >>> describe_scores([[0.1, 0.1], [0.3, 0.3]]).notes()
        ['Identical systems: sys1 = sys2']
        """
        groups = (("Identical systems", self.identical), ("Equal means", self.equal_means))
        found = [
            f"{what}: {listing(' = '.join(map(str, group)) for group in members)}"
            for what, members in groups
            if members
        ]
        if self.constant:
            found.insert(1, f"Same score on all topics: {listing(self.constant)}")
        return found

    def __repr__(self) -> str:
        lines = [f"Scores of {self.systems} systems on {self.topics} topics"]
        lines.append(f"  mean {self.mean:.4f}, sd {self.sd:.4f}, zeros {self.zeros:.1%}")
        if self.missing:
            lines.append(f"  missing: {self.missing} scores")
        else:
            total = self.system_variance + self.topic_variance + self.interaction_variance
            scale = 1 / total if total > 0 else 0.0
            lines.append(
                f"  variance: system {self.system_variance * scale:.1%}, "
                f"topic {self.topic_variance * scale:.1%}, "
                f"interaction {self.interaction_variance * scale:.1%}"
            )
        return "\n".join(lines + [f"  {note}" for note in self.notes()])


def describe_scores(scores: pd.DataFrame | xr.DataArray | ArrayLike) -> ScoresDescription:
    r"""Describe scores: shape, mean, spread, zeros, variance components, systems not told apart.

    The variance components are those of generalizability theory, estimated from the mean squares
    of the two-way analysis of variance without replication, for :math:`n` topics and :math:`m`
    systems: :math:`\hat\sigma^2_{st} = MS_{st}`, :math:`\hat\sigma^2_s = (MS_s - MS_{st}) / n` and
    :math:`\hat\sigma^2_t = (MS_t - MS_{st}) / m`, negative estimates set to 0. The interaction
    contains the residual error.

    Parameters
    ----------
    scores : DataFrame, DataArray or 2-D array
        Scores of systems (columns) on topics (rows). Missing scores are counted and left out.

    Returns
    -------
    ScoresDescription
        A frozen dataclass that prints as a short text.

    References
    ----------
    R. L. Brennan. Generalizability Theory. Springer, 2001, section 3.1.
    J. Urbano, M. Marrero, D. Martín. On the measurement of test collection reliability.
    SIGIR 2013, section 2.

    Examples
    --------
    >>> describe_scores([[0.0, 0.2], [0.4, 0.4], [0.6, 0.8]])
    Scores of 2 systems on 3 topics
      mean 0.4000, sd 0.2828, zeros 16.7%
      variance: system 6.7%, topic 86.7%, interaction 6.7%
    """
    checked = check_scores(scores, missing="model", warn=False)
    values = checked.to_numpy()
    present = values[~np.isnan(values)]
    missing = values.size - present.size
    system, topic, interaction = (np.nan,) * 3 if missing else variance_components(values)
    return ScoresDescription(
        topics=values.shape[0],
        systems=values.shape[1],
        mean=float(present.mean()),
        sd=float(present.std(ddof=1)),
        zeros=float((present == 0).mean()),
        missing=missing,
        system_variance=system,
        topic_variance=topic,
        interaction_variance=interaction,
        identical=identical_systems(checked),
        constant=constant_systems(checked),
        equal_means=equal_means(checked),
    )


def variance_components(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Estimate the variances of systems, topics and their interaction from topics x systems.

    Examples
    --------
    >>> variance_components(np.array([[1.0, 2.0], [3.0, 4.0]]))
    (0.5, 2.0, 0.0)
    """
    n, m = values.shape
    of_systems, of_topics, interaction = mean_squares(values)
    return (
        max(0.0, (of_systems - interaction) / n),
        max(0.0, (of_topics - interaction) / m),
        interaction,
    )


def mean_squares(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Compute the mean squares of systems, topics and their interaction from topics x systems.

    Examples
    --------
    >>> mean_squares(np.array([[1.0, 2.0], [3.0, 4.0]]))
    (1.0, 4.0, 0.0)
    """
    n, m = values.shape
    topics, systems, grand = values.mean(axis=1), values.mean(axis=0), values.mean()
    residuals = values - topics[:, None] - systems[None, :] + grand
    return (
        n * float(((systems - grand) ** 2).sum()) / (m - 1),
        m * float(((topics - grand) ** 2).sum()) / (n - 1),
        float((residuals**2).sum() / ((n - 1) * (m - 1))),
    )
