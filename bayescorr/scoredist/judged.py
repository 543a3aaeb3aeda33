"""A run joined with relevance judgments: flat arrays, topic after topic, checked on the way."""

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
from bayescorr.errors import RunsError, listing
from bayescorr.scoredist import _kernels
from bayescorr.scoredist.families import Family
from bayescorr.scoredist.model import needs, unsupported
from bayescorr.scores.files import PathLike, read_text
from bayescorr.scores.trec import read_qrels, read_run

#: A file in TREC format, or a table as ``read_run`` and ``read_qrels`` give it.
Source = PathLike | pd.DataFrame


@dataclass(frozen=True)
class JudgedRun:
    """Scores and relevance of all documents that a run returned for judged topics.

    Attributes
    ----------
    topics : list of str
        Topics of the run that have judgments, in the order of the run.
    starts : array of int
        Position of the first document of each topic.
    scores, relevant : array
        Score and relevance of every document, in the order in which trec_eval ranks them.
    n_relevant : array of int
        Number of relevant documents of each topic, returned or not.
    left_out : dict
        Topics that are not here, and why.
    documents : DataFrame
        The run as it was read.
    """

    topics: list[str]
    starts: NDArray[np.intp]
    scores: FloatArray
    relevant: NDArray[np.bool_]
    n_relevant: NDArray[np.intp]
    left_out: dict[str, str]
    documents: pd.DataFrame

    @property
    def returned(self) -> NDArray[np.intp]:
        """Number of documents returned for each topic."""
        return np.diff(np.append(self.starts, len(self.scores)))

    @property
    def relevant_returned(self) -> NDArray[np.intp]:
        """Number of relevant documents among those returned for each topic."""
        return np.add.reduceat(self.relevant, self.starts, dtype=np.intp)

    def average_precision(self) -> FloatArray:
        """Actual average precision of each topic, as trec_eval computes it."""
        total = fill(
            _kernels.sum_of_precisions,
            self.relevant,
            np.append(self.starts, len(self.scores)),
            out=np.empty(len(self.starts)),
            work=len(self.scores),
        )
        return total / np.maximum(self.n_relevant, 1)


def judge_run(
    run: Source,
    qrels: Source,
    family: Family,
    *,
    min_relevance: int = 1,
    strict: bool = False,
) -> JudgedRun:
    """Join a run with judgments; errors name the file and the line.

    Parameters
    ----------
    run, qrels : path or DataFrame
        The run and the judgments.
    family : Family
        The family to be fitted: a score that it does not support is an error.
    min_relevance : int
        Lowest relevance that counts as relevant.
    strict : bool
        Whether a topic without results in the run or without judgments is an error.
    """
    returned, judged = load_run(run), load_qrels(qrels)
    codes, labels = pd.factorize(returned["topic"])
    if (np.diff(codes) < 0).any():
        order = np.argsort(codes, kind="stable")
        returned, codes = returned.iloc[order], codes[order]
    _check_order(returned, codes)
    wanted = pd.Index(judged["topic"].unique())
    left_out, kept = _compare_topics(labels, wanted, returned, codes, judged, strict)
    if not kept.any():
        raise RunsError(
            f"{_name(returned)}: none of its {len(labels)} topics is in the qrels.",
            f"Give the qrels of this run; topics start {listing(labels, 3)} here and "
            f"{listing(wanted, 3)} there.",
        )
    scores = returned["score"].to_numpy(float)
    _check_scores(returned, scores, family)
    relevant, n_relevant = _relevance(returned, codes, labels, judged, min_relevance)
    scores, relevant = _order_ties(returned, codes, scores, relevant)
    if not kept.all():
        rows = kept[codes]
        codes, scores, relevant = codes[rows], scores[rows], relevant[rows]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return JudgedRun(
        [str(topic) for topic in labels[kept]],
        starts,
        scores,
        relevant,
        n_relevant[kept],
        left_out,
        returned,
    )


def load_run(run: Source) -> pd.DataFrame:
    """Read a run, unless it is a table already."""
    if not isinstance(run, pd.DataFrame):
        return read_run(run)
    return _plain(run, ("topic", "doc", "score"), "run")


