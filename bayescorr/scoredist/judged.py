"""A run joined with relevance judgments: checked flat arrays, sorted by topic."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bayescorr._numbers import FloatArray
from bayescorr._threads import fill
from bayescorr.errors import Argument, RunsError, Text, listing
from bayescorr.scoredist import _kernels
from bayescorr.scoredist.families import Family
from bayescorr.scores.files import File, PathLike
from bayescorr.scores.trec import read_qrels, read_run

#: A file in TREC format, or a table as ``read_run`` and ``read_qrels`` return it.
Source = PathLike | pd.DataFrame


@dataclass(frozen=True)
class JudgedRun:
    """Scores and relevance of all documents that a run returned for judged topics."""

    #: Topics of the run that have judgments, in the order of the run.
    topics: list[str]
    #: Position of the first document of each topic.
    starts: NDArray[np.intp]
    #: Score and relevance of every document, ranked as trec_eval does.
    scores: FloatArray
    relevant: NDArray[np.bool_]
    #: Number of relevant documents of each topic, returned or not.
    n_relevant: NDArray[np.intp]
    #: The other topics, with the reason.
    left_out: dict[str, str]
    #: The run as read.
    documents: pd.DataFrame

    @property
    def bottom(self) -> FloatArray:
        """Lowest score of each topic."""
        return np.asarray(self.scores[np.append(self.starts[1:], len(self.scores)) - 1])

    @property
    def top(self) -> FloatArray:
        """Highest score of each topic."""
        return self.scores[self.starts]

    @property
    def returned(self) -> NDArray[np.intp]:
        """Number of documents returned for each topic."""
        return np.diff(np.append(self.starts, len(self.scores)))

    @property
    def relevant_returned(self) -> NDArray[np.intp]:
        """Number of relevant documents among those returned for each topic."""
        return np.add.reduceat(self.relevant, self.starts, dtype=np.intp)

    def average_precision(self) -> FloatArray:
        """Return the actual average precision of each topic, as trec_eval computes it."""
        ends, out = np.append(self.starts, len(self.scores)), np.empty(len(self.starts))
        work = len(self.scores)
        total = fill(_kernels.sum_of_precisions, self.relevant, ends, out=out, work=work)
        return total / np.maximum(self.n_relevant, 1)


def judge_run(
    run: Source, qrels: Source, family: Family, *, min_relevance: int = 1, strict: bool = False
) -> JudgedRun:
    """Join a run with judgments; errors name the file and the line.

    Scores that ``family`` does not support are an error. With ``strict``, so are topics without
    results or without judgments.
    """
    returned, judged = load_run(run), load_qrels(qrels)
    codes, labels = pd.factorize(returned["topic"])
    if (np.diff(codes) < 0).any():
        order = np.argsort(codes, kind="stable")
        returned, codes = returned.iloc[order], codes[order]
    _check_order(returned, codes)
    wanted = pd.Index(judged["topic"].unique())
    kept = np.asarray(labels.isin(wanted))
    unjudged, empty = labels[~kept], wanted[~wanted.isin(labels)]
    name = str(returned.attrs.get("path", "the run"))
    if strict:
        remedy = "Leave it out of the run, or judge it."
        _refuse(returned, ~kept[codes], "topic {topic!r} has no judgments.", remedy)
        problem = "topic {topic!r} has no documents in {run}."
        remedy = "Leave it out of the qrels, or add its results to the run."
        _refuse(judged, judged["topic"].isin(empty), problem, remedy, "qrels", run=name)
    if not kept.any():
        raise RunsError(
            f"{name}: none of its {len(labels)} topics is in the qrels. The run has topics "
            f"{listing(labels, 3)}, the qrels {listing(wanted, 3)}.",
            "Pass the qrels of this run.",
        )
    scores = returned["score"].to_numpy(float)
    problem = "score {score} is not a finite number."
    _refuse(returned, ~np.isfinite(scores), problem, "Correct it.")
    problem = f"the family {family.name!r} needs {family.needs}; found {{score:g}}."
    another = ("Choose another family, such as ", Argument("family", "normal"), ".")
    _refuse(returned, family.unsupported(scores), problem, another)
    relevant, n_relevant = _relevance(returned, codes, labels, judged, min_relevance)
    ranked, relevant = _order_ties(returned, codes, scores, relevant)
    if not kept.all():
        rows = kept[codes]
        codes, ranked, relevant = codes[rows], ranked[rows], relevant[rows]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    left_out = {str(topic): "no judgments" for topic in unjudged}
    left_out |= {str(topic): "no documents returned" for topic in empty}
    topics = [str(topic) for topic in labels[kept]]
    return JudgedRun(topics, starts, ranked, relevant, n_relevant[kept], left_out, returned)


def load_run(run: Source) -> pd.DataFrame:
    """Read a run, or check it if it is a table."""
    if not isinstance(run, pd.DataFrame):
        return read_run(run)
    return _plain(run, ("topic", "doc", "score"), "run")


def load_qrels(qrels: Source) -> pd.DataFrame:
    """Read judgments, or check them if they are a table."""
    if isinstance(qrels, pd.DataFrame):
        return _plain(qrels, ("topic", "doc", "relevance"), "qrels")
    table = read_qrels(qrels)
    table.attrs["path"] = str(qrels)
    return table


def _relevance(
    run: pd.DataFrame,
    codes: NDArray[np.intp],
    labels: pd.Index[Any],
    qrels: pd.DataFrame,
    min_relevance: int,
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return whether each document is relevant, and the number of relevant ones by topic."""
    good = qrels.loc[qrels["relevance"] >= min_relevance, ["topic", "doc"]].drop_duplicates()
    topic = labels.get_indexer(pd.Index(good["topic"]))
    n_relevant = np.bincount(topic[topic >= 0], minlength=len(labels))
    documents = pa.array(good["doc"].unique())
    # Arrow looks up names several times as fast as pandas. One integer per topic and document is
    # faster to look up than a pair of strings.
    document = _index_in(run["doc"], documents)
    keys = topic * len(documents) + _index_in(good["doc"], documents)
    candidates = np.flatnonzero(document >= 0)
    found = codes[candidates] * len(documents) + document[candidates]
    relevant = np.zeros(len(run), dtype=bool)
    relevant[candidates] = pd.Index(found).isin(keys[topic >= 0])
    return relevant, n_relevant


