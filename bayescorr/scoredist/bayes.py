"""The posterior of each topic's average precision, from a Bayesian model of the scores."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes import _stack, sampler
from bayescorr.bayes.convergence import Convergence, check_convergence
from bayescorr.errors import (
    ConvergenceError,
    ConvergenceWarning,
    OptionError,
    RunsError,
    choose,
    listing,
)
from bayescorr.models import score_distribution as mixture
from bayescorr.scoredist.average_precision import aupr
from bayescorr.scoredist.families import get_family
from bayescorr.scoredist.infer import DENOMINATORS, assemble, infer_ap
from bayescorr.scoredist.judged import JudgedRun, Source, judge_run, load_qrels, load_run
from bayescorr.scoredist.model import ScoreDistribution
from bayescorr.scoredist.statistics import Moments, moments
from bayescorr.scores.files import PathLike, expand_paths, name_systems, stem
from bayescorr.scores.trec import read_run

#: Topics with few relevant documents make corners that the sampler's usual steps miss, and topics
#: that are alike make narrow ones.
TARGET_ACCEPT = {False: 0.95, True: 0.99}


@dataclass(frozen=True)
class APPosterior:
    """Posterior of the average precision of every topic of a run; see :func:`sample_ap`.

    Attributes
    ----------
    idata : InferenceData or DataTree
        ArviZ's native container with the groups posterior and sample_stats; the posterior has
        ``ap`` and the model's parameters per topic.
    topics : DataFrame
        What :func:`infer_ap` says about the same topics.
    convergence : Convergence
        Whether the sampler converged, and the numbers that say so.
    """

    idata: Any
    topics: pd.DataFrame
    convergence: Convergence

    @property
    def ap(self) -> xr.DataArray:
        """Draws of average precision, dims chain x draw x topic."""
        posterior = _stack.group(self.idata, "posterior")
        if posterior is None:  # pragma: no cover - made with one
            raise RunsError("The posterior is not there.", "Sample it again.")
        return posterior["ap"].transpose("chain", "draw", "topic")

    def summary(self, level: float = 0.95, *, kind: str = "equal-tailed") -> pd.DataFrame:
        """Actual average precision, posterior mean (``inferred``), sd and interval by topic.

        Parameters
        ----------
        level : float
            Probability inside the interval.
        kind : {"equal-tailed", "highest-density"}
            Which interval.

        Returns
        -------
        DataFrame
            One row per topic: actual, inferred, sd, lower, upper, returned, relevant_returned,
            relevant.
        """
        draws = self.ap.to_numpy().reshape(-1, self.ap.sizes["topic"])
        lower, upper = interval(draws, level, kind)
        found = pd.DataFrame(
            {"inferred": draws.mean(axis=0), "sd": draws.std(axis=0, ddof=1)},
            index=pd.Index(self.ap["topic"].to_numpy(), name="topic"),
        ).assign(lower=lower, upper=upper)
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

    The model is that of :func:`infer_ap` with its constraint, with every topic's parameters drawn
    from a distribution that the topics share, so that topics with few relevant documents borrow
    from the others. For the gamma family, the scores of topic t are

    .. math:: s_{ti} \mid \text{not relevant} \sim Gamma(k_t, \theta_t), \quad
        s_{ti} \mid \text{relevant} \sim Gamma(k_t e^{d_t}, \theta_t)

    and a document is relevant with probability :math:`\lambda_t`; the logarithms of :math:`k_t` and
    of the non-relevant mean :math:`k_t \theta_t`, :math:`d_t` and the log odds of relevance are
    normal over topics. Every draw of the parameters gives a draw of the area under the
    precision-recall curve (:func:`aupr`).

    Parameters
    ----------
    run, qrels, family, points, denominator, min_relevance, warn
        As for :func:`infer_ap`; the same topics are left out.
    topics : sequence of str, optional
        Which topics; all by default. The parameters of one topic alone have fixed priors.
    priors : mapping, optional
        Numbers to use in place of ``bayescorr.models.score_distribution.PRIORS``, by name.
    random_seed : int or Generator, optional
        The same seed gives the same draws, whatever the order of the topics in the run.
    strict : bool
        Raise an error where a topic has to be left out, or the sampler did not converge.
    draws, tune, chains, progressbar, nuts_sampler, **sample_kwargs
        As for :func:`bayescorr.fit`.

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
    bayescorr.errors.OptionError: The run has no topic '7'. Name topics as the run names them.
    """
    choose(denominator, DENOMINATORS, "denominator")
    full = _full_priors(priors)
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
    groups = sampler.sample_pymc(
        lambda: mixture.build(family, values, coords, hierarchical, data.alike),
        values,
        ("score distribution", family, len(data.labels), data.alike),
        coords,
        draws=draws,
        tune=tune,
        chains=chains,
        seed=seed,
        nuts_sampler=nuts_sampler,
        progressbar=progressbar,
        **{"target_accept": TARGET_ACCEPT[data.alike], **sample_kwargs},
    )
    posterior = groups["posterior"]
    ap = _average_precision(posterior, data, family, points)
    if denominator == "judged":
        counts = table.loc[data.labels]
        ap = ap * (counts["relevant_returned"] / counts["relevant"]).to_numpy()
    posterior["ap"] = (("chain", "draw", "topic"), ap)
    convergence = check_convergence(posterior, groups["sample_stats"])
    if not convergence.passed:
        if strict:
            raise ConvergenceError(str(convergence), convergence.remedy)
        warnings.warn(f"{convergence} {convergence.remedy}", ConvergenceWarning, stacklevel=2)
    attributes = {"family": family, "random_seed": str(seed), "priors": json.dumps(full)}
    return APPosterior(_stack.container(groups, attributes), table, convergence)


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
    """Posterior means and standard deviations of average precision, topics by systems.

    Every run is sampled on its own by :func:`sample_ap`.

    Parameters
    ----------
    runs, qrels, family, missing, warn
        As for :func:`infer_scores`.
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
    judgments = load_qrels(qrels)
    paths = expand_paths(runs, RunsError)[0]
    rng = generator(random_seed)
    summaries, tags = [], []
    for path in paths:
        run = read_run(path)
        tags.append(run.attrs["tag"])
        seed = int(rng.integers(2**31))
        found = sample_ap(run, judgments, family, random_seed=seed, warn=False, **options)
        summaries.append(found.summary())
    names = name_systems(paths, [stem(path) for path in paths], tags, RunsError)
    means, sds = ([table[column] for table in summaries] for column in ("inferred", "sd"))
    scores = assemble(means, names, judgments, missing, warn)
    return scores, assemble(sds, names, judgments, missing, warn=False)


@dataclass(frozen=True)
class _Data:
    """Sufficient statistics of the topics, sorted by label, on a scale where scores are near 1."""

    labels: list[str]
    values: dict[str, FloatArray]
    #: Where locations are about, given that scale.
    centre: float
    bottom: FloatArray
    top: FloatArray
    #: Whether means of the non-relevant scores differ little more than chance makes them differ.
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
                    f"Topics with a score of 0, whose density under {family!r} is 0 or infinite: "
                    f"{zeros}.",
                    "Leave them out (topics=...), or use a family such as 'normal'.",
                )
        origin, unit = _scale(nonrelevant, family)
        values: dict[str, FloatArray] = {}
        for kind, one in (("1", relevant), ("0", nonrelevant)):
            values[f"n{kind}"] = one.n
            values[f"mean{kind}"] = (one.mean - origin) / unit
            values[f"variance{kind}"] = one.variance / unit**2
            # The others have no use for logarithms.
            values[f"mean_log{kind}"] = np.nan_to_num(one.mean_log - np.log(unit))
            values[f"variance_log{kind}"] = np.nan_to_num(one.variance_log)
        ends = np.append(judged.starts[1:], len(judged.scores)) - 1
        return cls(
            labels,
            values,
            float(np.log(nonrelevant.mean.mean())) if family == "poisson" else 0.0,
            (judged.scores[ends][at] - origin) / unit,
            (judged.scores[judged.starts][at] - origin) / unit,
            len(labels) > 1
            and bool(nonrelevant.mean.var() < 4 * (nonrelevant.variance / nonrelevant.n).mean()),
        )


def _scale(nonrelevant: Moments, family: str) -> tuple[float, float]:
    """Origin and unit of the scores that the model sees."""
    if family == "poisson":
        return 0.0, 1.0
    if family == "normal":
        return float(nonrelevant.mean.mean()), float(np.sqrt(nonrelevant.variance.mean()))
    return 0.0, float(nonrelevant.mean.mean())


def _average_precision(
    posterior: xr.Dataset, data: _Data, family: str, points: int | None
) -> FloatArray:
    """Area under the curve for every draw and topic: it does not depend on the unit of scores."""

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
        raise OptionError(
            f"The run has no topic {lacking[0]!r}.", "Name topics as the run names them."
        )
    return documents[documents["topic"].isin(list(topics))]


def _full_priors(priors: Mapping[str, float] | None) -> dict[str, float]:
    given = dict(priors or {})
    for name in given:
        choose(name, mixture.PRIORS, "prior")
    full = {name: float(value) for name, value in {**mixture.PRIORS, **given}.items()}
    for name, value in full.items():
        if not np.isfinite(value) or (not name.endswith("_centre") and value <= 0):
            raise OptionError(
                f"The prior {name!r} is {value:g}, a "
                f"{'finite' if name.endswith('_centre') else 'positive'} number is needed.",
                f"The default is {mixture.PRIORS[name]:g}.",
            )
    return full
