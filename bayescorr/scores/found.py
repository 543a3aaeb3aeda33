"""What a table was found to hold, before anything about it is questioned."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from bayescorr.errors import Text
from bayescorr.scores.frames import numbered


class Question(NamedTuple):
    """A doubt about a table, and the ways to settle it."""

    message: Text
    remedy: Text


class Found(NamedTuple):
    """Scores read from a table, and how they were found.

    ``topics`` says where the topic labels come from: "named" (a column or axis with a name for
    topics), "systems" (one with a name for systems), "labels" (another column) or "numbers" (none).
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
