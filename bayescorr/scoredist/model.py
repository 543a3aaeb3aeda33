"""A fitted score model: two distributions and how they are mixed, of one topic or of many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayescorr._numbers import FloatArray
from bayescorr.errors import ScoresError
from bayescorr.scoredist.distributions import linear
from bayescorr.scoredist.families import Family, get_family
from bayescorr.scoredist.statistics import moments


@dataclass(frozen=True)
class ScoreDistribution:
    r"""The mixture :math:`f(s) = \lambda f(s|1) + (1 - \lambda) f(s|0)` of a topic's scores.

    Parameters and mixing weights are numbers, or arrays of one shape: one entry per topic, or per
    draw and topic.

    Attributes
    ----------
    family : Family
        The two distributions.
    mixing : float or array
        :math:`\lambda`, the share of relevant documents among those returned.
    relevant, nonrelevant : tuple of float or array
        Parameters of :math:`f(s|1)` and :math:`f(s|0)`.
    bottom, top : float or array
        Lowest and highest score that was returned.

    Examples
    --------
    >>> from bayescorr import fit_score_distribution
    >>> model = fit_score_distribution([9, 7, 4, 3, 2], [True, True, False, False, False], "normal")
    >>> float(model.mixing)
    0.4
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
        named = {}
        for kind in ("relevant", "nonrelevant"):
            names = getattr(self.family, kind).parameters
            for name, value in zip(names, getattr(self, kind), strict=True):
                named[f"{kind}_{name}"] = value
        return named

    def density(self, s: ArrayLike, relevant: bool) -> FloatArray:
        """Density of the relevant or the non-relevant scores at ``s``.

        Examples
        --------
        >>> model = fit_score_distribution([6.0, 4.0, 3.0, 1.0], [True, True, False, False])
        >>> model.density([1.0, 4.0], relevant=True).round(3)
        array([0.   , 0.248])
        """
        part, parameters = self._part(relevant)
        return np.asarray(np.exp(part.log_density(s, *parameters)))

    def survival(self, s: ArrayLike, relevant: bool) -> FloatArray:
        """Recall (``relevant``) or fallout at the threshold ``s``.

        Examples
        --------
        >>> model = fit_score_distribution([6.0, 4.0, 3.0, 1.0], [True, True, False, False])
        >>> model.survival([1.0, 4.0], relevant=True).round(3)
        array([1.   , 0.717])
        """
        part, parameters = self._part(relevant)
        return np.asarray(part.survival(np.asarray(s, float), *parameters))

    def probability_of_relevance(self, s: ArrayLike) -> FloatArray:
        r"""Probability that a document with score ``s`` is relevant, by Bayes' rule.

        .. math:: p(s) = \frac{\lambda f(s|1)}{\lambda f(s|1) + (1 - \lambda) f(s|0)}

        Where both densities are infinite or 0, such as at a score of 0, it is the limit; NaN for a
        score that neither distribution supports.

        Examples
        --------
        >>> model = fit_score_distribution([4.0, 3.0, 2.0, 1.0], [True, True, False, False])
        >>> bool(model.probability_of_relevance(4.0) > model.probability_of_relevance(1.0))
        True
        """
        return np.asarray(special.expit(self.log_odds(s)))

    def log_odds(self, s: ArrayLike) -> FloatArray:
        """Log of the odds that a document with score ``s`` is relevant.

        Examples
        --------
        >>> model = fit_score_distribution([6.0, 4.0, 3.0, 1.0], [True, True, False, False])
        >>> model.log_odds([1.0, 4.0]).round(3)
        array([-6.851,  1.467])
        """
        s = np.asarray(s, float)
        slopes, constant = self.evidence()
        inside = s >= self.family.nonrelevant.lower
        # Below, a score can only be that of a relevant document, or of none.
        below = np.where(s >= self.family.relevant.lower, np.inf, np.nan)
        return np.where(inside, linear(slopes, constant, np.where(inside, s, 1.0)), below)

    def evidence(self) -> tuple[list[Any], Any]:
        """Log odds as a linear function of the statistics: slopes, and what is subtracted.

        It holds for scores that the non-relevant distribution supports.
        """
        first, constant1 = self.family.relevant.coefficients(*self.relevant)
        second, constant0 = self.family.nonrelevant.coefficients(*self.nonrelevant)
        # The difference is taken before the scores come in: it has no infinity less infinity.
        slopes = [a - b for a, b in zip(first, second, strict=True)]
        return slopes, constant1 - constant0 - special.logit(self.mixing)

    def entries(self, which: Any) -> ScoreDistribution:
        """Take some entries of a model of many topics."""
        return replace(
            self,
            mixing=self.mixing[which],
            relevant=tuple(value[which] for value in self.relevant),
            nonrelevant=tuple(value[which] for value in self.nonrelevant),
            bottom=self.bottom[which],
            top=self.top[which],
        )

    def _part(self, relevant: bool) -> tuple[Any, tuple[Any, ...]]:
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

    with :math:`\lambda` the share of relevant documents among those returned. By default both
    distributions are gamma with one scale :math:`\theta`, fitted by the means and variances of the
    relevant (1) and non-relevant (0) scores,

    .. math:: k_0 = \bar s_0^2 / v_0, \quad \theta = v_0 / \bar s_0, \quad
        k_1 = \bar s_1 / \theta.

    Parameters
    ----------
    scores : array
        Scores of all returned documents, in any order.
    relevant : array of bool
        Which of them are relevant.
    family : {"gamma", "lognormal", "normal", "exponential", "poisson", "exponential-normal"}
        The distributions of relevant and non-relevant scores; the last has exponential
        non-relevant and normal relevant scores.
    constrained : bool or str
        Whether the two distributions share the parameter that makes the probability of relevance
        rise with the score: the scale of a gamma, the sigma of a normal or lognormal. The name of
        the parameter chooses among several: ``"shape"`` is the other choice for a gamma.
    estimator : {"moments", "likelihood"}
        Method of moments, where the shared parameter is that of the non-relevant scores, or
        maximum likelihood, where it is the best for both.

    Returns
    -------
    ScoreDistribution
        The fitted model.

    Raises
    ------
    ScoresError
        For fewer than 2 relevant or 2 non-relevant scores, scores that the family does not support
        or that do not determine its parameters.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012,
    section 3.

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
            f"Scores of shape {values.shape} and relevance of shape {labels.shape} and type "
            f"{labels.dtype} were given; one number and one bool per document are needed.",
            "Give two lists of the same length.",
        )
    check_supported(chosen, values)
    counts = labels.sum(), (~labels).sum()
    if min(counts) < 2:
        raise ScoresError(
            f"{counts[0]} relevant and {counts[1]} non-relevant scores found, at least 2 of each "
            "are needed.",
            "Leave this topic out.",
        )
    start = np.zeros(1, dtype=np.intp)
    parameters = chosen.fit(*moments(values, labels, start), constrained, estimator)
    if np.isnan(parameters[0][0][0]):
        reason = UNDETERMINED.format(family)
        raise ScoresError(f"{reason[0].upper()}{reason[1:]}.", "Choose another family.")
    first, second = (tuple(value[0] for value in part) for part in parameters)
    return ScoreDistribution(
        chosen, counts[0] / len(values), first, second, values.min(), values.max()
    )


#: Why a topic cannot be fitted although it has enough documents.
UNDETERMINED = (
    "the scores do not determine the parameters of the family {!r}: those of one kind are all "
    "equal or 0, or one is 0 and its logarithm is needed"
)


def check_supported(family: Family, scores: FloatArray) -> None:
    """Refuse scores that are not finite or that the family does not support."""
    if not np.isfinite(scores).all():
        raise ScoresError("Some scores are not finite.", "Leave those documents out.")
    if (bad := unsupported(family, scores)).any():
        raise ScoresError(
            f"Score {scores[bad][0]:g} found, {needs(family)}.", "Choose another family."
        )


def unsupported(family: Family, scores: FloatArray) -> Any:
    """Which scores the family does not support."""
    if family.least == "any":
        return np.zeros(scores.shape, dtype=bool)
    if family.least == "whole":
        return (scores < 0) | (scores != np.floor(scores))
    return scores <= 0 if family.least == "positive" else scores < 0


def needs(family: Family) -> str:
    """Say which scores the family needs."""
    kinds = {"zero": "scores of 0 or more", "positive": "positive scores"}
    wanted = kinds.get(family.least, "whole scores of 0 or more, such as coordination level")
    return f"the family {family.name!r} needs {wanted}"
