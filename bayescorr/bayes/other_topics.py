"""How the observed ranking would agree with that by another set of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray, check_count
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes.posterior import estimates_of
from bayescorr.bayes.predictive import for_model
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate
from bayescorr.coefficients.registry import AnyCoefficient, resolve_all
from bayescorr.scores.check import observed_means
from bayescorr.scores.strata import tasks_of

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


@dataclass(frozen=True, eq=False)
class PredictedAgreement:
    """Posterior predictive distribution of the agreement with rankings by other topics.

    Attributes
    ----------
    method : str
        The model.
    observed_topics, systems : int
        Number of topics and systems that the model was fitted to.
    n_topics : tuple of int
        Sizes of the other sets of topics.
    draws : mapping
        By coefficient its draws, sizes x draws.
    points : mapping
        By coefficient its point estimate: "mean" or "median".
    """

    method: str
    observed_topics: int
    systems: int
    n_topics: tuple[int, ...]
    draws: Mapping[str, FloatArray] = field(repr=False)
    points: Mapping[str, str] = field(repr=False)

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return one row per size and coefficient.

        Columns n_topics, coefficient, estimate, sd, lower, upper, level.
        """
        parts = []
        for name, drawn in self.draws.items():
            part = estimates_of(drawn.T, level, points=self.points[name]).assign(level=level)
            part.insert(0, "n_topics", self.n_topics)
            part.insert(1, "coefficient", name)
            parts.append(part)
        return pd.concat(parts).sort_values("n_topics", kind="stable", ignore_index=True)

    def in_words(self, level: float = 0.95) -> str:
        """Say what to expect of a set of as many topics as observed, or of the first size."""
        table, name = self.table(level), next(iter(self.draws))
        size = self.n_topics[0]
        if self.observed_topics in self.n_topics:
            size = self.observed_topics
        row = table[(table["n_topics"] == size) & (table["coefficient"] == name)].iloc[0]
        what = "Kendall's tau" if name == "tau" else name
        return (
            f"Another team that ranks the {self.systems} systems on {size} other topics should "
            f"expect a ranking that correlates with this one at {what} = {row['estimate']:.2f} "
            f"({level * 100:g}% predictive interval {row['lower']:.2f} to {row['upper']:.2f})."
        )

    def __repr__(self) -> str:
        table = self.table().to_string(index=False, float_format="{:.3f}".format)
        return f"{self.in_words()}\n{table}"


def predict_agreement(
    fit: Fit,
    n_topics: int | Iterable[int] | None = None,
    coefficients: AnyCoefficient | Iterable[AnyCoefficient] = DEFAULT_COEFFICIENTS,
    *,
    draws: int | None = None,
    random_seed: RandomSeed = None,
) -> PredictedAgreement:
    r"""Predict how the observed ranking would agree with that by a set of other topics.

    Would the topics of another team give the same ranking? Neither ranking is the true one: for
    every posterior draw, the means over n' new topics have the noise of these topics in addition,

    .. math:: \bar x' \sim N(\mu, \Sigma / n'),

    and the coefficient is that between them and the observed means. As n' grows it becomes that
    with the true ranking. :func:`bayescorr.expected_coefficient` predicts a different thing: how
    the ranking by the other topics would agree with the true one.

    Parameters
    ----------
    n_topics : int or sequence of int, optional
        Sizes of the other sets; by default half, once, twice and four times the observed number.
    coefficients : str, callable, or several
        Coefficients; the other set plays the truth.
    draws : int, optional
        Number of posterior draws, evenly spaced; by default all of them.
    random_seed : int or Generator, optional
        The same seed gives the same draws.

    Returns
    -------
    PredictedAgreement
        With ``table(level)`` and ``in_words(level)``; ``draws`` has the draws by coefficient.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> agreement = fit.predict_agreement([25, 100], "tau", random_seed=1)
    >>> agreement.table(0.9)[["n_topics", "coefficient", "estimate", "lower"]].round(1)
       n_topics coefficient  estimate  lower
    0        25         tau       0.7    0.6
    1       100         tau       0.8    0.7
    """
    n = len(fit.scores)
    if n_topics is None:
        n_topics = sorted({max(1, round(step * n)) for step in (0.5, 1, 2, 4)})
    given: tuple[Any, ...] = tuple(n_topics) if isinstance(n_topics, Iterable) else (n_topics,)
    sizes = tuple(check_count(size, "n_topics") for size in given)
    wanted = resolve_all(coefficients)
    rng = generator(random_seed)
    drawn = [draw_agreement(fit, size, wanted, draws=draws, random_seed=rng) for size in sizes]
    return PredictedAgreement(
        method=fit.method,
        observed_topics=n,
        systems=fit.scores.shape[1],
        n_topics=sizes,
        draws={c.name: np.array([one[c.name] for one in drawn]) for c in wanted},
        points={c.name: c.headline for c in wanted},
    )


def draw_agreement(
    fit: Fit,
    n_topics: int,
    coefficients: Sequence[AnyCoefficient],
    *,
    draws: int | None = None,
    random_seed: RandomSeed = None,
) -> dict[str, FloatArray]:
    """Draw coefficients between the observed ranking and that by a set of new topics.

    With tasks, such a set has as many topics of each task as were observed, to the nearest one.
    """
    rng, means = generator(random_seed), np.zeros(())
    for task, part in zip(tasks_of(fit.scores), fit.parts, strict=True):
        given = for_model(part, draws)
        size = max(1, round(n_topics * len(task.rows) / len(fit.scores)))
        drawn = part.model.new_means(*given[:3], part.priors, size, rng)
        means = means + task.weight * drawn[:, given.stands_for.to_numpy()]
    observed, better = observed_means(fit.scores).to_numpy(), fit.higher_is_better
    return correlate(means, observed, coefficients, higher_is_better=better)
