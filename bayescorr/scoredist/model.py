"""A fitted score model of one topic or many: two distributions and their mixing weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, ScoresError
from bayescorr.scoredist.distributions import Distribution, linear
from bayescorr.scoredist.families import Family, get_family, moments


@dataclass(frozen=True)
class ScoreDistribution:
    r"""The mixture :math:`f(s) = \lambda f(s|1) + (1 - \lambda) f(s|0)` of a topic's scores.

    Parameters and mixing weights are numbers or arrays of one shape: one entry per topic, or one
    per draw and topic.

    Attributes
    ----------
    family : Family
        The two distributions.
    mixing : float or array
        :math:`\lambda`, the share of relevant documents among those returned.
    relevant, nonrelevant : tuple of float or array
        Parameters of :math:`f(s|1)` and :math:`f(s|0)`.
    bottom, top : float or array
        Lowest and highest returned score.

    Examples
    --------
    >>> from bayescorr import fit_score_distribution
    >>> model = fit_score_distribution([6.0, 4.0, 3.0, 1.0], [True, True, False, False])
    >>> float(model.mixing)
    0.5
    >>> model.density([1.0, 4.0], relevant=True).round(3)
    array([0.   , 0.248])
    >>> model.survival([1.0, 4.0], relevant=True).round(3)
    array([1.   , 0.717])
    >>> model.log_odds([1.0, 4.0]).round(3)
    array([-6.851,  1.467])
    >>> model.probability_of_relevance([1.0, 4.0]).round(3)
    array([0.001, 0.813])
    """

    family: Family
    mixing: Any
    relevant: tuple[Any, ...]
    nonrelevant: tuple[Any, ...]
    bottom: Any
    top: Any

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters by name, such as ``relevant_shape``."""
        names = [f"relevant_{name}" for name in self.family.relevant.parameters]
        names += [f"nonrelevant_{name}" for name in self.family.nonrelevant.parameters]
        return dict(zip(names, self.relevant + self.nonrelevant, strict=True))

    def density(self, s: ArrayLike, relevant: bool) -> FloatArray:
        """Return the density of the relevant or the non-relevant scores at ``s``."""
        part, parameters = self.part(relevant)
        return np.asarray(np.exp(part.log_density(s, *parameters)))

    def survival(self, s: ArrayLike, relevant: bool) -> FloatArray:
        """Return recall (``relevant=True``) or fallout at the threshold ``s``."""
        part, parameters = self.part(relevant)
        return np.asarray(part.survival(np.asarray(s, float), *parameters))

    def probability_of_relevance(self, s: ArrayLike) -> FloatArray:
        r"""Return the probability that a document with score ``s`` is relevant, by Bayes' rule.

        .. math:: p(s) = \frac{\lambda f(s|1)}{\lambda f(s|1) + (1 - \lambda) f(s|0)}

        If both densities are infinite or 0, as may happen at a score of 0, this is the limit. It is
        NaN if neither distribution supports the score.
        """
        return np.asarray(special.expit(self.log_odds(s)))

    def log_odds(self, s: ArrayLike) -> FloatArray:
        """Return the log odds that a document with score ``s`` is relevant."""
        s = np.asarray(s, float)
        slopes, constant = self.evidence()
        inside = s >= self.family.nonrelevant.lower
        # Below the support of non-relevant scores, a document is relevant or the score invalid.
        below = np.where(s >= self.family.relevant.lower, np.inf, np.nan)
        return np.where(inside, linear(slopes, constant, np.where(inside, s, 1.0)), below)

    def evidence(self) -> tuple[list[Any], Any]:
        """Return slopes and constant of the log odds where non-relevant scores are supported."""
        first, constant1 = self.family.relevant.natural(*self.relevant)
        second, constant0 = self.family.nonrelevant.natural(*self.nonrelevant)
        # Subtracting coefficients, not log densities, avoids infinity minus infinity.
        slopes = [a - b for a, b in zip(first, second, strict=True)]
        return slopes, constant1 - constant0 - special.logit(self.mixing)

    def entries(self, which: Any) -> ScoreDistribution:
        """Return the model of some entries of a model of many topics."""
        return self.apply(lambda value: value[which])

    def apply(self, function: Callable[[Any], Any]) -> ScoreDistribution:
        """Apply a function to the mixing weight, each parameter and the score range."""
        first, second = (tuple(map(function, part)) for part in (self.relevant, self.nonrelevant))
        mixing, bottom, top = map(function, (self.mixing, self.bottom, self.top))
        return ScoreDistribution(self.family, mixing, first, second, bottom, top)

    def part(self, relevant: bool) -> tuple[Distribution, tuple[Any, ...]]:
        """Return the distribution of one kind of score, and its parameters."""
        if relevant:
            return self.family.relevant, self.relevant
        return self.family.nonrelevant, self.nonrelevant


