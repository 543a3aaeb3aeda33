"""Posterior of each topic's average precision from a Bayesian model of the documents' scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes.convergence import Convergence
from bayescorr.bayes.model import merge_priors
from bayescorr.bayes.posterior import Posterior, estimates_of
from bayescorr.bayes.posterior import assemble as assemble_posterior
from bayescorr.bayes.sampler import Sampling, sample_pymc
from bayescorr.errors import Argument, OptionError, RunsError, listing
from bayescorr.models import score_distribution as mixture
from bayescorr.scoredist.average_precision import aupr
from bayescorr.scoredist.families import get_family
from bayescorr.scoredist.infer import assemble, for_each_run, infer_ap
from bayescorr.scoredist.judged import JudgedRun, Source, judge_run, load_qrels, load_run
from bayescorr.scoredist.model import ScoreDistribution
from bayescorr.scoredist.statistics import Moments, moments
from bayescorr.scores.files import PathLike

#: Default ``target_accept``, by whether the topics are alike: topics with few relevant documents
#: need smaller steps than usual, and topics that are alike need even smaller ones.
TARGET_ACCEPT = {False: 0.95, True: 0.99}


class APPosterior(Posterior):
    """Posterior of the average precision of every topic of a run; see :func:`sample_ap`.

    Attributes
    ----------
    idata : InferenceData or DataTree
        ArviZ's native container with the groups posterior and sample_stats. The posterior has
        ``ap`` and the model's parameters per topic.
    topics : DataFrame
        What :func:`infer_ap` returns for the same topics.
    convergence : Convergence
        Whether the sampler converged, and the numbers behind the verdict.
    """

    def __init__(self, idata: Any, topics: pd.DataFrame, convergence: Convergence) -> None:
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
    draws, tune, chains, progressbar, nuts_sampler, **sample_kwargs
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
    >>> bayescorr.sample_ap(run, qrels, topics=["7"])
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: The run has no topic '7'. Choose topics of the run.
    """
    centres = [name for name in mixture.PRIORS if name.endswith("_centre")]
    full = merge_priors(mixture.PRIORS, priors, "score distribution model", real=centres)
    documents, judgments = load_run(run), load_qrels(qrels)
    if topics is not None:
        documents = _select(documents, topics)
        judgments = judgments[judgments["topic"].isin(list(topics))]
    table = infer_ap(
        documents,
        judgments,
        family,
        denominator=denominator,
        min_relevance=min_relevance,
        strict=strict,
        warn=warn,
    )
    judged = judge_run(documents, judgments, get_family(family), min_relevance=min_relevance)
    data = _Data.of(judged, table, family)
    hierarchical = len(data.labels) > 1
    known = {**data.values, **full, "location_centre": full["location_centre"] + data.centre}
    values = {name: np.asarray(known[name], float) for name in mixture.inputs(family, hierarchical)}
    coords = {"topic": data.labels}
    seed = int(generator(random_seed).integers(2**63 - 1))
    sampling = Sampling(draws, tune, chains, seed, nuts_sampler, progressbar, sample_kwargs)
    groups = sample_pymc(
        lambda: mixture.build(family, values, coords, hierarchical, data.alike),
        values,
        ("score distribution", family, len(data.labels), data.alike),
        coords,
        sampling.with_default(target_accept=TARGET_ACCEPT[data.alike]),
    )
    ap = _average_precision(groups["posterior"], data, family, points)
    if denominator == "judged":
        counts = table.loc[data.labels]
        ap = ap * (counts["relevant_returned"] / counts["relevant"]).to_numpy()
    idata, convergence = assemble_posterior(
        groups,
        {"ap": (("chain", "draw", "topic"), ap)},
        None,
        coords,
        {"family": family, "random_seed": str(seed), "priors": json.dumps(full)},
    )
    result = APPosterior(idata, table, convergence)
    result.check(strict)
    return result