def load_qrels(qrels: Source) -> pd.DataFrame:
    """Read judgments, unless they are a table already; the table knows its file."""
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
    """Whether each document is relevant, and how many relevant ones each topic has."""
    good = qrels.loc[qrels["relevance"] >= min_relevance, ["topic", "doc"]].drop_duplicates()
    topic = labels.get_indexer(pd.Index(good["topic"]))
    n_relevant = np.bincount(topic[topic >= 0], minlength=len(labels))
    documents = pa.array(good["doc"].unique())
    # Arrow finds documents by name several times as fast as pandas does; then one whole number per
    # topic and document, for numbers are looked up faster than pairs of text.
    document = _index_in(run["doc"], documents)
    keys = topic * len(documents) + _index_in(good["doc"], documents)
    candidates = np.flatnonzero(document >= 0)
    found = codes[candidates] * len(documents) + document[candidates]
    relevant = np.zeros(len(run), dtype=bool)
    relevant[candidates] = pd.Index(found).isin(keys[topic >= 0])
    return relevant, n_relevant


def _index_in(values: pd.Series, among: pa.Array) -> NDArray[np.int64]:
    """Position of each value among others, -1 where it is not there."""
    found = pc.index_in(pa.array(values), value_set=among)
    return np.asarray(found.cast(pa.int64()).fill_null(-1))


