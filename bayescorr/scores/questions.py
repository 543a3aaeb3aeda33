"""Ask whether a finished table of scores is what it seems to be.

Rows and columns that certainly are not scores are left out with a note. Where two readings are
possible, or the table is probably not what its user thinks, an error asks; ``as_is`` and
``transpose`` are the answers. To ask another question, write a function that yields a
:class:`Question`, and call it in :func:`review`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescorr._numbers import FloatArray
from bayescorr.errors import Argument, Function, ScoresError, Text, listing
from bayescorr.scores.found import Found, Question, remedies
from bayescorr.scores.frames import is_name, numbers_rows
from bayescorr.scores.summaries import is_summary_name, judge_lines, named_summaries

TOPIC_LIKE = re.compile(
    r"(?i)(|q|t|qid|topic|query|question|item|ex|example|task|id|prob|problem|instance|sample|tc)"
    r"[-_ .:#]?\d+([-_.]\d+)*"
)
SYSTEM_LIKE = re.compile(r"(?i)(m|model|method|sys|system|run|llm|ranker|retriever)[-_ .:#]?\d+")
#: Columns with these names may number the rows in any order.
_NUMBERING = frozenset({"rank", "no", "nr", "#"})
AS_IS = Argument("as_is", True)
SCORE_RUNS = Function("score_runs", "score-runs")


def review(found: Found, as_is: bool) -> Found:
    """Leave out summaries, with a note on each; raise an error that asks all questions at once."""
    if as_is:
        return found
    questions = list(found.questions)
    scores, notes = found.scores, list(found.notes)
    values = scores.to_numpy()
    rows = judge_lines(values, list(scores.index), "row", _named(scores.columns))
    columns = judge_lines(values.T, list(scores.columns), "column", _named(scores.index))
    for judged in (rows, columns):
        notes += judged.notes
        questions += judged.questions
    n, m = values.shape
    kept = np.delete(np.arange(n), rows.left_out), np.delete(np.arange(m), columns.left_out)
    scores = scores.iloc[kept]
    # Each line is asked about once.
    asked = np.array(_named(scores.columns), dtype=bool)
    rest = found._replace(scores=scores.loc[:, ~asked])
    for ask in (ask_numbering, ask_long, ask_scale):
        questions += ask(rest)
    # Other headers would not make scores of a run.
    questions += list(ask_sparse(rest)) or ask_orientation(rest)
    if questions:
        raise ScoresError(*_joined(found.source, questions))
    return found._replace(scores=scores, notes=tuple(notes))


def doubts(scores: pd.DataFrame) -> list[str]:
    """Return sentences on what looks wrong with a table in memory, of which nothing is left out."""
    found = Found("", scores, "labels")
    questions = [*ask_scale(found, rows=False), *_headers_like_topics(found)]
    return [*named_summaries(scores), *(str(question.message) for question in questions)]


def _named(labels: Iterable[Hashable]) -> list[bool]:
    return [is_summary_name(label) for label in labels]


def _joined(source: str, questions: Sequence[Question]) -> tuple[Text, Text]:
    """Return the message and the remedy of several questions."""
    asked = [question.message for question in questions]
    first = asked[0] if isinstance(asked[0], tuple) else (asked[0],)
    begin = str(first[0])
    asked[0] = (f"{source}: {begin[:1].lower()}{begin[1:]}", *first[1:])
    return _sentences(asked), _sentences(remedies(questions))


def _sentences(texts: Sequence[Text]) -> Text:
    """Join texts by blanks."""
    pieces: list[str | Argument | Function] = []
    for text in texts:
        pieces += [" "] * bool(pieces) + [*((text,) if isinstance(text, str) else text)]
    return tuple(pieces)


def ask_numbering(found: Found) -> Iterator[Question]:
    """Ask about columns that number the rows, if most columns do not."""
    if numbering := _numbering(found.scores):
        names = [repr(found.scores.columns[j]) for j in numbering]
        yield _about("column", names, "numbers the rows", "number the rows")


def _numbering(scores: pd.DataFrame) -> list[int]:
    """Return the columns that number the rows, if most columns do not."""
    n, m = scores.shape
    values = scores.to_numpy()
    if n < 3:
        return []
    found = [
        j
        for j in _where(np.fmax.reduce(values) - np.fmin.reduce(values) == n - 1)
        if numbers_rows(values[:, j].tolist(), in_order=not is_name(scores.columns[j], _NUMBERING))
    ]
    return found if 2 * len(found) < m else []


def ask_long(found: Found) -> Iterator[Question]:
    """Ask if two columns of whole numbers are the systems and topics of a long table."""
    scores = found.scores
    n, m = scores.shape
    if found.topics != "numbers" or m > 6 or n < 12:
        return
    values = scores.to_numpy()
    whole = [j for j in range(m) if np.all(values[:, j] == np.round(values[:, j]))]
    for a, b in combinations(whole, 2):
        sizes = [len(np.unique(values[:, j])) for j in (a, b)]
        if min(sizes) < 2 or max(sizes) < 4 or sizes[0] * sizes[1] != n:
            continue
        if len(np.unique(values[:, [a, b]], axis=0)) == n:
            names = " and ".join(repr(scores.columns[j]) for j in (a, b))
            yield Question(
                f"Columns {names} look like the systems and topics of a long table.",
                ("Name the columns system, topic and score, or use ", AS_IS, " if all are scores."),
            )
            return


def ask_scale(found: Found, *, rows: bool = True) -> Iterator[Question]:
    """Ask about columns and rows whose values are of another scale than the rest."""
    scores = found.scores.drop(columns=found.scores.columns[_numbering(found.scores)])
    if scores.size == 0:
        return
    lines = _other_scale(scores.to_numpy().T, 0.9) if rows else []
    # The cells of such a row make columns look odd, and the other way round.
    values = np.delete(scores.to_numpy(), lines, axis=0)
    columns = _other_scale(values, 0.5)
    if columns:
        names = [_with_range(scores.columns[j], values[:, j]) for j in columns]
        ending = f"another scale than the rest ({_range(np.delete(values, columns, axis=1))})"
        yield _about("column", names, f"has {ending}", f"have {ending}")
    values = np.delete(scores.to_numpy(), columns, axis=1)
    lines = _other_scale(values.T, 0.9) if rows else []
    if lines:
        names = [_with_range(scores.index[i], values[i]) for i in lines]
        ending = f"another scale than the rest ({_range(np.delete(values, lines, axis=0))})"
        yield _about("row", names, f"has {ending}", f"have {ending}")


def _other_scale(values: FloatArray, share: float) -> list[int]:
    """Return the columns of another scale than most.

    If a ``share`` of at least 0.5 of the columns are within [0, 1], these are columns that are not;
    with a larger share (for rows), only such with a median above 1, in a table with fractions. If
    no column is within [0, 1], it is a column ten times larger than all others.
    """
    m = values.shape[1]
    lowest, highest = np.fmin.reduce(values), np.fmax.reduce(values)
    unit = (lowest >= 0) & (highest <= 1)
    if unit.sum() >= max(2, share * m):
        base = values[:, unit]
        fractions = bool(np.any((base > 0) & (base < 1)))
        outside = _where(highest > 1)
        medians = {j: float(np.nanmedian(values[:, j])) for j in outside}
        if share > 0.5:
            return [j for j in outside if fractions and medians[j] > 1]
        return [j for j in outside if fractions or lowest[j] > 1 or medians[j] > 10]
    if share > 0.5 or m < 3 or unit.any():
        return []
    size = np.abs(values)
    largest = np.nan_to_num(np.fmax.reduce(size))
    top, second = int(np.argmax(largest)), float(np.sort(largest)[-2])
    return [top] if np.nanmedian(size[:, top]) > max(1.0, 10 * second) else []


def _where(condition: NDArray[np.bool_]) -> list[int]:
    return np.flatnonzero(condition).tolist()


def ask_orientation(found: Found) -> Iterator[Question]:
    """Ask if the rows are systems, by the name of the labels, the headers or the size."""
    n, m = found.scores.shape
    numbered = found.topics == "numbers"
    if found.topics == "named" or (not numbered and like_topics(found.scores.index)):
        return
    if found.topics == "systems" and m >= 2:
        reason = f", but the rows ({_some(found.scores.index)}) are labelled as systems"
    elif _rows_like_systems(found.scores):
        reason = f", but the rows ({_some(found.scores.index)}) look like systems"
    elif any(_headers_like_topics(found)):
        reason = f", but the columns ({_some(found.scores.columns)}) look like topics"
    elif m > 100 and m > 4 * n:
        reason = ": the rows may be systems"
    elif found.topics == "unnamed" and _neither_like_topics(found.scores):
        rows, columns = _some(found.scores.index), _some(found.scores.columns)
        reason = f", but neither the rows ({rows}) nor the columns ({columns}) look like topics"
    else:
        return
    yield Question(
        f"{m} systems on {n} topics{reason}.",
        (
            "Use ",
            Argument("transpose", True),
            " if the rows are systems, or ",
            AS_IS,
            " if they are topics.",
        ),
    )


def _headers_like_topics(found: Found) -> Iterator[Question]:
    """Ask if the columns are topics, by their names; numbers alone say little without labels."""
    headers: list[Any] = found.scores.columns.tolist()
    unlabelled = headers == list(range(len(headers)))  # as the columns of an array are
    if len(headers) < 3 or unlabelled or not like_topics(headers):
        return
    numbered = found.topics == "numbers"
    words = any(re.search(r"[a-zA-Z]", str(header)) for header in headers)
    if words if numbered else not like_topics(found.scores.index):
        yield Question(f"The columns ({_some(headers)}) look like topics, not like systems.")


def _rows_like_systems(scores: pd.DataFrame) -> bool:
    """Return whether the rows, unlike the columns, have names such as m1, m2 or model_1."""
    return _like_systems(scores.index) and not _like_systems(scores.columns)


def _like_systems(labels: Iterable[Hashable]) -> bool:
    return all(SYSTEM_LIKE.fullmatch(str(label).strip()) for label in labels)


def _neither_like_topics(scores: pd.DataFrame) -> bool:
    """Return whether few rows have names as systems have, and the columns are not system1 ..."""
    n, m = scores.shape
    if n < 3 or (n > 100 and n > 4 * m):
        return False
    return _like_names(scores.index) and not _like_systems(scores.columns)


def _like_names(labels: Iterable[Hashable]) -> bool:
    """Return whether labels are names, not a numbered series, identifiers or phrases."""
    texts = [str(label).strip() for label in labels]
    words = all(re.search(r"[^\W\d_]", text) for text in texts)
    series = 2 * len({re.sub(r"\d+", "", text) for text in texts}) <= len(texts)
    alike = len(texts[0]) >= 6 and len({len(text) for text in texts}) == 1
    identifiers = alike and all(re.search(r"\d", text) for text in texts)
    phrases = sum(len(text.split()) for text in texts) >= 5 * len(texts)
    return words and not (series or identifiers or phrases)


def ask_sparse(found: Found) -> Iterator[Question]:
    """Ask if nearly all scores are missing, as when a run is taken for scores."""
    n, m = found.scores.shape
    if n < 5 or m < 5:
        return
    present = float(found.scores.notna().to_numpy().mean())
    if present < 0.1:
        yield Question(
            f"Only {present:.1%} of the scores of {m} systems on {n} topics are present, as if "
            "this were a run (topic, document, score).",
            ("Score runs with ", SCORE_RUNS, ", or use ", AS_IS, " if these are scores."),
        )


def like_topics(labels: Iterable[Hashable]) -> bool:
    """Return whether all labels are like q1, topic-2 or 401."""
    return all(TOPIC_LIKE.fullmatch(str(label).strip()) for label in labels)


def _some(labels: Iterable[Hashable]) -> str:
    texts = [repr(label) for label in labels]
    return ", ".join([*texts[:2], *(["..."] if len(texts) > 2 else [])])


def _with_range(label: Hashable, values: FloatArray) -> str:
    return f"{label!r} ({_range(values)})"


def _range(values: FloatArray) -> str:
    return f"{np.nanmin(values):g} to {np.nanmax(values):g}"


def _about(what: str, names: Sequence[str], verb: str, verbs: str) -> Question:
    """Return a question about one or several rows or columns."""
    several = len(names) > 1
    lines = f"{what.capitalize()}{'s' * several} {listing(names, most=5)}"
    kind = {"row": "topic", "column": "system"}[what]
    return Question(f"{lines} {verbs if several else verb}.", kind=kind, lines=len(names))
