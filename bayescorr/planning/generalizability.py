"""Generalizability theory: reliability of a topic set from variance components."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from scipy.special import chdtri, fdtri

from bayescorr._numbers import check_level
from bayescorr.errors import Argument, OptionError
from bayescorr.planning.search import check_sizes
from bayescorr.scores.check import check_scores
from bayescorr.scores.describe import mean_squares, variance_components
from bayescorr.scores.strata import refuse_seeds, refuse_strata


@dataclass(frozen=True)
class Generalizability:
    """A G-study; its methods are the D-studies.

    Attributes
    ----------
    topics, systems : int
        n and m.
    ms_system, ms_topic, ms_interaction : float
        Mean squares of the two-way analysis of variance without replication.
    """

    topics: int
    systems: int
    ms_system: float
    ms_topic: float
    ms_interaction: float

    @property
    def system_variance(self) -> float:
        """Variance of the true means of systems; negative estimates are set to 0."""
        return self._variances()[0]

    @property
    def topic_variance(self) -> float:
        """Variance of topic difficulty; negative estimates are set to 0."""
        return self._variances()[1]

    @property
    def interaction_variance(self) -> float:
        """Variance of the interaction of systems and topics, including residual error."""
        return self.ms_interaction

    def _variances(self) -> tuple[float, float, float]:
        squares = (self.ms_system, self.ms_topic, self.ms_interaction)
        return variance_components(squares, (self.topics, self.systems))

    def components(self) -> pd.DataFrame:
        """Return variance components: component, variance, share, mean_square."""
        variances = self._variances()
        total = sum(variances)
        return pd.DataFrame(
            {
                "component": ["system", "topic", "interaction"],
                "variance": variances,
                "share": [value / total if total > 0 else math.nan for value in variances],
                "mean_square": [self.ms_system, self.ms_topic, self.ms_interaction],
            }
        )

    def coefficients(
        self, n_topics: int | Iterable[int] | None = None, level: float = 0.95
    ) -> pd.DataFrame:
        """Return E-rho-squared and Phi for topic sets of several sizes.

        Columns n_topics, coefficient, estimate, lower, upper, level.

        Parameters
        ----------
        n_topics : int or sequence of int, optional
            Sizes n' of the topic sets; default: the number of topics in the scores.
        level : float
            Level of the confidence intervals: exact for E-rho-squared (Feldt 1965), approximate
            for Phi (Arteaga et al. 1982).
        """
        ratios = self._ratios(level)
        rows = [
            (size, name, *(size * r / (1 + size * r) for r in ratio), level)
            for size in check_sizes(self.topics if n_topics is None else n_topics)
            for name, ratio in ratios.items()
        ]
        columns = ["n_topics", "coefficient", "estimate", "lower", "upper", "level"]
        return pd.DataFrame(rows, columns=columns)

    def topics_needed(self, target: float = 0.95, level: float = 0.95) -> pd.DataFrame:
        """Return the number of topics that E-rho-squared and Phi need to reach a target.

        Columns coefficient, target, topics, lower, upper, level. The number is infinite if the
        estimated variance between systems is 0.
        """
        check_level(target, "target")
        rows = [
            (name, target, *(_topics(ratio, target) for ratio in (estimate, upper, lower)), level)
            for name, (estimate, lower, upper) in self._ratios(level).items()
        ]
        columns = ["coefficient", "target", "topics", "lower", "upper", "level"]
        return pd.DataFrame(rows, columns=columns)

    def _ratios(self, level: float) -> dict[str, tuple[float, float, float]]:
        """Ratio of system variance to the error variance of one topic: estimate, lower, upper."""
        tail = (1 - check_level(level)) / 2
        system, topic, interaction = self._variances()
        erho2, phi = _quotient(system, interaction), _quotient(system, topic + interaction)
        return {
            "erho2": (erho2, self._relative(1 - tail), self._relative(tail)),
            "phi": (phi, self._absolute(1 - tail), self._absolute(tail)),
        }

    def _relative(self, p: float) -> float:
        """Interval limit of s / st: MS_s / MS_st over the ratio of expectations follows F."""
        f = float(fdtri(self.systems - 1, (self.systems - 1) * (self.topics - 1), p))
        return max(0.0, (_quotient(self.ms_system, self.ms_interaction * f) - 1) / self.topics)

    def _absolute(self, p: float) -> float:
        """Interval limit of s / (t + st) by Arteaga, Jeyaratnam & Franklin (1982)."""
        s, t, st = self.ms_system, self.ms_topic, self.ms_interaction
        n, m = self.topics, self.systems
        f_infinite = float(chdtri(m - 1, 1 - p)) / (m - 1)
        f_interaction = float(fdtri(m - 1, (m - 1) * (n - 1), p))
        f_topic = float(fdtri(m - 1, n - 1, p))
        above = s**2 - f_infinite * s * st + (f_infinite - f_interaction) * f_interaction * st**2
        below = (m - 1) * f_infinite * s * st + f_topic * s * t
        return max(0.0, _quotient(m * above, n * below))

    def __repr__(self) -> str:
        shares = ", ".join(
            f"{row.component} {row.variance:.4g} ({row.share:.1%})"
            for row in self.components().itertuples()
        )
        found = zip(
            self.coefficients().itertuples(), self.topics_needed().itertuples(), strict=True
        )
        lines = [
            f"  {row.coefficient:5} {row.estimate:.3f} (95% interval {row.lower:.3f} to "
            f"{row.upper:.3f}); 0.95 needs {n.topics:g} topics ({n.lower:g} to {n.upper:g})"
            for row, n in found
        ]
        title = f"Generalizability of {self.systems} systems on {self.topics} topics"
        return "\n".join([title, f"  variance: {shares}", *lines])


def generalizability(scores: Any, *, missing: str = "error") -> Generalizability:
    r"""Estimate how reliable a topic set is, by generalizability theory.

    With the variance components of systems, topics and their interaction,

    .. math:: E\rho^2 = \frac{\sigma^2_s}{\sigma^2_s + \sigma^2_{st} / n'}, \qquad
        \Phi = \frac{\sigma^2_s}{\sigma^2_s + (\sigma^2_t + \sigma^2_{st}) / n'}

    measure how well n' topics rank systems relative to each other, and how well they estimate the
    mean of each system.

    Parameters
    ----------
    scores : DataFrame
        Topics by systems.
    missing : {"error", "drop", "zero"}
        How to treat missing scores.

    Returns
    -------
    Generalizability
        With methods ``components()``, ``coefficients(n_topics, level)`` and
        ``topics_needed(target, level)``.

    References
    ----------
    R. L. Brennan. Generalizability Theory. Springer, 2001.
    L. S. Feldt. The approximate sampling distribution of Kuder-Richardson reliability coefficient
    twenty. Psychometrika 30(3), 1965.
    C. Arteaga, S. Jeyaratnam, G. A. Franklin. Confidence intervals for proportions of total
    variance in the two-way cross component of variance model. Communications in Statistics: Theory
    and Methods 11(15), 1982.
    J. Urbano, M. Marrero, D. Martín. On the measurement of test collection reliability. SIGIR 2013.

    Examples
    --------
    >>> import bayescorr
    >>> study = generalizability(bayescorr.load_dataset("demo"))
    >>> study.coefficients([50, 100])[["n_topics", "coefficient", "estimate"]].round(3)
       n_topics coefficient  estimate
    0        50       erho2     0.926
    1        50         phi     0.858
    2       100       erho2     0.962
    3       100         phi     0.923
    """
    if missing == "model":
        raise OptionError(
            "Generalizability theory does not support missing scores.",
            ("Use ", Argument("missing", "drop"), " or ", Argument("missing", "zero"), "."),
        )
    remedy = "Analyse one task, or the scores without tasks."
    refuse_strata(scores, "Generalizability theory", remedy)
    refuse_seeds(scores)
    values = check_scores(scores, missing=missing, warn=False).to_numpy()
    topics, systems = values.shape
    return Generalizability(topics, systems, *mean_squares(values))


def _quotient(above: float, below: float) -> float:
    return above / below if below > 0 else math.inf if above > 0 else 0.0


def _topics(ratio: float, target: float) -> float:
    """Return the smallest n' with n' r / (1 + n' r) >= target."""
    if ratio <= 0:
        return math.inf
    # Rounding error must not add a topic.
    return max(1.0, math.ceil(target / ((1 - target) * ratio) - 1e-9))
