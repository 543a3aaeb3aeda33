"""Average precision of every topic of a run, inferred from the scores of its documents."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray, check_count
from bayescorr._threads import fill
from bayescorr.coefficients import tau_b
from bayescorr.errors import Argument, OptionError, RunsError, ScoresWarning, choose, listing
from bayescorr.scoredist import _kernels
from bayescorr.scoredist.average_precision import aupr, aupr_exact
from bayescorr.scoredist.families import get_family, moments
from bayescorr.scoredist.judged import JudgedRun, Source, judge_run, place
from bayescorr.scoredist.model import UNDETERMINED, ScoreDistribution

METHODS = ("aupr", "exact", "expected")
DENOMINATORS = ("judged", "returned")
#: Warn about the denominator if runs return less than this share of the relevant documents.
RETURNED = 0.95


def infer_ap(
    run: Source,
    qrels: Source,
    family: str = "gamma",
    method: str = "aupr",
    *,
    points: int | None = None,
    constrained: bool | str = True,
    estimator: str = "moments",
    denominator: str = "returned",
    min_relevance: int = 1,
    strict: bool = False,
    warn: bool = True,
) -> pd.DataFrame:
    r"""Infer the average precision of every topic of a run from the scores of its documents.

    Parameters
    ----------
    run : path or DataFrame
        A TREC run with all returned documents, or a table with the columns topic, doc, score and
        optionally rank. Scores must be raw: neither normalised nor truncated.
    qrels : path or DataFrame
        Relevance judgments, or a table with the columns topic, doc and relevance.
    family, constrained, estimator
        The score model and its fit, as in :func:`fit_score_distribution`.
    method : {"aupr", "expected", "exact"}
        Area under the precision-recall curve of the model (:func:`aupr`), expected average
        precision of the ranking (:func:`expected_ap`), or the area by slow, exact quadrature
        (:func:`aupr_exact`).
    points : int, optional
        Number of integration points of :func:`aupr`.
    denominator : {"returned", "judged"}
        Whether to average over the returned relevant documents, as in the paper, or over all
        relevant documents: ``"judged"`` multiplies the inferred value by the share of relevant
        documents that was returned. Use it for truncated runs.
    min_relevance : int
        Lowest relevance grade that counts as relevant.
    strict : bool
        Raise an error, which names the file and line, instead of leaving out a topic.
    warn : bool
        Give a :class:`~bayescorr.ScoresWarning` if topics are left out, or if inferred and actual
        values are not comparable because many relevant documents were not returned.

    Returns
    -------
    DataFrame
        One row per topic: actual (average precision as trec_eval computes it), inferred, returned,
        relevant_returned and relevant (numbers of documents), mixing (:math:`\lambda`) and the
        parameters of the model. ``attrs["left_out"]`` maps each omitted topic to the reason: fewer
        than 2 relevant or 2 non-relevant documents were returned, or the scores do not determine
        the parameters.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> run = pd.DataFrame({"topic": "1", "doc": list("abcde"), "score": [6.0, 5.0, 3.0, 2.0, 1.0]})
    >>> qrels = pd.DataFrame({"topic": "1", "doc": ["a", "c"], "relevance": 1})
    >>> infer_ap(run, qrels)[["actual", "inferred", "mixing"]].round(3).iloc[0].tolist()
    [0.833, 0.65, 0.4]
    """
    choose(method, METHODS, "method")
    choose(denominator, DENOMINATORS, "denominator")
    check_count(min_relevance, "min_relevance", least=0)
    judged = judge_run(run, qrels, get_family(family), min_relevance=min_relevance, strict=strict)
    model, used = fit_topics(judged, family, constrained, estimator)
    left_out = judged.left_out | _reasons(judged, used, family)
    if not used.any() or (strict and not used.all()):
        topic = judged.topics[int(np.argmin(used))]
        where = place(judged.documents, int(np.argmax(judged.documents["topic"] == topic)))
        what, remedy = f"topic {topic!r} cannot be used", "Leave it out"
        if not used.any():
            what, remedy = (
                f"no topic can be used; topic {topic!r}",
                "Pass a run with more documents",
            )
        another = (f"{remedy}, or choose another ", Argument("family"), ".")
        raise RunsError(f"{where}: {what}: {left_out[topic]}.", another)
    inferred = infer_topics(model, judged, used, method, points)
    found, all_relevant = judged.relevant_returned[used], judged.n_relevant[used]
    if denominator == "judged":
        inferred = inferred * found / all_relevant
    table = pd.DataFrame(
        {
            "actual": judged.average_precision()[used],
            "inferred": inferred,
            "returned": judged.returned[used],
            "relevant_returned": found,
            "relevant": all_relevant,
            "mixing": model.mixing,
            **model.parameters,
        },
        index=pd.Index(np.array(judged.topics, dtype=object)[used], name="topic"),
    )
    table.attrs = {"left_out": left_out, "family": family, "method": method}
    if warn and left_out:
        warnings.warn(_left_out_in_words(left_out), ScoresWarning, stacklevel=2)
    if warn and denominator == "returned":
        warn_not_returned([table])
    return table


def inference_error(table: pd.DataFrame) -> pd.Series:
    r"""Return Kendall's tau and RMS error between actual and inferred average precision.

    .. math:: rmse = \sqrt{\frac{1}{n} \sum_{t=1}^n (a_t - b_t)^2}

    over n topics with actual values :math:`a_t` and inferred values :math:`b_t`. The coefficient is
    :func:`bayescorr.tau_b`, because neither value is the truth of the other.

    Parameters
    ----------
    table : DataFrame
        A result of :func:`infer_ap`.

    Returns
    -------
    Series
        topics, tau and rmse: the criteria of Cummins 2012, Figures 1 and 2. Tau is NaN if there is
        only one topic, or if all actual or all inferred values are equal.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> inference_error(pd.DataFrame({"actual": [0.1, 0.3, 0.5], "inferred": [0.1, 0.4, 0.3]}))
    topics    3.000000
    tau       0.333333
    rmse      0.129099
    dtype: float64
    """
    if table.empty:
        raise OptionError("The table has no topics.", "Pass a table with at least one topic.")
    actual, inferred = table["actual"].to_numpy(float), table["inferred"].to_numpy(float)
    ranked = min(len(np.unique(actual)), len(np.unique(inferred))) > 1
    tau = float(tau_b(actual, inferred)) if ranked else np.nan
    rmse = np.sqrt(np.mean((actual - inferred) ** 2))
    return pd.Series({"topics": len(table), "tau": tau, "rmse": rmse})


def fit_topics(
    judged: JudgedRun, family: str, constrained: bool | str, estimator: str
) -> tuple[ScoreDistribution, Any]:
    """Fit all topics at once; return the model of the usable topics, and a mask of these."""
    chosen = get_family(family)
    logs = estimator == "likelihood"
    relevant, nonrelevant = moments(judged.scores, judged.relevant, judged.starts, logs=logs)
    first, second = chosen.fit(relevant, nonrelevant, constrained, estimator)
    used = (relevant.n >= 2) & (nonrelevant.n >= 2) & np.isfinite(first[0])
    mixing = relevant.n / judged.returned
    model = ScoreDistribution(chosen, mixing, first, second, judged.bottom, judged.top)
    return model.entries(used), used


def infer_topics(
    model: ScoreDistribution, judged: JudgedRun, used: Any, method: str, points: int | None
) -> FloatArray:
    """Return the inferred average precision of every usable topic."""
    if method == "aupr":
        return np.asarray(aupr(model, points))
    if method == "exact":
        return np.array([aupr_exact(model.entries(i)) for i in range(len(model.mixing))])
    lengths = judged.returned
    scores = judged.scores if used.all() else judged.scores[np.repeat(used, lengths)]
    slopes, constants = model.evidence()
    starts = np.append(0, np.cumsum(lengths[used]))
    spread = np.array([np.broadcast_to(slope, model.mixing.shape) for slope in slopes])
    out, work = np.empty(len(model.mixing)), 20 * len(scores)
    return fill(_kernels.expected_ap, scores, starts, spread, constants, out=out, work=work)


def _reasons(judged: JudgedRun, used: Any, family: str) -> dict[str, str]:
    """Return why each unusable topic cannot be fitted."""
    reasons = {}
    for i in np.flatnonzero(~used):
        good = int(judged.relevant_returned[i])
        bad = int(judged.returned[i]) - good
        reasons[judged.topics[i]] = (
            f"{good} relevant and {bad} non-relevant documents returned; need at least 2 of each"
            if min(good, bad) < 2
            else UNDETERMINED.format(family)
        )
    return reasons


def _left_out_in_words(left_out: dict[str, str]) -> str:
    """Name the topics that were left out, by reason."""
    kinds: dict[str, list[str]] = {}
    for topic, reason in left_out.items():
        kinds.setdefault(reason, []).append(topic)
    reasons = "; ".join(f"{listing(topics)} ({reason})" for reason, topics in kinds.items())
    plural = "topics were" if len(left_out) > 1 else "topic was"
    return f"{len(left_out)} {plural} left out: {reasons}."


def warn_not_returned(tables: Collection[pd.DataFrame]) -> None:
    """Explain the two denominators if many relevant documents were not returned."""
    found = sum(int(table["relevant_returned"].sum()) for table in tables)
    relevant = sum(int(table["relevant"].sum()) for table in tables)
    if found < RETURNED * relevant:
        text = (
            f"{relevant - found} of {relevant} relevant documents were not returned. Inferred "
            "average precision is over the returned ones, actual average precision over all. Use ",
            Argument("denominator", "judged"),
            " to compare the two.",
        )
        warnings.warn(ScoresWarning(text), stacklevel=3)
