"""Average precision inferred from runs: per topic of a run, or topics x systems of many."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill
from bayescorr.coefficients.api import tau_b
from bayescorr.errors import OptionError, RunsError, ScoresWarning, choose, listing
from bayescorr.scoredist import _kernels
from bayescorr.scoredist.average_precision import aupr, aupr_exact
from bayescorr.scoredist.families import get_family
from bayescorr.scoredist.judged import JudgedRun, Source, judge_run, load_qrels, place
from bayescorr.scoredist.model import UNDETERMINED, ScoreDistribution
from bayescorr.scoredist.statistics import moments
from bayescorr.scores.check import MISSING, treat_missing
from bayescorr.scores.files import PathLike, expand_paths, name_systems, stem
from bayescorr.scores.trec import read_run

METHODS = ("aupr", "exact", "expected")
DENOMINATORS = ("judged", "returned")
#: Share of the relevant documents below which it matters which of them average precision is over.
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
        A TREC run with all documents that were returned, or a table with the columns topic, doc,
        score and perhaps rank. Scores are neither normalised nor truncated.
    qrels : path or DataFrame
        Relevance judgments, or a table with the columns topic, doc and relevance.
    family : str
        The score model, see :func:`fit_score_distribution`.
    method : {"aupr", "expected", "exact"}
        Area under the precision-recall curve of the model (:func:`aupr`), expected average
        precision of the ranking (:func:`expected_ap`), or the area by slow, exact quadrature.
    points : int, optional
        Number of integration points of ``"aupr"``, see there: by default 64, over recall for topics
        whose scores differ too little for so many.
    constrained, estimator
        How the model is fitted, see :func:`fit_score_distribution`.
    denominator : {"returned", "judged"}
        Average precision over the relevant documents that were returned, as in the paper, or over
        all of them: the inferred value is then multiplied by the share that was returned. Use
        "judged" where runs are cut off, such as at 1,000 documents.
    min_relevance : int
        Lowest relevance that counts as relevant.
    strict : bool
        Raise an error, which names file and line, where a topic has to be left out.
    warn : bool
        Name the topics that were left out in a :class:`~bayescorr.ScoresWarning`, and say so where
        runs that are cut off make inferred and actual values two different things.

    Returns
    -------
    DataFrame
        One row per topic: actual (average precision as trec_eval computes it), inferred, returned,
        relevant_returned and relevant (numbers of documents), mixing (:math:`\lambda`) and the
        parameters of the model. ``attrs["left_out"]`` has the topics that were left out, with the
        reason: fewer than 2 relevant or 2 non-relevant documents returned, or scores that are all
        equal.

    Raises
    ------
    RunsError
        Naming file and line, when the run or the qrels cannot be used.

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
    if not isinstance(min_relevance, int | np.integer):
        raise OptionError(f"min_relevance is {min_relevance!r}.", "Give a whole number.")
    judged = judge_run(run, qrels, get_family(family), min_relevance=min_relevance, strict=strict)
    model, used = fit_topics(judged, family, constrained, estimator)
    left_out = judged.left_out | _reasons(judged, used, family)
    if strict and not used.all():
        topic = next(t for t, fine in zip(judged.topics, used, strict=True) if not fine)
        row = int(np.flatnonzero(judged.documents["topic"] == topic)[0])
        raise RunsError(
            f"{place(judged.documents, row)}: topic {topic!r} cannot be used: {left_out[topic]}.",
            "Leave this topic out of the run and the qrels.",
        )
    if not used.any():
        raise RunsError(
            f"{judged.documents.attrs.get('path', 'The run')}: no topic can be used: "
            f"{left_out[judged.topics[0]]} (topic {judged.topics[0]}).",
            "Give a run with topics that can be used, or choose another family.",
        )
    inferred = _infer(model, judged, used, method, points)
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
    notes = [_say_left_out(left_out)] if left_out else []
    if denominator == "returned":
        notes += _say_cut_off(found.sum(), all_relevant.sum())
    if warn and notes:
        warnings.warn(" ".join(notes), ScoresWarning, stacklevel=2)
    return table


def infer_scores(
    runs: PathLike | Sequence[PathLike],
    qrels: Source,
    family: str = "gamma",
    method: str = "aupr",
    *,
    missing: str = "drop",
    warn: bool = True,
    **options: Any,
) -> pd.DataFrame:
    r"""Infer average precision of many runs: a table of topics by systems for ``fit``.

    Parameters
    ----------
    runs : path or list of paths
        Run files: a folder, a pattern (with * ? [), a path or a list of these; gzipped or not.
        Systems are named as :func:`bayescorr.score_runs` names them.
    qrels : path or DataFrame
        Relevance judgments.
    family, method
        As for :func:`infer_ap`.
    missing : {"drop", "error", "model", "zero"}
        What to do about topics that :func:`infer_ap` leaves out for some of the runs: drop them,
        refuse the runs, leave the scores missing or count them as 0.
    warn : bool
        Say how many scores could not be inferred in a :class:`~bayescorr.ScoresWarning`.
    **options
        Passed to :func:`infer_ap`.

    Returns
    -------
    DataFrame
        Topics by systems; ``attrs["uninferred"]`` is the number of scores that were left out.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, documents in (("x", "abcde"), ("y", "cabde")):
    ...         lines = [f"1 Q0 {d} {r} {9.0 - r} {name}" for r, d in enumerate(documents, 1)]
    ...         _ = Path(folder, f"{name}.run").write_text("\n".join(lines))
    ...     _ = Path(folder, "qrels").write_text("1 0 a 1\n1 0 b 1")
    ...     infer_scores(f"{folder}/*.run", f"{folder}/qrels").round(3)
           x     y
    1  0.963  0.52
    """
    choose(missing, MISSING, "way to treat missing scores")
    judgments = load_qrels(qrels)
    paths = expand_paths(runs, RunsError)[0]
    tables, tags = [], []
    for path in paths:
        run = read_run(path)
        tags.append(run.attrs["tag"])
        tables.append(infer_ap(run, judgments, family, method, warn=False, **options))
    names = name_systems(paths, [stem(path) for path in paths], tags, RunsError)
    if warn and options.get("denominator", "returned") == "returned":
        found = sum(int(table["relevant_returned"].sum()) for table in tables)
        for note in _say_cut_off(found, sum(int(table["relevant"].sum()) for table in tables)):
            warnings.warn(note, ScoresWarning, stacklevel=2)
    return assemble([table["inferred"] for table in tables], names, judgments, missing, warn)


def assemble(
    columns: Sequence[pd.Series],
    names: Sequence[str],
    qrels: pd.DataFrame,
    missing: str,
    warn: bool,
) -> pd.DataFrame:
    """Put columns of runs side by side, topics in the order of the qrels."""
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))
    judged = qrels["topic"].unique()
    frame = frame.loc[[topic for topic in judged if topic in frame.index]].rename_axis(index=None)
    lacking = frame.index[frame.isna().any(axis=1)]
    holes = int(frame.isna().to_numpy().sum())
    notes = []
    if nowhere := [topic for topic in judged if topic not in frame.index]:
        notes.append(f"{len(nowhere)} topics could be inferred for no run: {listing(nowhere)}.")
    if holes and missing != "error":
        notes.append(
            f"{holes} scores on {len(lacking)} topics could not be inferred: {listing(lacking)}."
        )
    if warn and notes:
        warnings.warn(" ".join(notes), ScoresWarning, stacklevel=3)
    if holes:
        frame = treat_missing(frame, missing)
    frame.attrs = {"uninferred": holes}
    return frame


def inference_error(table: pd.DataFrame) -> pd.Series:
    r"""Kendall's tau and root mean square error between actual and inferred average precision.

    .. math:: \tau = \frac{C - D}{\sqrt{(C + D + T_a)(C + D + T_b)}}, \qquad
        rmse = \sqrt{\frac{1}{n} \sum_{t=1}^n (a_t - b_t)^2}

    over n topics with actual values :math:`a_t` and inferred values :math:`b_t`, where C and D
    count concordant and discordant pairs of topics, :math:`T_a` and :math:`T_b` the pairs tied in
    one of the two: :func:`bayescorr.tau_b`, for neither value is the truth of the other.

    Parameters
    ----------
    table : DataFrame
        As :func:`infer_ap` gives it.

    Returns
    -------
    Series
        topics, tau and rmse: the two criteria of Cummins 2012, Figures 1 and 2. Tau is NaN where
        there is one topic, or where all values of a kind are the same.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012,
    section 4.

    Examples
    --------
    >>> inference_error(pd.DataFrame({"actual": [0.1, 0.3, 0.5], "inferred": [0.1, 0.4, 0.3]}))
    topics    3.000000
    tau       0.333333
    rmse      0.129099
    dtype: float64
    """
    if table.empty:
        raise OptionError("There are no topics.", "Give a table with one topic at least.")
    actual, inferred = table["actual"].to_numpy(float), table["inferred"].to_numpy(float)
    ranked = min(len(np.unique(actual)), len(np.unique(inferred))) > 1
    tau = float(tau_b(actual, inferred)) if ranked else np.nan
    rmse = np.sqrt(np.mean((actual - inferred) ** 2))
    return pd.Series({"topics": len(table), "tau": tau, "rmse": rmse})


def fit_topics(
    judged: JudgedRun, family: str, constrained: bool | str, estimator: str
) -> tuple[ScoreDistribution, Any]:
    """Fit every topic at once; returns the model of the usable topics, and which those are."""
    chosen = get_family(family)
    logs = estimator == "likelihood"
    relevant, nonrelevant = moments(judged.scores, judged.relevant, judged.starts, logs=logs)
    first, second = chosen.fit(relevant, nonrelevant, constrained, estimator)
    used = (relevant.n >= 2) & (nonrelevant.n >= 2) & np.isfinite(first[0])
    ends = np.append(judged.starts[1:], len(judged.scores)) - 1
    return (
        ScoreDistribution(
            chosen,
            (relevant.n / judged.returned)[used],
            tuple(value[used] for value in first),
            tuple(value[used] for value in second),
            judged.scores[ends][used],
            judged.scores[judged.starts][used],
        ),
        used,
    )


def _infer(
    model: ScoreDistribution, judged: JudgedRun, used: Any, method: str, points: int | None
) -> FloatArray:
    if method == "aupr":
        return np.asarray(aupr(model, points))
    if method == "exact":
        return np.array([aupr_exact(model.entries(i)) for i in range(len(model.mixing))])
    lengths = judged.returned
    scores = judged.scores if used.all() else judged.scores[np.repeat(used, lengths)]
    slopes, constants = model.evidence()
    return fill(
        _kernels.expected_ap,
        scores,
        np.append(0, np.cumsum(lengths[used])),
        np.array([np.broadcast_to(slope, model.mixing.shape) for slope in slopes]),
        constants,
        out=np.empty(len(model.mixing)),
        work=20 * len(scores),
    )


def _reasons(judged: JudgedRun, used: Any, family: str) -> dict[str, str]:
    reasons = {}
    for i in np.flatnonzero(~used):
        good = int(judged.relevant_returned[i])
        bad = int(judged.returned[i]) - good
        reasons[judged.topics[i]] = (
            f"{good} relevant and {bad} non-relevant documents returned, 2 of each are needed"
            if min(good, bad) < 2
            else UNDETERMINED.format(family)
        )
    return reasons


def _say_left_out(left_out: dict[str, str]) -> str:
    kinds: dict[str, list[str]] = {}
    for topic, reason in left_out.items():
        kinds.setdefault(reason, []).append(topic)
    reasons = "; ".join(f"{listing(topics)} ({reason})" for reason, topics in kinds.items())
    return f"{len(left_out)} topics were left out: {reasons}."


def _say_cut_off(found: int, relevant: int) -> list[str]:
    """Say that many relevant documents were not returned, if so."""
    if found >= RETURNED * relevant:
        return []
    return [
        f"{relevant - found} of {relevant} relevant documents were not returned: inferred average "
        "precision is over those returned, actual average precision over all. Use "
        'denominator="judged" to compare the two.'
    ]
