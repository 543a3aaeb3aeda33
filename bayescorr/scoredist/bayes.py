"""Posterior of each topic's average precision from a Bayesian model of the documents' scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes.convergence import Convergence
from bayescorr.bayes.model import merge_priors
from bayescorr.bayes.posterior import Posterior, assemble
from bayescorr.bayes.sampler import Sampling, sample_pymc
from bayescorr.errors import Argument, OptionError, RunsError, listing
from bayescorr.models import score_distribution as mixture
from bayescorr.scoredist.average_precision import aupr
from bayescorr.scoredist.families import Moments, get_family, moments
from bayescorr.scoredist.infer import infer_ap
from bayescorr.scoredist.judged import JudgedRun, Source, judge_run, load_qrels, load_run
from bayescorr.scoredist.model import ScoreDistribution

#: Default ``target_accept``, by whether the topics are alike: topics with few relevant documents
#: need smaller steps than usual, and topics that are alike need even smaller ones.
TARGET_ACCEPT = {False: 0.95, True: 0.99}


class APPosterior(Posterior):
    """Posterior of the average precision of every topic of a run; see :func:`sample_ap`.

    Attributes
    ----------
    topics : DataFrame
        What :func:`infer_ap` returns for the same topics.
    """

    def __init__(self, idata: Any, convergence: Convergence, topics: pd.DataFrame) -> None:
        super().__init__(idata, convergence)
        self.topics = topics

    @property
    def ap(self) -> xr.DataArray:
        """Draws of average precision, dims chain x draw x topic."""
        return self.posterior["ap"].transpose("chain", "draw", "topic")

    def summary(self, level: float = 0.95, *, kind: str = "equal-tailed") -> pd.DataFrame:
        """Return actual average precision, posterior mean (``inferred``), sd and interval by topic.

        Parameters
        ----------
        level : float
            Probability inside the interval.
        kind : {"equal-tailed", "highest-density"}
            The kind of interval.

        Returns
        -------
        DataFrame
            One row per topic: actual, inferred, sd, lower, upper, returned, relevant_returned,
            relevant.
        """
        draws = self.ap.to_numpy().reshape(-1, self.ap.sizes["topic"])
        found = estimates_of(draws, level, kind).rename(columns={"estimate": "inferred"})
        found.index = pd.Index(self.ap["topic"].to_numpy(), name="topic")
        actual = self.topics[["actual", "returned", "relevant_returned", "relevant"]]
        return actual.join(found)[["actual", *found.columns, *actual.columns[1:]]]

    def __repr__(self) -> str:
        return f"APPosterior of {len(self.topics)} topics. {self.convergence}"


def sample_ap(
    run: Source,
    qrels: Source,
    family: str = "gamma",
    *,
    topics: Sequence[str] | None = None,
    priors: Mapping[str, float] | None = None,
    points: int | None = None,
    denominator: str = "returned",
    min_relevance: int = 1,
    random_seed: RandomSeed = None,
    draws: int = 1000,
    tune: int = 500,
    chains: int = 4,
    progressbar: bool | None = None,
    inference: str = "nuts",
    nuts_sampler: str = "nutpie",
    strict: bool = False,
    warn: bool = True,
    **sample_kwargs: Any,
) -> APPosterior:
    r"""Sample the average precision of every topic of a run, given the scores of its documents.

    The model is the constrained model of :func:`infer_ap`. The parameters of all topics come from
    one distribution, so that topics with few relevant documents borrow strength from the others.
    For the gamma family, the scores of topic t are

    .. math:: s_{ti} \mid \text{not relevant} \sim Gamma(k_t, \theta_t), \quad
        s_{ti} \mid \text{relevant} \sim Gamma(k_t e^{d_t}, \theta_t)

    and a document is relevant with probability :math:`\lambda_t`. Over topics, :math:`\log k_t`,
    :math:`\log k_t \theta_t` (the log of the non-relevant mean), :math:`d_t` and the log odds of
    relevance are normal. Each draw of the parameters gives a draw of the area under the
    precision-recall curve (:func:`aupr`).

    Parameters
    ----------
    run, qrels, family, points, denominator, min_relevance, warn
        As in :func:`infer_ap`, which leaves out the same topics.
    topics : sequence of str, optional
        Topics to sample; the default is all. A single topic has fixed priors.
    priors : mapping, optional
        Values that replace those of ``bayescorr.models.score_distribution.PRIORS``, by name.
    random_seed : int or Generator, optional
        The same seed gives the same draws, whatever the order of the topics in the run.
    strict : bool
        Raise an error if a topic must be left out or the sampler did not converge.
    draws, tune, chains, progressbar, inference, nuts_sampler, **sample_kwargs
        As in :func:`bayescorr.fit`.

    Returns
    -------
    APPosterior
        Draws of average precision, and a summary by topic.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> import bayescorr
    >>> run = pd.DataFrame({"topic": "1", "doc": list("abcde"), "score": [6.0, 5.0, 3.0, 2.0, 1.0]})
    >>> qrels = pd.DataFrame({"topic": "1", "doc": ["a", "c"], "relevance": 1})
    >>> bayescorr.sample_ap(run, qrels, random_seed=1).summary()  # doctest: +SKIP
    """
    centres = [name for name in mixture.PRIORS if name.endswith("_centre")]
    full = merge_priors(mixture.PRIORS, priors, "score distribution model", real=centres)
    documents, judgments = load_run(run), load_qrels(qrels)
    if topics is not None:
        known = set(documents["topic"])
        if lacking := [topic for topic in topics if topic not in known]:
            raise OptionError(f"The run has no topic {lacking[0]!r}.", "Choose topics of the run.")
        documents, judgments = (t[t["topic"].isin(list(topics))] for t in (documents, judgments))
    options: dict[str, Any] = {"denominator": denominator, "strict": strict, "warn": warn}
    table = infer_ap(documents, judgments, family, min_relevance=min_relevance, **options)
    judged = judge_run(documents, judgments, get_family(family), min_relevance=min_relevance)
    labels = sorted(table.index)
    hierarchical = len(labels) > 1
    found = _statistics(judged, labels, family)
    means, errors = found["mean0"], found["variance0"] / found["n0"]
    # Whether the means of the non-relevant scores differ little more than by chance.
    alike = hierarchical and bool(means.var() < 4 * errors.mean())
    shift = np.log(means.mean()) if family == "poisson" else 0.0
    known_values = {**found, **full, "location_centre": full["location_centre"] + shift}
    names = mixture.inputs(family, hierarchical)
    values = {name: np.asarray(known_values[name], float) for name in names}
    coords = {"topic": labels}
    seed = int(generator(random_seed).integers(2**63 - 1))
    sampling = Sampling(
        draws, tune, chains, seed, nuts_sampler, progressbar, inference, sample_kwargs
    )
    groups = sample_pymc(
        lambda: mixture.build(family, values, coords, hierarchical, alike),
        values,
        ("score distribution", family, len(labels), alike),
        coords,
        sampling.with_default(target_accept=TARGET_ACCEPT[alike]),
    )
    model = _model(groups["posterior"], family, found["bottom"], found["top"])
    ap = np.asarray(aupr(model, points))
    if denominator == "judged":
        counts = table.loc[labels]
        ap = ap * (counts["relevant_returned"] / counts["relevant"]).to_numpy()
    derived = {"ap": (("chain", "draw", "topic"), ap)}
    attributes = {"family": family, **sampling.record(full)}
    result = APPosterior(*assemble(groups, derived, None, coords, attributes), table)
    result.check(strict)
    return result


def _statistics(judged: JudgedRun, labels: Sequence[str], family: str) -> dict[str, FloatArray]:
    """Return moments of relevant (1) and non-relevant (0) scores and the range of all scores.

    Scores are rescaled to about 1, which does not change average precision.
    """
    at = pd.Index(judged.topics).get_indexer(pd.Index(labels))
    both = moments(judged.scores, judged.relevant, judged.starts)
    relevant, nonrelevant = (Moments(*(value[at] for value in kind)) for kind in both)
    if "mean_log" in mixture.SUFFICIENT.get(family, ()):
        known = np.isfinite(relevant.mean_log) & np.isfinite(nonrelevant.mean_log)
        if not known.all():
            raise RunsError(
                f"The density of {family!r} is 0 or infinite at a score of 0, which topics "
                f"{listing(np.array(labels)[~known])} contain.",
                ("Leave out these topics, or use ", Argument("family", "normal"), "."),
            )
    origin, unit = 0.0, nonrelevant.mean.mean()
    if family == "normal":
        origin, unit = unit, np.sqrt(nonrelevant.variance.mean())
    elif family == "poisson":
        unit = 1.0
    values = {
        "bottom": (judged.bottom[at] - origin) / unit,
        "top": (judged.top[at] - origin) / unit,
    }
    for kind, one in (("1", relevant), ("0", nonrelevant)):
        values[f"n{kind}"] = one.n
        values[f"mean{kind}"] = (one.mean - origin) / unit
        values[f"variance{kind}"] = one.variance / unit**2
        # Families that do not use logarithms get 0.
        values[f"mean_log{kind}"] = np.nan_to_num(one.mean_log - np.log(unit))
        values[f"variance_log{kind}"] = np.nan_to_num(one.variance_log)
    return values


def _model(
    posterior: xr.Dataset, family: str, bottom: FloatArray, top: FloatArray
) -> ScoreDistribution:
    """Return the score model of each draw and topic."""

    def values(name: str) -> FloatArray:
        return posterior[name].transpose("chain", "draw", "topic").to_numpy()

    spread = values("spread") if family in mixture.WITH_SPREAD else None
    relevant, nonrelevant = mixture.parameters(
        family, values("location"), spread, values("separation"), np.exp
    )
    mixing = 1 / (1 + np.exp(-values("log_odds")))
    return ScoreDistribution(get_family(family), mixing, relevant, nonrelevant, bottom, top)
