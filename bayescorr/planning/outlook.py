"""What more topics would change about the ranking: the sentences that close a verdict."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from bayescorr._random import RandomSeed
from bayescorr.bayes.predictive import PredictedAgreement
from bayescorr.errors import ModelError, OptionError, ScoresError
from bayescorr.planning.decided import TopicsToDecide
from bayescorr.planning.decisions import topics_to_decide
from bayescorr.planning.needed import TopicsNeeded

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

# Posterior draws for predictions.
_DRAWS = 1000


def outlook(
    fit: Fit,
    level: float = 0.95,
    *,
    agreement: PredictedAgreement | None = None,
    winner: TopicsToDecide | None = None,
    needed: TopicsNeeded | None = None,
    random_seed: RandomSeed = None,
) -> list[str]:
    """Say how much other topics would repeat, and what it would take to decide the winner.

    Parameters
    ----------
    fit : Fit
        The posterior.
    level : float
        Probability from which the winner is decided. Nothing is said of a winner that is.
    agreement : PredictedAgreement, optional
        How the ranking would agree with those by other topics, to begin with. By default it is
        predicted, if the model can.
    winner : TopicsToDecide, optional
        The plan for the winner that :func:`bayescorr.topics_to_decide` makes by default.
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
    >>> outlook(bayescorr.fit(scores, "flat", random_seed=1), random_seed=1)
    ["Another team that ranks the 2 systems on 50 other topics should expect a ranking that ..."]
    """
    answers: list[str] = []
    # The model cannot simulate topics, or the summary of scores is a function that no file keeps.
    unsupported = suppress(ModelError, OptionError, ScoresError)
    with unsupported:
        found = agreement or fit.predict_agreement(draws=_DRAWS, random_seed=random_seed)
        answers.append(found.in_words(level))
    # A level of one half or less decides nothing.
    if level > 0.5 and fit.best().iloc[0] < level:
        with unsupported:
            if winner is None:
                winner = topics_to_decide(fit, level=level, extend=True, random_seed=random_seed)
            answers.append(winner.answer)
    if needed is not None:
        answers.append(needed.answer)
    return answers
