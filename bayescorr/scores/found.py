"""What a table was found to hold, before anything about it is questioned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from bayescorr.errors import Argument, Text
from bayescorr.scores.frames import numbered


class Question(NamedTuple):
    """A doubt about a table, and the ways to settle it.

    A doubt whether some ``lines`` are scores names their kind, "system" (columns) or "topic"
    (rows), instead of a remedy.
    """

    message: Text
    remedy: Text = ""
    kind: str = ""
    lines: int = 1


def remedies(questions: Sequence[Question]) -> list[Text]:
    """Return the remedies of several questions, each once.

    Examples
    --------
    >>> from bayescorr.errors import render
    >>> found = remedies([Question("A", kind="topic"), Question("B", "C."), Question("D", "C.")])
    >>> [render(remedy) for remedy in found]
    ['Remove it, or use as_is=True if it is a topic.', 'C.']
    """
    found: list[Text] = []
    for kind in dict.fromkeys(question.kind for question in questions):
        same = [question for question in questions if question.kind == kind]
        if not kind:
            found += dict.fromkeys(question.remedy for question in same if question.remedy)
            continue
        several = sum(question.lines for question in same) > 1
        it, ending = ("them", f"they are {kind}s") if several else ("it", f"it is a {kind}")
        found.append((f"Remove {it}, or use ", Argument("as_is", True), f" if {ending}."))
    return found


class Found(NamedTuple):
    """Scores read from a table, and how they were found.

    ``topics`` says where the topic labels come from: "named" (a column or axis with a name for
    topics), "systems" (one with a name for systems), "labels" (one with another name), "unnamed"
    (one without a name) or "numbers" (none).
    ``notes`` say what was left out or converted.
    """

    source: str
    scores: pd.DataFrame
    topics: str
    measure: str | None = None
    notes: tuple[Text, ...] = ()
    questions: tuple[Question, ...] = ()

    def transposed(self) -> Found:
        """Return the same with rows and columns exchanged; unlabelled rows become sys1, sys2 ..."""
        scores = self.scores.T
        if self.topics == "numbers":
            scores.columns = numbered("sys", scores.shape[1])
        return self._replace(scores=scores, topics="named")