def _order_ties(
    run: pd.DataFrame, codes: NDArray[np.intp], scores: FloatArray, relevant: NDArray[np.bool_]
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Put tied documents in the order of trec_eval: by name, the last one first.

    Like trec_eval, scores that are equal in single precision count as tied.
    """
    single = scores.astype(np.float32)
    same = (single[1:] == single[:-1]) & (codes[1:] == codes[:-1])
    tied = np.append(same, False) | np.append(False, same)
    rows = np.flatnonzero(tied)
    if not relevant[rows].any():
        return scores, relevant
    group = np.cumsum(np.append(True, ~same))[rows]
    names = pd.factorize(run["doc"].iloc[rows], sort=True)[0]
    order = np.arange(len(scores))
    order[rows] = rows[np.lexsort((-names, group))]
    return scores[order], relevant[order]


def _compare_topics(
    labels: pd.Index[Any],
    wanted: pd.Index[Any],
    run: pd.DataFrame,
    codes: NDArray[np.intp],
    judged: pd.DataFrame,
    strict: bool,
) -> tuple[dict[str, str], NDArray[np.bool_]]:
    """Topics that only one of run and qrels has, and which topics of the run are judged."""
    kept = labels.isin(wanted)
    unjudged, empty = labels[~kept], wanted[~wanted.isin(labels)]
    if strict and len(unjudged):
        first = int(np.flatnonzero(~kept[codes])[0])
        raise RunsError(
            f"{place(run, first)}: topic {unjudged[0]!r} has no judgments.",
            "Leave it out of the run, or judge it.",
        )
    if strict and len(empty):
        first = int(np.flatnonzero(judged["topic"] == empty[0])[0])
        raise RunsError(
            f"{place(judged, first, 'qrels')}: topic {empty[0]!r} has no documents in "
            f"{_name(run)}.",
            "Leave it out of the qrels, or add its results to the run.",
        )
    reasons = {str(topic): "no judgments" for topic in unjudged}
    reasons |= {str(topic): "no documents returned" for topic in empty}
    return reasons, np.asarray(kept)


def _plain(frame: pd.DataFrame, columns: tuple[str, str, str], what: str) -> pd.DataFrame:
    """Check a table given in memory: labels are text, as in files, and the last column numbers."""
    if lacking := [column for column in columns if column not in frame.columns]:
        raise RunsError(
            f"The {what} has no column {', '.join(map(repr, lacking))}.",
            f"Give a file, or a table with the columns {', '.join(columns)}.",
        )
    if frame.empty:
        raise RunsError(f"The {what} has no rows.", "Give a table with documents.")
    changed: dict[str, Any] = {}
    for name in columns[:2]:
        if (missing := frame[name].isna().to_numpy()).any():
            row = int(np.flatnonzero(missing)[0])
            raise RunsError(f"{place(frame, row, what)}: no {name}.", "Complete it.")
        if pd.api.types.infer_dtype(frame[name]) != "string":
            changed[name] = frame[name].map(_label).astype(object)
    value = columns[2]
    if (missing := frame[value].isna().to_numpy()).any():
        row = int(np.flatnonzero(missing)[0])
        raise RunsError(f"{place(frame, row, what)}: no {value}.", "Complete it.")
    for name in (value, "rank") if what == "run" else (value,):
        if name in frame.columns and not _is_number(frame[name]):
            changed[name] = pd.to_numeric(frame[name].astype(object), errors="coerce")
            if (bad := changed[name].isna().to_numpy()).any():
                row = int(np.flatnonzero(bad)[0])
                raise RunsError(
                    f"{place(frame, row, what)}: {name} {frame[name].iloc[row]!r} is not a number.",
                    "Correct it.",
                )
    table = frame.assign(**changed) if changed else frame
    _check_twice(table, what)
    return table


def _is_number(column: pd.Series) -> bool:
    kind = column.dtype
    return pd.api.types.is_integer_dtype(kind) or pd.api.types.is_float_dtype(kind)


def _label(value: Any) -> str:
    """Give a label as files have it: topics that a table reads as 301.0 are called 301."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _check_twice(frame: pd.DataFrame, what: str) -> None:
    """Refuse a document that a topic has twice."""
    topic, (doc, docs) = pd.factorize(frame["topic"])[0], pd.factorize(frame["doc"])
    key = pd.DataFrame({"pair": topic * len(docs) + doc})
    if what == "qrels" and "iteration" in frame.columns:  # such as a subtopic, as in files
        key["iteration"] = frame["iteration"].to_numpy()
    if (bad := key.duplicated().to_numpy()).any():
        row = int(np.flatnonzero(bad)[0])
        raise RunsError(
            f"{place(frame, row, what)}: topic {frame['topic'].iloc[row]!r} had document "
            f"{frame['doc'].iloc[row]!r} before.",
            "Keep one row per topic and document.",
        )


def _check_order(run: pd.DataFrame, codes: NDArray[np.intp]) -> None:
    """Ranks rise and scores fall down the lines of a topic."""
    within = codes[1:] == codes[:-1]
    scores = run["score"].to_numpy(float)
    if (bad := within & ~(scores[1:] <= scores[:-1])).any():
        row = int(np.flatnonzero(bad)[0]) + 1
        raise RunsError(
            f"{place(run, row)}: score {scores[row]:g} comes after {scores[row - 1]:g} in topic "
            f"{run['topic'].iloc[row]!r}, higher scores come first.",
            "Sort the documents of each topic by score.",
        )
    if "rank" in run.columns:
        ranks = run["rank"].to_numpy()
        if (bad := within & (ranks[1:] <= ranks[:-1])).any():
            row = int(np.flatnonzero(bad)[0]) + 1
            raise RunsError(
                f"{place(run, row)}: rank {ranks[row]} comes after rank {ranks[row - 1]} in "
                f"topic {run['topic'].iloc[row]!r}, ranks must rise.",
                "Sort the documents of each topic by rank, or number them anew.",
            )


def _check_scores(run: pd.DataFrame, scores: FloatArray, family: Family) -> None:
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise RunsError(f"{place(run, row)}: a score is not a finite number.", "Correct it.")
    if (bad := unsupported(family, scores)).any():
        row = int(np.flatnonzero(bad)[0])
        raise RunsError(
            f"{place(run, row)}: score {scores[row]:g} found, {needs(family)}.",
            'Choose a family that supports it (family="normal"), or score the documents anew.',
        )


def _name(run: pd.DataFrame) -> str:
    return str(run.attrs.get("path", "the run"))


def place(frame: pd.DataFrame, row: int, what: str = "run") -> str:
    """Name the file and line of a row, or the row where it is not that of the file any more."""
    label = frame.index[row]
    if "path" in frame.attrs:
        path = Path(frame.attrs["path"])
        lines = read_text(path, RunsError).splitlines()
        numbers = [number for number, line in enumerate(lines, start=1) if line.strip()]
        if isinstance(label, int | np.integer) and 0 <= label < len(numbers):
            number = numbers[int(label)]
            fields = lines[number - 1].split()
            if [fields[0], fields[2]] == [frame[name].iloc[row] for name in ("topic", "doc")]:
                return f"{path}, line {number}"
    return f"The {what}, row {label.item() if isinstance(label, np.generic) else label!r}"
