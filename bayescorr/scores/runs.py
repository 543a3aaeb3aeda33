"""Score TREC runs against relevance judgments with any measure of ir-measures."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, overload

import numpy as np
import pandas as pd

from bayescorr._optional import require
from bayescorr.errors import OptionError, RunsError, ScoresWarning, choose, listing
from bayescorr.scores.check import MISSING, treat_missing
from bayescorr.scores.files import (
    MAX_RUN_SIZE,
    PathLike,
    check_max_size,
    expand_paths,
    name_systems,
    stem,
)
from bayescorr.scores.measures import canonical, suggest
from bayescorr.scores.trec import read_qrels, read_run

EXAMPLES = "AP, RR, nDCG@10, P@10 or AP(rel=2)"
HIGHEST_GRADE = 1_000_000


@overload
def score_runs(
    runs: PathLike | Sequence[PathLike],
    qrels: PathLike,
    measure: str = ...,
    missing: str = ...,
    *,
    max_size: float = ...,
) -> pd.DataFrame: ...
@overload
def score_runs(
    runs: PathLike | Sequence[PathLike],
    qrels: Mapping[str, PathLike],
    measure: str = ...,
    missing: str = ...,
    *,
    max_size: float = ...,
) -> dict[str, pd.DataFrame]: ...
def score_runs(
    runs: PathLike | Sequence[PathLike],
    qrels: PathLike | Mapping[str, PathLike],
    measure: str = "AP",
    missing: str = "zero",
    *,
    max_size: float = MAX_RUN_SIZE,
) -> pd.DataFrame | dict[str, pd.DataFrame]:
    r"""Score TREC runs against qrels with ir-measures.

    Parameters
    ----------
    runs : path or list of paths
        Run files, gzipped or not: a folder, a pattern (with * ? [), a path or a list of these. A
        system is named after its file without endings such as .run and .gz, or after the tag in the
        run if file names clash.
    qrels : path or mapping of str to path
        Relevance judgments, or those of several judges by name. Runs are read once for all of them.
    measure : str
        A measure of ir-measures, such as "AP", "RR", "nDCG@10", "P@10" or "AP(rel=2)", or
        trec_eval's name of it, such as "map" or "ndcg_cut_10".
    missing : {"zero", "drop", "error", "model"}
        How to treat topics of the qrels for which a run has no results: score them 0 as
        ``trec_eval -c`` does, drop the topics, raise an error, or keep the scores missing. Scores
        for which the measure is undefined are treated the same way, with a
        :class:`~bayescorr.ScoresWarning`.
    max_size : float
        Size of the largest file to read, in MB, unpacked.

    Returns
    -------
    DataFrame
        Topics of the qrels by systems, or a dict of these by judge. ``attrs["measure"]`` is the
        measure, ``attrs["unscored"]`` the number of scores without results, and
        ``attrs["unjudged"]`` the number of topics in the runs but not in the qrels, which are
        ignored.

    Raises
    ------
    RunsError
        If a run or the qrels are malformed; the message names the file and the line.
    OptionError
        If ir-measures does not support the measure, the library that computes it is not installed,
        or its cutoff is below 1.

    References
    ----------
    S. MacAvaney, C. Macdonald, I. Ounis. Streamlining evaluation with ir-measures. ECIR 2022.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in {
    ...         "qrels.txt": "1 0 d1 1\n2 0 d2 1",
    ...         "good.run": "1 Q0 d1 1 9.5 a\n2 Q0 d2 1 9.1 a",
    ...         "poor.run": "1 Q0 d2 1 9.5 b\n1 Q0 d1 2 9.1 b",
    ...     }.items():
    ...         _ = Path(folder, name).write_text(text)
    ...     scores = score_runs(f"{folder}/*.run", f"{folder}/qrels.txt", "AP")
    >>> scores
       good  poor
    1   1.0   0.5
    2   1.0   0.0
    >>> scores.attrs["unscored"]
    1
    """
    choose(missing, MISSING, "treatment of missing scores")
    library = require("ir_measures", extra="runs")
    check_max_size(max_size)
    parsed = _parse_measure(library, measure)
    given = qrels if isinstance(qrels, Mapping) else {"": qrels}
    judges = {name: _judge(library, parsed, path, max_size) for name, path in given.items()}
    paths = expand_paths(runs, RunsError)[0]
    tags = []
    for path in paths:
        run = read_run(path, max_size=max_size)
        tags.append(run.attrs["tag"])
        retrieved: dict[Any, dict[str, float]] = {
            topic: dict(zip(documents["doc"], documents["score"], strict=True))
            for topic, documents in run.groupby("topic", sort=False)
        }
        for judge in judges.values():
            judge.score(retrieved, path)
    names = name_systems(paths, [stem(path) for path in paths], tags, RunsError)
    tables = {}
    for name, judge in judges.items():
        tables[name] = judge.table(names, parsed, missing)
        if name and judge.barren:
            warnings.warn(
                f"{name} judges no document relevant on {len(judge.barren)} of "
                f"{len(judge.topics)} topics ({listing(judge.barren, 3)}).",
                ScoresWarning,
                stacklevel=2,
            )
    return tables if isinstance(qrels, Mapping) else tables[""]


@dataclass
class _Judge:
    """The judgments of one file, and the scores of the runs by them.

    Topics without a relevant document are ``barren``.
    """

    source: PathLike
    topics: list[str]
    barren: list[str]
    evaluator: Any
    columns: list[np.ndarray[Any, Any]] = field(default_factory=list)
    unjudged: set[str] = field(default_factory=set)
    unscored: int = 0

    def score(self, retrieved: Mapping[str, dict[str, float]], path: PathLike) -> None:
        """Score a run: documents and their scores by topic."""
        rows = {topic: i for i, topic in enumerate(self.topics)}
        self.unjudged |= retrieved.keys() - rows.keys()
        found = {topic: documents for topic, documents in retrieved.items() if topic in rows}
        if not found:
            raise RunsError(
                f"{path}: none of its {len(retrieved)} topics ({listing(retrieved, 3)}) is in the "
                f"qrels {self.source} ({listing(self.topics, 3)}).",
                "Use the qrels that belong to these runs.",
            )
        self.unscored += len(self.topics) - len(found)
        scores = np.full(len(self.topics), np.nan)
        for metric in self.evaluator.iter_calc(found):
            if metric.query_id in found:
                scores[rows[metric.query_id]] = metric.value
        self.columns.append(scores)

    def table(self, names: Sequence[str], measure: Any, missing: str) -> pd.DataFrame:
        """Return the scores of all runs."""
        scores = np.column_stack(self.columns)
        frame = pd.DataFrame(scores, index=pd.Index(self.topics), columns=pd.Index(names))
        absent = int(frame.isna().to_numpy().sum())
        frame = treat_missing(frame, missing) if absent else frame
        if absent > self.unscored:
            treatment = {"zero": "they count as 0", "drop": "their topics are dropped"}
            warnings.warn(
                f"{measure} is undefined for {absent - self.unscored} scores of topics with "
                f"results; {treatment.get(missing, 'they stay missing')}.",
                ScoresWarning,
                stacklevel=3,
            )
        frame.attrs = {
            "measure": str(measure),
            "unscored": self.unscored,
            "unjudged": len(self.unjudged),
        }
        return frame


def _judge(library: ModuleType, measure: Any, path: PathLike, max_size: float) -> _Judge:
    judged = read_qrels(path, max_size=max_size)
    topics = list(dict.fromkeys(judged["topic"]))
    fertile = set(judged["topic"][judged["relevance"] > 0])
    barren = [topic for topic in topics if topic not in fertile]
    return _Judge(path, topics, barren, _evaluator(library, measure, _safe_grades(judged, path)))


def _parse_measure(library: ModuleType, measure: str) -> Any:
    for name in (measure, canonical(measure)):
        try:
            with warnings.catch_warnings():
                # Its parser uses a part of ast that Python 3.12 deprecates.
                warnings.simplefilter("ignore", DeprecationWarning)
                parsed = library.parse_measure(name)
            parsed.validate_params()
            break
        except Exception:  # it raises NameError, ValueError, SyntaxError, AssertionError ...
            continue
    else:
        close = suggest(str(measure))
        hint = f"Did you mean {close}? " if close else ""
        raise OptionError(
            f"Unknown measure {measure!r}.",
            f"{hint}Use a measure of ir-measures, such as {EXAMPLES}.",
        )
    cutoff = parsed.params.get("cutoff", 1)
    if cutoff < 1:  # the evaluator would end the process
        raise OptionError(
            f"The cutoff of a measure must be at least 1; got {measure!r}.", "Use a higher cutoff."
        )
    return parsed


def _safe_grades(judged: pd.DataFrame, source: PathLike) -> pd.DataFrame:
    """Raise grades below -1 to -1 in topics that have no others: trec_eval crashes on them.

    Such a topic has no relevant documents either way, so its scores stay the same.
    """
    grades = judged["relevance"]
    beyond = judged[~grades.between(-HIGHEST_GRADE, HIGHEST_GRADE)]
    if len(beyond):
        topic, document, grade = beyond.iloc[0][["topic", "doc", "relevance"]]
        raise RunsError(
            f"{source}: relevance must be between -{HIGHEST_GRADE} and {HIGHEST_GRADE}; got "
            f"{grade} for document {document!r} of topic {topic!r}.",
            "Correct this grade.",
        )
    # If several subtopics judge a document, its last grade counts.
    counted = judged.drop_duplicates(["topic", "doc"], keep="last")
    highest = judged["topic"].map(counted.groupby("topic")["relevance"].max())
    return judged.assign(relevance=grades.where(highest >= -1, grades.clip(lower=-1)))


def _evaluator(library: ModuleType, measure: Any, qrels: pd.DataFrame) -> Any:
    columns = (qrels[name].tolist() for name in ("topic", "doc", "relevance", "iteration"))
    judgments = [library.Qrel(*row) for row in zip(*columns, strict=True)]
    try:
        return library.evaluator([measure], judgments)
    except (TypeError, ValueError, RuntimeError) as problem:
        reason = " ".join(str(problem).split()).rstrip(".")
        install = (
            "Install one of these libraries, or choose" if "pip install" in reason else "Choose"
        )
        raise OptionError(
            f"Measure {measure} cannot be computed: {reason}.",
            f"{install} another measure, such as {EXAMPLES}.",
        ) from None
