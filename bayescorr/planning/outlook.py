"""What more topics would change about the ranking: the sentences that close a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayescorr._random import RandomSeed
from bayescorr.errors import ModelError, OptionError
from bayescorr.planning.decisions import topics_to_decide
from bayescorr.planning.needed import TopicsNeeded

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


def outlook(
    fit: Fit,
    level: float = 0.95,
    *,
    needed: TopicsNeeded | None = None,
    random_seed: RandomSeed = None,
) -> list[str]:
    """Say what it would take to decide the winner, and to come close to the true ranking.

    Parameters
    ----------
    fit : Fit
        The posterior.
    level : float
        Probability from which the winner is decided. Nothing is said of a winner that is.
    needed : TopicsNeeded, optional
        The answer of :func:`bayescorr.topics_needed`, to end with.
    random_seed : int or Generator, optional
        The same seed gives the same sentences.

    Returns
    -------
    list of str
        Sentences for the ``plans`` of :meth:`Fit.verdict`.

    Examples
    --------
    >>> import bayescorr
    >>> scores = bayescorr.load_dataset("demo")[["bm25", "bool-and"]]
    >>> outlook(bayescorr.fit(scores, "flat", random_seed=1))
    []
    """
    answers = []
    # A level of one half or less decides nothing.
    if level > 0.5 and fit.best().iloc[0] < level:
        try:
            plan = topics_to_decide(fit, level=level, extend=True, random_seed=random_seed)
        except (ModelError, OptionError):
            # The model cannot simulate topics.
            pass
        else:
            answers.append(plan.text[0])
    if needed is not None:
        answers.append(needed.text[0])
    return [str(answer) for answer in answers]
