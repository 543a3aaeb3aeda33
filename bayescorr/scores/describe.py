"""Describe a table of scores: size, spread and variance components."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr.errors import listing
from bayescorr.scores.aggregates import SUMMARY, summary_label
from bayescorr.scores.check import check_scores
from bayescorr.scores.frames import Scores
from bayescorr.scores.groups import seeds_of
from bayescorr.scores.strata import strata_of
from bayescorr.scores.ties import Groups, Ties, find_ties, observed_means


@dataclass(frozen=True)
class ScoresDescription:
    """Result of :func:`describe_scores`: print it, or use ``to_frame()``.

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
    kind : str
        What systems are ranked by: "means", "win rates", "medians" ...
    tasks : dict
        Number of topics of every task, if the topics belong to tasks.
    repeats : str
        How many scores were averaged in each cell, such as "mean of 3 repeats", if any.
    understood : str
        The size, the measure, and the best, middle and worst system; see :func:`understood`.
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
    kind: str = "means"
    tasks: dict[str, int] = field(default_factory=dict)
    repeats: str = ""
    understood: str = ""

    def _variances(self) -> dict[str, tuple[float, float]]:
        """Return the variance components and their shares of the total."""
        components = ("system", "topic", "interaction")
        values = {name: getattr(self, f"{name}_variance") for name in components}
        total = sum(values.values())
        return {name: (x, x / total if total > 0 else np.nan) for name, x in values.items()}

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per quantity: quantity, value, share.

        The share is that of the sum of the three variance components. Groups of systems are
        counted here; the attributes name them.

        Examples
        --------
        >>> description = describe_scores([[0.1, 0.4], [0.3, 0.2]])
        >>> list(description.to_frame().columns)
        ['quantity', 'value', 'share']
        """
        rows: list[tuple[str, float, float]] = [
            ("topics", self.topics, np.nan),
            ("systems", self.systems, np.nan),
            *([("tasks", len(self.tasks), np.nan)] if self.tasks else []),
            ("mean", self.mean, np.nan),
            ("sd", self.sd, np.nan),
            ("zeros (share)", self.zeros, np.nan),
            ("missing", self.missing, np.nan),
            *((f"variance: {name}", *pair) for name, pair in self._variances().items()),
            ("groups of identical systems", len(self.identical), np.nan),
            ("constant systems", len(self.constant), np.nan),
            (f"groups of equal {self.kind}", len(self.equal_means), np.nan),
        ]
        frame = pd.DataFrame(rows, columns=["quantity", "value", "share"])
        return frame.astype({"value": float, "share": float})

    def notes(self, most: int = 10) -> list[str]:
        """Return sentences that name identical systems, constant systems and equal means.

        Each names at most ``most`` systems or groups, and counts the rest.

        Examples
        --------
        >>> describe_scores([[0.1, 0.1], [0.3, 0.3]]).notes()
        ['Identical systems: sys1 = sys2']
        """
        notes = Ties(self.identical, self.constant, self.equal_means, self.kind).notes(most=most)
        if self.tasks:
            sizes = (f"{task} {size}" for task, size in self.tasks.items())
            notes = {"Topics by task": listing(sizes, most=most), **notes}
        return [f"{kind}: {names}" for kind, names in notes.items()]

    def __repr__(self) -> str:
        lines = [
            f"Scores of {self.understood}",
            f"  mean {self.mean:.4f}, sd {self.sd:.4f}, zeros {self.zeros:.1%}",
        ]
        if self.missing:
            lines.append(f"  missing: {self.missing} score{'s' * (self.missing != 1)}")
        else:
            variances = self._variances().items()
            shares = (f"{name} {np.nan_to_num(share):.1%}" for name, (_, share) in variances)
            lines.append(f"  variance: {', '.join(shares)}")
        return "\n".join(lines + [f"  {note}" for note in self.notes()])


def understood(scores: pd.DataFrame, *, higher_is_better: bool = True) -> str:
    r"""Say in one line what a table of scores is: size, measure, best and worst system.

    Parameters
    ----------
    scores : DataFrame
        Scores of systems (columns) on topics (rows); ``attrs["measure"]`` is the measure, if known.
    higher_is_better : bool
        False if lower scores are better.

    Returns
    -------
    str
        A sentence with the first and last topic, and the best, middle (of rank :math:`\lceil m / 2
        \rceil`) and worst of :math:`m` systems with their means.

    Examples
    --------
    >>> understood(pd.DataFrame({"a": [0.1, 0.2], "b": [0.4, 0.6]}, index=["q1", "q2"]))
    '2 systems on 2 topics (q1 to q2): best b 0.500, worst a 0.150.'
    """
    n, m = scores.shape
    topics = f"{n} topic{'s' * (n != 1)} ({_short(scores.index[0])}"
    topics += f" to {_short(scores.index[-1])})" if n > 1 else ")"
    seeds = seeds_of(scores)
    what = f"{m} system{'s' * (m != 1)}"
    if seeds is not None:
        what = f"{m} seeds of {seeds.nunique()} system{'s' * (seeds.nunique() != 1)}"
    details = [f"{what} on {topics}"]
    if strata := strata_of(scores):
        details.append(strata.in_words)
    summary = scores.attrs.get(SUMMARY, {})
    measure = str(scores.attrs.get("measure") or "")
    if summary and not summary.get("applied") and not summary.get("named"):
        label = summary_label(summary["name"])
        measure = f"{label} of {measure}" if measure else label
    if measure:
        details.append(measure)
    values = scores.to_numpy(dtype=np.float64)
    present = values[~np.isnan(values)]
    if present.size and ((present == 0) | (present == 1)).all():
        details.append("all scores 0 or 1")
    if repeats := scores.attrs.get("repeats"):
        details.append(str(repeats))
    if missing := int(scores.isna().to_numpy().sum()):
        details.append(f"{missing} missing")
    if not higher_is_better:
        details.append("lowest is best")
    means = observed_means(scores, higher_is_better).dropna()
    ranked = means.sort_values(ascending=False, kind="stable")
    places = {"best": 0, "middle": (len(ranked) + 1) // 2 - 1, "worst": len(ranked) - 1}
    if len(ranked) < 3:
        del places["middle"]
    sign = 1 if higher_is_better else -1
    systems = [
        f"{place} {_short(ranked.index[i])} {_number(sign * ranked.iloc[i])}"
        for place, i in places.items()
        if len(ranked)
    ]
    return f"{', '.join(details)}{': ' * bool(systems)}{', '.join(systems)}."


def topics_by_task(scores: pd.DataFrame) -> dict[str, int]:
    """Return the number of topics of every task; none if the topics belong to no tasks.

    Examples
    --------
    >>> topics_by_task(pd.DataFrame({"a": [0.1, 0.2]}))
    {}
    """
    strata = strata_of(scores)
    tasks = () if strata is None else strata.tasks(scores.index)
    return {task.name: len(task.rows) for task in tasks}


def _short(label: Hashable) -> str:
    text = str(label)
    return text if len(text) <= 30 else f"{text[:29]}\u2026"


def _number(mean: float) -> str:
    return f"{mean:.3f}" if abs(mean) < 100 else f"{mean:.5g}"


def describe_scores(scores: Scores, *, higher_is_better: bool = True) -> ScoresDescription:
    r"""Describe scores: shape, mean, spread, zeros, variance components and ties.

    The variance components are those of generalizability theory, estimated from the mean squares
    of the two-way analysis of variance without replication, for :math:`n` topics and :math:`m`
    systems: :math:`\hat\sigma^2_{st} = MS_{st}`, :math:`\hat\sigma^2_s = (MS_s - MS_{st}) / n` and
    :math:`\hat\sigma^2_t = (MS_t - MS_{st}) / m`, negative estimates set to 0. The interaction
    contains the residual error.

    Parameters
    ----------
    scores : DataFrame, DataArray or 2-D array
        Scores of systems (columns) on topics (rows). Missing scores are counted and left out.
    higher_is_better : bool
        False if lower scores are better.

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
    Scores of 2 systems on 3 topics (t1 to t3): best sys2 0.467, worst sys1 0.333.
      mean 0.4000, sd 0.2828, zeros 16.7%
      variance: system 6.7%, topic 86.7%, interaction 6.7%
    """
    checked = check_scores(scores, missing="model", warn=False)
    values = checked.to_numpy()
    present = values[~np.isnan(values)]
    missing = values.size - present.size
    return ScoresDescription(
        *values.shape,
        float(present.mean()),
        float(present.std(ddof=1)),
        float((present == 0).mean()),
        missing,
        *((np.nan,) * 3 if missing else variance_components(mean_squares(values), values.shape)),
        **find_ties(checked)._asdict(),
        tasks=topics_by_task(checked),
        repeats=str(checked.attrs.get("repeats", "")),
        understood=understood(checked, higher_is_better=higher_is_better),
    )


def mean_squares(values: FloatArray) -> tuple[float, float, float]:
    """Return the mean squares of systems, topics and their interaction.

    ``values`` has dims topics x systems, without missing scores.
    """
    n, m = values.shape
    topics, systems, grand = values.mean(axis=1), values.mean(axis=0), values.mean()
    residuals = values - topics[:, None] - systems[None, :] + grand
    return (
        n * float(((systems - grand) ** 2).sum()) / (m - 1),
        m * float(((topics - grand) ** 2).sum()) / (n - 1),
        float((residuals**2).sum() / ((n - 1) * (m - 1))),
    )


def variance_components(
    squares: tuple[float, float, float], shape: tuple[int, ...]
) -> tuple[float, float, float]:
    """Return the variances of systems, topics and their interaction; negative estimates are 0.

    ``squares`` are the :func:`mean_squares` of an array of that ``shape``, topics x systems.
    """
    system, topic, interaction = squares
    topics, systems = shape
    return (
        max(0.0, (system - interaction) / topics),
        max(0.0, (topic - interaction) / systems),
        interaction,
    )
