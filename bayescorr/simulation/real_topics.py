"""Split the topics of a real collection at random: no simulator, and no known truth."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from bayescorr._numbers import check_count, largest_remainders
from bayescorr._random import RandomSeed, generator
from bayescorr.errors import OptionError, ScoresError
from bayescorr.scores.check import check_scores, observed_means, sort_labels
from bayescorr.scores.select import drop_identical, drop_worst
from bayescorr.scores.strata import LEAST_ITEMS, refuse_seeds, tasks_of
from bayescorr.simulation.base import Case


class RealTopics:
    """Split the topics of a real collection at random into two sets, A and B.

    Nobody knows the true means of a real collection. But a method that describes them and the noise
    of a set of topics also predicts how the ranking by the topics of A agrees with that by the
    topics of B, which can be observed. Systems are selected by their scores on A only: to select
    them by all topics would tell the method about B. If the topics belong to tasks, each task is
    split in proportion to its size.

    Parameters
    ----------
    scores : DataFrame or array
        Scores of systems (columns) on topics (rows), of any range.
    other_topics : int, optional
        Number of topics of B; by default all that are not in A.
    drop_identical : bool
        Keep one of each set of systems that are identical on A.
    drop_worst : float
        Share of systems to drop, those with the worst means on A, after ``drop_identical``.
    higher_is_better : bool
        False for measures where lower is better.

    Examples
    --------
    >>> import bayescorr
    >>> case = RealTopics(bayescorr.load_dataset("demo"), drop_worst=0.5).case(10, random_seed=1)
    >>> case.scores.shape, len(case.means), case.other_topics
    ((10, 15), 15, 40)
    """

    kind: ClassVar[str] = "real-topics"

    def __init__(
        self,
        scores: Any,
        *,
        other_topics: int | None = None,
        drop_identical: bool = False,
        drop_worst: float = 0.0,
        higher_is_better: bool = True,
    ) -> None:
        # Sort by label: the order of rows must not change what a seed draws.
        refuse_seeds(scores)
        self.scores = sort_labels(check_scores(scores, warn=False))
        if other_topics is not None:
            check_count(other_topics, "other_topics")
        if not 0 <= drop_worst < 1:
            raise OptionError(f"drop_worst must be at least 0 and below 1; got {drop_worst!r}.")
        self.other_topics = other_topics
        self.drop_identical = drop_identical
        self.drop_worst = drop_worst
        self.higher_is_better = higher_is_better

    def check_topics(self, n_topics: int) -> int:
        """Return the number of topics of B; raise an error if too few are left for it."""
        left = len(self.scores) - n_topics
        least = self.other_topics or 1
        if left < least:
            raise ScoresError(
                f"A set of {n_topics} topics leaves {max(left, 0)} of {len(self.scores)} for the "
                f"other set; at least {least} needed.",
                "Use fewer topics.",
            )
        tasks = tasks_of(self.scores)
        sizes = self._sizes(n_topics, self.other_topics or left)
        for task, (first, second) in zip(tasks, sizes, strict=True):
            if len(tasks) > 1 and (first < LEAST_ITEMS or not second):
                raise ScoresError(
                    f"A set of {n_topics} topics has {first} of the {len(task.rows)} of task "
                    f"{task.name!r}, and the other set {second}; at least {LEAST_ITEMS} and 1 "
                    "needed.",
                    "Use more topics, or merge small tasks (pool).",
                )
        return self.other_topics or left

    def _sizes(self, n_topics: int, others: int) -> list[tuple[int, int]]:
        """Return the numbers of topics of A and B from each task."""
        sizes = np.array([len(task.rows) for task in tasks_of(self.scores)])
        first = largest_remainders(n_topics, sizes)
        second = largest_remainders(others, sizes - first)
        return list(zip(first.tolist(), second.tolist(), strict=True))

    def case(self, n_topics: int, random_seed: RandomSeed = None) -> Case:
        """Draw a split of the topics.

        Parameters
        ----------
        n_topics : int
            Number of topics of A.
        random_seed : int, Generator or None
            The same seed gives the same split, independent of the order of rows and columns.

        Returns
        -------
        Case
            The scores on A, the means of the same systems on B, and the number of topics of B.
        """
        others = self.check_topics(check_count(n_topics, "n_topics"))
        order = generator(random_seed).permutation(len(self.scores))
        parts: tuple[list[int], list[int]] = ([], [])
        tasks, sizes = tasks_of(self.scores), self._sizes(n_topics, others)
        for task, (count, more) in zip(tasks, sizes, strict=True):
            rows = order[np.isin(order, task.rows)]
            parts[0].extend(rows[:count])
            parts[1].extend(rows[count:][:more])
        first, second = (self.scores.iloc[part] for part in parts)
        kept = drop_identical(first) if self.drop_identical else first
        if self.drop_worst:
            kept = drop_worst(kept, self.drop_worst, higher_is_better=self.higher_is_better)
        return Case(kept, observed_means(second[kept.columns]), others)