def posterior_scores(
    runs: PathLike | Sequence[PathLike],
    qrels: Source,
    family: str = "gamma",
    *,
    missing: str = "drop",
    warn: bool = True,
    random_seed: RandomSeed = None,
    **options: Any,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return posterior means and standard deviations of average precision, topics by systems.

    :func:`sample_ap` samples each run separately.

    Parameters
    ----------
    runs, qrels, family, missing, warn
        As in :func:`infer_scores`.
    random_seed : int or Generator, optional
        The same seed gives the same tables.
    **options
        Passed to :func:`sample_ap`.

    Returns
    -------
    scores, score_sd : DataFrame
        For ``bayescorr.fit(scores, score_sd=score_sd)``.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> import bayescorr
    >>> scores, sd = bayescorr.posterior_scores("runs/*.gz", "qrels.txt")  # doctest: +SKIP
    >>> bayescorr.fit(scores, score_sd=sd)  # doctest: +SKIP
    """
    judgments, rng = load_qrels(qrels), generator(random_seed)

    def summarise(run: pd.DataFrame) -> pd.DataFrame:
        seed = int(rng.integers(2**31))
        return sample_ap(run, judgments, family, random_seed=seed, warn=False, **options).summary()

    tables = for_each_run(runs, summarise)
    scores = assemble(tables, "inferred", judgments, missing, warn)
    return scores, assemble(tables, "sd", judgments, missing, warn=False)


@dataclass(frozen=True)
class _Data:
    """Sufficient statistics of the topics, sorted by label, with scores rescaled to about 1."""

    labels: list[str]
    values: dict[str, FloatArray]
    #: Typical location on that scale.
    centre: float
    bottom: FloatArray
    top: FloatArray
    #: Whether the means of the non-relevant scores differ little more than by chance.
    alike: bool

    @classmethod
    def of(cls, judged: JudgedRun, table: pd.DataFrame, family: str) -> _Data:
        labels = sorted(table.index)
        at = pd.Index(judged.topics).get_indexer(pd.Index(labels))
        found = moments(judged.scores, judged.relevant, judged.starts)
        relevant, nonrelevant = (Moments(*(value[at] for value in kind)) for kind in found)
        if "mean_log" in mixture.SUFFICIENT.get(family, ()):
            known = np.isfinite(relevant.mean_log) & np.isfinite(nonrelevant.mean_log)
            if not known.all():
                zeros = listing(np.array(labels)[~known])
                raise RunsError(
                    f"The density of {family!r} is 0 or infinite at a score of 0, which topics "
                    f"{zeros} contain.",
                    ("Leave out these topics, or use ", Argument("family", "normal"), "."),
                )
        origin, unit = _scale(nonrelevant, family)
        values: dict[str, FloatArray] = {}
        for kind, one in (("1", relevant), ("0", nonrelevant)):
            values[f"n{kind}"] = one.n
            values[f"mean{kind}"] = (one.mean - origin) / unit
            values[f"variance{kind}"] = one.variance / unit**2
            # Families that do not use logarithms get 0.
            values[f"mean_log{kind}"] = np.nan_to_num(one.mean_log - np.log(unit))
            values[f"variance_log{kind}"] = np.nan_to_num(one.variance_log)
        return cls(
            labels,
            values,
            float(np.log(nonrelevant.mean.mean())) if family == "poisson" else 0.0,
            (judged.bottom[at] - origin) / unit,
            (judged.top[at] - origin) / unit,
            len(labels) > 1
            and bool(nonrelevant.mean.var() < 4 * (nonrelevant.variance / nonrelevant.n).mean()),
        )


def _scale(nonrelevant: Moments, family: str) -> tuple[float, float]:
    """Return the origin and the unit of the rescaled scores."""
    if family == "poisson":
        return 0.0, 1.0
    if family == "normal":
        return float(nonrelevant.mean.mean()), float(np.sqrt(nonrelevant.variance.mean()))
    return 0.0, float(nonrelevant.mean.mean())


def _average_precision(
    posterior: xr.Dataset, data: _Data, family: str, points: int | None
) -> FloatArray:
    """Return the area under the curve of each draw and topic, which no rescaling changes."""

    def values(name: str) -> FloatArray:
        return posterior[name].transpose("chain", "draw", "topic").to_numpy()

    spread = values("spread") if family in mixture.WITH_SPREAD else None
    relevant, nonrelevant = mixture.parameters(
        family, values("location"), spread, values("separation"), np.exp
    )
    mixing = 1 / (1 + np.exp(-values("log_odds")))
    model = ScoreDistribution(
        get_family(family), mixing, relevant, nonrelevant, data.bottom, data.top
    )
    return np.asarray(aupr(model, points))


def _select(documents: pd.DataFrame, topics: Sequence[str]) -> pd.DataFrame:
    known = set(documents["topic"])
    if lacking := [topic for topic in topics if topic not in known]:
        raise OptionError(f"The run has no topic {lacking[0]!r}.", "Choose topics of the run.")
    return documents[documents["topic"].isin(list(topics))]
