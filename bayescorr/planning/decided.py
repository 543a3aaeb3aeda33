"""Plans for decisions, in tables, a plot and plain words."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr._optional import require
from bayescorr.errors import Argument, render
from bayescorr.planning.futures import Flags
from bayescorr.planning.needed import Size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Standard normal quantile of a 95% interval.
_Z = 1.96


@dataclass(frozen=True)
class Question:
    """What is to be decided, when it counts as decided, and what the posterior says now.

    Attributes
    ----------
    pair : tuple or None
        The two systems, the one with the higher observed mean first; None for the top k.
    k : int
        Number of systems in the top.
    leaders : list
        The systems with the highest posterior means.
    level : float
        Probability from which the posterior of an analysis decides.
    rope : float
        By how much systems must differ; smaller differences count as equal.
    posterior_probability, approximate_probability : float
        The probability that the leaders are ahead: now, and by the approximation of the plan.
    p_apart : float
        The probability that the true difference is larger than ``rope``.
    """

    pair: tuple[Hashable, Hashable] | None
    k: int
    leaders: list[Hashable]
    level: float
    rope: float
    posterior_probability: float
    approximate_probability: float
    p_apart: float

    @property
    def words(self) -> str:
        """What is decided: "which system is the best"."""
        if self.pair is not None:
            return f"whether {self.pair[0]} or {self.pair[1]} is better"
        return "which system is the best" if self.k == 1 else f"which {self.k} systems are the best"

    @property
    def claim(self) -> str:
        """The claim that may be decided, as it stands now."""
        if self.pair is not None:
            other = next(system for system in self.pair if system != self.leaders[0])
            return f"{self.leaders[0]} is better than {other}{self._margin}"
        if self.k == 1:
            return f"{self.leaders[0]} is the best{self._margin}"
        return f"the {self.k} systems with the highest posterior means are the best{self._margin}"

    @property
    def notes(self) -> list[str]:
        """When the question counts as decided, and how close the approximation is."""
        return [
            f"Decided means that the posterior gives one answer{self._margin} a probability of at "
            f"least {self.level:g}.",
            f"Now the probability that {self.claim} is {self.posterior_probability:.3f}; the "
            f"approximation that the plan uses gives {self.approximate_probability:.3f}.",
        ]

    @property
    def _margin(self) -> str:
        return f" by more than {self.rope:g}" if self.rope > 0 else ""


@dataclass(frozen=True, eq=False)
class DecisionPlan:
    """How likely analyses of topic sets of several sizes are to decide a question.

    Attributes
    ----------
    method : str
        The model.
    question : Question
        What is to be decided.
    observed_topics : int
        Number of topics that the model was fitted to.
    extend : bool
        Whether the sets contain those topics, or only new ones.
    n_topics : tuple of int
        Sizes of the sets.
    decided, as_observed, equal : array of bool, sizes x draws
        Whether the question is decided, whether as the observed means have it, and whether the two
        systems are found to be practically equal.
    """

    method: str
    question: Question
    observed_topics: int
    extend: bool
    n_topics: tuple[int, ...]
    decided: Flags
    as_observed: Flags
    equal: Flags

    def table(self) -> pd.DataFrame:
        """Return one row per size: n_topics, p_decided, lower, upper, p_as_observed.

        ``lower`` and ``upper`` are a 95% interval of p_decided for its Monte Carlo error. With a
        ``rope`` for two systems, p_equal is the probability of finding them practically equal.
        """
        share = self.decided.mean(axis=1)
        # What the observed topics decide is known.
        known = np.array([self.extend and size == self.observed_topics for size in self.n_topics])
        lower, upper = (np.where(known, share, end) for end in share_interval(self.decided))
        table = pd.DataFrame(
            {
                "n_topics": self.n_topics,
                "p_decided": share,
                "lower": lower,
                "upper": upper,
                "p_as_observed": self.as_observed.mean(axis=1),
            }
        )
        if self.question.pair is not None and self.question.rope > 0:
            table["p_equal"] = self.equal.mean(axis=1)
        return table

    def plot(self, *, probability: float | None = None, ax: Axes | None = None) -> Axes:
        """Plot the probabilities against the size, with the band of their Monte Carlo error."""
        if ax is None:
            plt = require("matplotlib.pyplot", extra="report")
            ax = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        table, sizes, blue = self.table(), self.n_topics, "#0072B2"
        band = "95% Monte Carlo band"
        ax.fill_between(sizes, table["lower"], table["upper"], color=blue, alpha=0.2, label=band)
        ax.plot(sizes, table["p_decided"], "o-", color=blue, ms=4, label="decided")
        ax.plot(
            sizes, table["p_as_observed"], "--", color="#009E73", label="decided as observed now"
        )
        if "p_equal" in table:
            label = f"found equal within {self.question.rope:g}"
            ax.plot(sizes, table["p_equal"], ":", color="#D55E00", label=label)
        n = self.observed_topics
        ax.axvline(n, color="0.6", lw=0.8, zorder=0, label=f"observed topics: {n}")
        if probability is not None:
            wanted = f"wanted: {probability:g}"
            ax.axhline(probability, color="0.3", lw=0.8, ls="-.", label=wanted)
        kind = "observed and new topics" if self.extend else "new topics"
        ax.set(xlabel=f"number of {kind}", ylabel="probability", ylim=(0, 1.02))
        ax.set_title(f"Deciding {self.question.words}", fontsize="medium", loc="left")
        place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1.06), "ncols": 2}
        ax.legend(frameon=False, fontsize="small", **place)
        return ax

    def __repr__(self) -> str:
        kind = "the observed and new topics" if self.extend else "new topics"
        title = f"P(deciding {self.question.words}) over {kind} ({self.method})"
        table = self.table().to_string(index=False, float_format="{:.3f}".format)
        return "\n".join([title, table, *self.question.notes])


@dataclass(frozen=True)
class TopicsToDecide:
    """Number of topics until a question is decided; prints as a sentence.

    Attributes
    ----------
    method : str
        The model.
    question : Question
        What is to be decided.
    probability : float
        With what probability it should be decided.
    observed_topics, extend, max_topics
        Number of topics of the fit, whether they are kept, and the most to consider.
    topics, lower, upper : int or None
        The smallest number with P(decided) >= probability, and a 95% interval of it for Monte Carlo
        error; None above the maximum.
    topics_to_settle : int or None
        The same for a pair with a ``rope``: until it is decided or found to be practically equal.
    """

    method: str
    question: Question
    probability: float
    observed_topics: int
    extend: bool
    max_topics: int
    topics: int | None
    lower: int | None = None
    upper: int | None = None
    topics_to_settle: int | None = None

    @property
    def never(self) -> bool:
        """Whether no number of topics is enough, because the systems may be practically equal."""
        return self.question.p_apart < self.probability

    def table(self) -> pd.DataFrame:
        """Return one row per criterion: method, criterion, topics, lower, upper."""
        words, wanted = self.question.words, f">= {self.probability:g}"
        rows = [(self.method, f"P(deciding {words}) {wanted}", self.topics, self.lower, self.upper)]
        if self.question.pair is not None and self.question.rope > 0:
            equal = f"P(deciding {words}, or equal within {self.question.rope:g}) {wanted}"
            rows.append((self.method, equal, self.topics_to_settle, None, None))
        names = ["topics", "lower", "upper"]
        table = pd.DataFrame(rows, columns=["method", "criterion", *names])
        return table.astype(dict.fromkeys(names, "Int64"))

    @property
    def text(self) -> tuple[str | Argument, ...]:
        """The answer in plain words, with arguments as data."""
        question, n = self.question, self.observed_topics
        goal = f"decide {question.words}"
        likely = f"{goal} with probability {self.probability:g}"
        if self.never:
            return (f"No number of topics would {likely}: {self._equal}.{self._settled}",)
        if self.extend and self.topics is not None and self.topics <= n:
            sure = f"{question.posterior_probability:.3f}"
            return (f"The {n:,} topics that you have {goal}: {question.claim}, P = {sure}.",)
        found = Size(self.topics, self.lower, self.upper, n, self.extend, self.max_topics)
        if self.topics is not None or question.rope > 0:
            return found.text(likely)
        hint = " Differences that do not matter can count as equal, as with "
        return (*found.text(likely), hint, Argument("rope", 0.01), ".")

    @property
    def _equal(self) -> str:
        p = 1 - self.question.p_apart
        most = f"at most {self.question.rope:g}"
        if self.question.pair is not None:
            return (
                f"with probability {p:.2f} they are practically equal, with true means that differ "
                f"by {most}"
            )
        k = self.question.k
        ahead = "the best system is" if k == 1 else f"the best {k} systems are"
        return f"with probability {p:.2f} {ahead} ahead of the others by {most}"

    @property
    def _settled(self) -> str:
        if self.topics_to_settle is None:
            return ""
        kind = "topics in total" if self.extend else "new topics"
        about = round(self.topics_to_settle, 2 - len(str(self.topics_to_settle)))
        return (
            f" With about {about:,} {kind} you would know, with probability {self.probability:g}, "
            "which is better or that they are practically equal."
        )

    @property
    def answer(self) -> str:
        """The answer alone, without the hints that may follow it."""
        return str(self.text[0])

    def __str__(self) -> str:
        return render(self.text)


def share_interval(flags: Flags) -> tuple[FloatArray, FloatArray]:
    """Return the 95% interval of Wilson for the share of true values in each row.

    Examples
    --------
    >>> lower, upper = share_interval(np.array([[True] * 8 + [False] * 2]))
    >>> lower.round(2), upper.round(2)
    (array([0.49]), array([0.94]))
    """
    size, share = flags.shape[1], flags.mean(axis=1)
    weight = _Z**2 / size
    centre = (share + weight / 2) / (1 + weight)
    half = _Z * np.sqrt(share * (1 - share) / size + weight / (4 * size)) / (1 + weight)
    return np.maximum(centre - half, 0), np.minimum(centre + half, 1)
