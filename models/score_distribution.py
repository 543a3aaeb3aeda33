r"""Scores of relevant and non-relevant documents, hierarchical over the topics of a run.

Document i of topic t is relevant with probability :math:`\lambda_t`, and its score has one of two
distributions of the same family, which share a parameter so that the probability of relevance
rises with the score. For the gamma family

.. math::
    s_{ti} \mid \text{not relevant} &\sim Gamma(k_t, \theta_t), \quad
    s_{ti} \mid \text{relevant} \sim Gamma(k_t e^{d_t}, \theta_t), \\
    k_t &= e^{b_t}, \quad \theta_t = e^{a_t - b_t}, \quad \lambda_t = 1 / (1 + e^{-o_t}), \\
    a_t &\sim N(m_a, s_a), \quad b_t \sim N(m_b, s_b), \quad d_t \sim N(m_d, s_d), \quad
    o_t \sim N(m_o, s_o).

Each topic has a location a, a spread b (unless the family has a single parameter), a separation d
and log odds o of relevance. This is a model of documents, not of the matrix of scores, so ``fit``
does not list it; :func:`bayescorr.sample_ap` samples it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bayescorr.bayes.model import declare

if TYPE_CHECKING:
    import pymc as pm

CITATION = "R. Cummins. On the inference of average precision from score distributions. CIKM 2012."

#: Centre and width of the normal prior of each mean over topics, and scale of the half-normal prior
#: of each standard deviation between topics. Rescaled scores have locations near 0.
PRIORS: dict[str, float] = {
    "location_centre": 0.0,
    "location_width": 1.0,
    "location_sd": 1.0,
    "spread_centre": 0.0,
    "spread_width": 1.5,
    "spread_sd": 1.0,
    "separation_centre": 0.5,
    "separation_width": 1.0,
    "separation_sd": 1.0,
    "log_odds_centre": -3.0,
    "log_odds_width": 2.0,
    "log_odds_sd": 1.5,
}

#: Families with a spread parameter.
WITH_SPREAD = ("gamma", "lognormal", "normal", "exponential-normal")

#: Sufficient statistics of each distribution, besides the number of documents.
SUFFICIENT = {
    "gamma": ("mean", "mean_log"),
    "lognormal": ("mean_log", "variance_log"),
    "normal": ("mean", "variance"),
    "exponential": ("mean",),
    "poisson": ("mean",),
}


def distributions(family: str) -> tuple[str, str]:
    """Return the names of the distributions of relevant and of non-relevant scores."""
    return ("normal", "exponential") if family == "exponential-normal" else (family, family)


def inputs(family: str, hierarchical: bool) -> list[str]:
    """Return the names of the values that :func:`build` needs.

    Examples
    --------
    >>> inputs("poisson", hierarchical=False)[:4]
    ['n1', 'mean1', 'n0', 'mean0']
    """
    names = []
    for kind, distribution in zip("10", distributions(family), strict=True):
        names += [f"{name}{kind}" for name in ("n", *SUFFICIENT[distribution])]
    effects = ["location", "separation", "log_odds", *(["spread"] * (family in WITH_SPREAD))]
    parts = ("centre", "width", "sd") if hierarchical else ("centre", "width")
    return names + [f"{effect}_{part}" for effect in effects for part in parts]


def parameters(
    family: str, location: Any, spread: Any, separation: Any, exp: Callable[[Any], Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the parameters of relevant and non-relevant scores, as ``scoredist`` orders them.

    ``exp`` is the function of NumPy or of PyTensor.

    Examples
    --------
    >>> from math import exp
    >>> parameters("gamma", 0.0, 0.0, 0.0, exp)
    ((1.0, 1.0), (1.0, 1.0))
    """
    if family == "gamma":
        shape, scale = exp(spread), exp(location - spread)
        return (shape * exp(separation), scale), (shape, scale)
    if family in ("normal", "lognormal"):
        return (location + separation, exp(spread)), (location, exp(spread))
    if family == "exponential-normal":
        return (exp(location + separation), exp(spread)), (exp(location),)
    return (exp(location + separation),), (exp(location),)


def build(
    family: str,
    values: Mapping[str, Any],
    coords: Mapping[str, Any],
    hierarchical: bool,
    alike: bool = False,
) -> pm.Model:
    """Build the model of the topics of one run.

    Parameters
    ----------
    family : str
        Name of the family.
    values : mapping
        The values named by :func:`inputs`: sufficient statistics of relevant (1) and non-relevant
        (0) scores of every topic, and the numbers of the priors.
    coords : mapping
        The labels of the topics, under ``topic``.
    hierarchical : bool
        Whether topics share unknown means and standard deviations. A single topic has fixed priors.
    alike : bool
        Whether the topics differ little, so that non-centred coordinates sample better.
    """
    import pymc as pm
    import pytensor.tensor as pt

    with pm.Model(coords=dict(coords)) as model:
        x = declare(values)

        def effect(name: str) -> Any:
            centre, width = x[f"{name}_centre"], x[f"{name}_width"]
            if not hierarchical:
                return pm.Normal(name, centre, width, dims="topic")
            mean = pm.Normal(f"{name}_mean", centre, width)
            sd = pm.HalfNormal(f"{name}_between", x[f"{name}_sd"])
            # Effects that depend on the few relevant documents alone are poorly determined, so they
            # are sampled in non-centred coordinates.
            centred = name == "location" or (name != "log_odds" and family != "exponential-normal")
            if centred and not alike:
                return pm.Normal(name, mean, sd, dims="topic")
            offset = pm.Normal(f"{name}_offset", 0, 1, dims="topic")
            return pm.Deterministic(name, mean + sd * offset, dims="topic")

        location = effect("location")
        spread = effect("spread") if family in WITH_SPREAD else None
        separation = effect("separation")
        log_odds = effect("log_odds")

        relevant, nonrelevant = parameters(family, location, spread, separation, pt.exp)
        first, second = distributions(family)
        of_scores = _log_likelihood(first, relevant, x, "1")
        of_scores += _log_likelihood(second, nonrelevant, x, "0")
        of_labels = x["n1"] * log_odds - (x["n1"] + x["n0"]) * pt.softplus(log_odds)
        pm.Potential("documents", (of_scores + of_labels).sum())
    return model


def _log_likelihood(name: str, values: tuple[Any, ...], x: Mapping[str, Any], kind: str) -> Any:
    """Return the log density of all scores of one kind by topic, up to a constant."""
    import pytensor.tensor as pt

    n, *statistics = (x[f"{statistic}{kind}"] for statistic in ("n", *SUFFICIENT[name]))
    if name == "gamma":
        mean, mean_log = statistics
        shape, scale = values
        return n * (shape * (mean_log - pt.log(scale)) - mean / scale - pt.gammaln(shape))
    if name == "exponential":
        (mean,), (scale,) = statistics, values
        return -n * (pt.log(scale) + mean / scale)
    if name == "poisson":
        (mean,), (rate,) = statistics, values
        return n * (mean * pt.log(rate) - rate)
    # Normal, or lognormal with the moments of the logarithms.
    (mean, variance), (mu, sigma) = statistics, values
    return -n * (pt.log(sigma) + (variance + (mean - mu) ** 2) / (2 * sigma**2))