def _index_in(values: pd.Series, among: pa.Array) -> NDArray[np.int64]:
    """Return the position of each value in ``among``, or -1."""
    keys = pa.array(values)
    found = pc.index_in(keys, value_set=among.cast(keys.type))
    return np.asarray(found.cast(pa.int64()).fill_null(-1))


def _order_ties(
    run: pd.DataFrame, codes: NDArray[np.intp], scores: FloatArray, relevant: NDArray[np.bool_]
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Sort tied documents as trec_eval does: by name, descending.

    As in trec_eval, scores that are equal in single precision are tied.
    """
    single = scores.astype(np.float32)
    same = (single[1:] == single[:-1]) & (codes[1:] == codes[:-1])
    rows = np.flatnonzero(np.append(same, False) | np.append(False, same))
    if not relevant[rows].any():
        return scores, relevant
    group = np.cumsum(np.append(True, ~same))[rows]
    names = pd.factorize(run["doc"].iloc[rows], sort=True)[0]
    order = np.arange(len(scores))
    order[rows] = rows[np.lexsort((-names, group))]
    return scores[order], relevant[order]


def _plain(frame: pd.DataFrame, columns: tuple[str, str, str], what: str) -> pd.DataFrame:
    """Check a table, and convert labels to text and the last column to numbers, as in files."""
    if lacking := [column for column in columns if column not in frame.columns]:
        raise RunsError(
            f"The {what} has no column {', '.join(map(repr, lacking))}.",
            f"Pass a file, or a table with the columns {', '.join(columns)}.",
        )
    if frame.empty:
        raise RunsError(f"The {what} has no rows.", "Pass a table with documents.")
    changed: dict[str, Any] = {}
    for name in columns:
        _refuse(frame, frame[name].isna(), f"{name} is missing.", "Complete it.", what)
    for name in columns[:2]:
        if pd.api.types.infer_dtype(frame[name]) != "string":
            changed[name] = frame[name].map(_label).astype(object)
    for name in (columns[2], "rank") if what == "run" else columns[2:]:
        if name in frame.columns and frame[name].dtype.kind not in "iuf":
            changed[name] = pd.to_numeric(frame[name].astype(object), errors="coerce")
            problem = f"{name} {{{name}!r}} is not a number."
            _refuse(frame, changed[name].isna(), problem, "Correct it.", what)
    table = frame.assign(**changed) if changed else frame
    _check_duplicates(table, what)
    return table


def _label(value: Any) -> str:
    """Return a label as files have it: 301 for a topic that a table holds as 301.0."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _check_duplicates(frame: pd.DataFrame, what: str) -> None:
    """Raise an error if a topic has a document twice."""
    topic, (doc, docs) = pd.factorize(frame["topic"])[0], pd.factorize(frame["doc"])
    key = pd.DataFrame({"pair": topic * len(docs) + doc})
    if what == "qrels" and "iteration" in frame.columns:
        # Some qrels keep subtopics in this column and judge a document once for each.
        key["iteration"] = frame["iteration"].to_numpy()
    problem = "topic {topic!r} has document {doc!r} twice."
    _refuse(frame, key.duplicated(), problem, "Keep one row per topic and document.", what)


def _check_order(run: pd.DataFrame, codes: NDArray[np.intp]) -> None:
    """Raise an error unless scores fall and ranks rise within each topic."""
    within = codes[1:] == codes[:-1]
    scores = run["score"].to_numpy(float)
    rises = np.append(False, within & ~(scores[1:] <= scores[:-1]))
    problem = (
        "score {score:g} comes after {last[score]:g} in topic {topic!r}, but scores must not rise."
    )
    _refuse(run, rises, problem, "Sort the documents of each topic by descending score.")
    if "rank" in run.columns:
        ranks = run["rank"].to_numpy()
        falls = np.append(False, within & (ranks[1:] <= ranks[:-1]))
        problem = (
            "rank {rank} comes after rank {last[rank]} in topic {topic!r}, but ranks must rise."
        )
        _refuse(run, falls, problem, "Sort the documents of each topic by rank, or renumber them.")


def _refuse(
    frame: pd.DataFrame, bad: Any, problem: str, remedy: Text, what: str = "run", **more: str
) -> None:
    """Raise an error about the first bad row, if any; ``problem`` has its columns in braces."""
    rows = np.asarray(bad)
    if rows.any():
        row = int(rows.argmax())
        values = {**frame.iloc[row], "last": frame.iloc[row - 1], **more}
        raise RunsError(f"{place(frame, row, what)}: {problem.format_map(values)}", remedy)


def place(frame: pd.DataFrame, row: int, what: str = "run") -> str:
    """Return the file and line of a row, or the row if the table no longer matches the file."""
    label = frame.index[row]
    if "path" in frame.attrs and isinstance(label, int | np.integer):
        lines = File(Path(frame.attrs["path"]), RunsError).lines
        for line in list(lines)[label : label + 1]:
            topic, _, document, *_ = lines[line].split()
            if [topic, document] == frame[["topic", "doc"]].iloc[row].tolist():
                return f"{frame.attrs['path']}, {line}"
    return f"The {what}, row {label.item() if isinstance(label, np.generic) else label!r}"