def fit_score_distribution(
    scores: ArrayLike,
    relevant: ArrayLike,
    family: str = "gamma",
    *,
    constrained: bool | str = True,
    estimator: str = "moments",
) -> ScoreDistribution:
    r"""Fit a score model to the scores of one topic's documents.

    .. math:: f(s) = \lambda f(s|1) + (1 - \lambda) f(s|0)

    where :math:`\lambda` is the share of relevant documents among those returned. By default, both
    distributions are gamma with a shared scale :math:`\theta`, fitted to the means and variances of
    the relevant (1) and non-relevant (0) scores:

    .. math:: k_0 = \bar s_0^2 / v_0, \quad \theta = v_0 / \bar s_0, \quad
        k_1 = \bar s_1 / \theta.

    Parameters
    ----------
    scores : array
        Scores of all returned documents, in any order.
    relevant : array of bool
        Whether each document is relevant.
    family : {"gamma", "lognormal", "normal", "exponential", "poisson", "exponential-normal"}
        The distributions of relevant and non-relevant scores. In ``"exponential-normal"``,
        relevant scores are normal and non-relevant scores exponential.
    constrained : bool or str
        Whether the two distributions share a parameter so that the probability of relevance rises
        with the score: the sigma of a normal or lognormal, the scale of a gamma or its ``"shape"``.
    estimator : {"moments", "likelihood"}
        Method of moments, which takes the shared parameter from the non-relevant scores, or
        maximum likelihood, which estimates it from both.

    Returns
    -------
    ScoreDistribution
        The fitted model.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> model = fit_score_distribution([6.0, 4.0, 3.0, 1.0], [True, True, False, False])
    >>> {name: float(value) for name, value in model.parameters.items()}
    {'relevant_shape': 10.0, 'relevant_scale': 0.5, 'nonrelevant_shape': 4.0,
     'nonrelevant_scale': 0.5}
    """
    chosen = get_family(family)
    values, labels = np.asarray(scores, float), np.asarray(relevant)
    if values.ndim != 1 or labels.shape != values.shape or labels.dtype != bool:
        raise ScoresError(
            f"scores and relevant must be lists of the same length, of numbers and bools; got "
            f"shapes {values.shape} and {labels.shape}, relevant of type {labels.dtype}."
        )
    check_supported(chosen, values)
    counts = labels.sum(), (~labels).sum()
    if min(counts) < 2:
        found = f"{counts[0]} and {counts[1]}"
        raise ScoresError(
            f"Need at least 2 relevant and 2 non-relevant scores; found {found}.",
            "Leave out this topic.",
        )
    start = np.zeros(1, dtype=np.intp)
    parameters = chosen.fit(*moments(values, labels, start), constrained, estimator)
    if np.isnan(parameters[0][0][0]):
        reason = UNDETERMINED.format(family)
        raise ScoresError(f"T{reason[1:]}.", ("Choose another ", Argument("family"), "."))
    first, second = (tuple(value[0] for value in part) for part in parameters)
    mixing = counts[0] / len(values)
    return ScoreDistribution(chosen, mixing, first, second, values.min(), values.max())


#: Why a topic with enough documents cannot be fitted.
UNDETERMINED = (
    "the scores do not determine the parameters of the family {!r}: all relevant or all "
    "non-relevant scores are equal, or a score is 0 and its logarithm is needed"
)


def check_supported(family: Family, scores: FloatArray) -> None:
    """Raise an error if a score is not finite or not supported by the family."""
    if not np.isfinite(scores).all():
        raise ScoresError("Some scores are not finite.", "Leave out those documents.")
    if (bad := family.unsupported(scores)).any():
        raise ScoresError(
            f"The family {family.name!r} needs {family.needs}; found {scores[bad][0]:g}.",
            ("Choose another ", Argument("family"), "."),
        )
