"""How many topics decide whether a system beats another, which is the best, or the top k."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescorr._numbers import check_count, check_level
from bayescorr._random import RandomSeed
from bayescorr.claims.decisions import check_rope, positions
from bayescorr.errors import Argument, OptionError
from bayescorr.planning.decided import DecisionPlan, Question, TopicsToDecide
from bayescorr.planning.futures import Future, Outcome, futures_of
from bayescorr.planning.needed import error_interval
from bayescorr.planning.search import check_sizes, default_sizes, smallest

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


def expected_decision(
    fit: Fit,
    n_topics: int | Iterable[int] | None = None,
    *,
    pair: tuple[Hashable, Hashable] | None = None,
    top: int | None = None,
    level: float = 0.95,
    rope: float = 0.0,
    extend: bool = False,
    draws: int | None = 1000,
    random_seed: RandomSeed = None,
) -> DecisionPlan:
    r"""Predict whether other topic sets would decide between two systems, the best or the top k.

    A pair is decided if the posterior of an analysis gives one order a probability of at least
    ``level``, as in :meth:`Fit.groups`; the top k is, if k systems are the true top k with at least
    this probability. Every posterior draw of the true means :math:`\mu` and the covariance
    :math:`\Sigma` is taken as the truth in turn: means over n' new topics are drawn from
    :math:`N(\mu, \Sigma / n')`, and the posterior of an analysis of these topics follows in closed
    form, as that of a normal mean with unknown variance,

    .. math:: m_1 = \frac{N_0 m_0 + n' \bar x'}{N_0 + n'}, \qquad
        \mu_i - \mu_j \sim t_{\nu_0 + n'}\left(m_{1i} - m_{1j}, \frac{s^2_{ij}}{N_0 + n'}\right)

    (Gelman et al., section 3.3), where the present posterior is worth :math:`N_0` topics: for the
    default model those observed and ``prior_topics``. For two systems and the default model this is
    exact given the hyperparameters, which new topics would change a little. For the top k, the
    variance and its degrees of freedom are those of the difference between the k-th system and the
    next, and for other models all of this approximates the posterior. The plan shows the present
    probability by both, so that you see how close the approximation is.

    Parameters
    ----------
    fit : Fit
        A fit of a model with a covariance between systems, such as the default model.
    n_topics : int or sequence of int, optional
        Sizes of the topic sets; by default from half to eight times the observed number.
    pair : tuple, optional
        Two systems: which is better?
    top : int, optional
        Which k systems are the best? By default 1: which system is the best?
    level : float
        Probability from which a posterior decides, above 0.5.
    rope : float
        Region of practical equivalence: systems that differ by at most this much count as equal, as
        in :meth:`Fit.compare_systems`. Then they can only be decided if they differ by more.
    extend : bool
        False: analyses of new topics alone. True: of the observed topics and new ones, up to
        ``n_topics`` in total.
    draws : int, optional
        Number of posterior draws, evenly spaced; None for all of them.
    random_seed : int or Generator, optional
        The same seed gives the same draws.

    Returns
    -------
    DecisionPlan
        With methods ``table()`` and ``plot(probability)``.

    References
    ----------
    A. Gelman et al. Bayesian Data Analysis, 3rd ed. CRC Press, 2013.
    J. K. Kruschke. Rejecting or accepting parameter values in Bayesian estimation. Advances in
    Methods and Practices in Psychological Science 1(2), 2018.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> bayescorr.expected_decision(fit, [50, 100], pair=("bm25", "dph"))  # doctest: +SKIP
    """
    future, question = _ask(fit, pair, top, level, rope, extend, draws, random_seed)
    n = len(fit.scores)
    sizes = check_sizes(
        default_sizes(n, extend) if n_topics is None else n_topics, observed=n if extend else 0
    )
    outcomes = [future.outcome(size) for size in sizes]
    decided, as_observed, equal = (np.array(flags) for flags in zip(*outcomes, strict=True))
    return DecisionPlan(fit.method, question, n, extend, sizes, decided, as_observed, equal)


def topics_to_decide(
    fit: Fit,
    *,
    pair: tuple[Hashable, Hashable] | None = None,
    top: int | None = None,
    probability: float = 0.8,
    level: float = 0.95,
    rope: float = 0.0,
    extend: bool = False,
    max_topics: int = 10_000,
    draws: int | None = 1000,
    random_seed: RandomSeed = None,
) -> TopicsToDecide:
    r"""Find the number of topics that decides between two systems, the best system or the top k.

    This is the smallest n' whose analysis decides with at least the given probability under the
    predictive distribution of :func:`expected_decision`, found by bisection. All n' share the same
    random numbers. With a ``rope``, a difference that does not matter is never decided: if the
    posterior probability that it matters is below ``probability``, no number of topics is enough.

    Parameters
    ----------
    fit, pair, top, level, rope, extend, draws, random_seed
        As in :func:`expected_decision`, which also lists the references.
    probability : float
        Probability with which the question should be decided.
    max_topics : int
        Largest number of topics to consider.

    Returns
    -------
    TopicsToDecide
        Prints as a sentence; ``.topics`` is the number, ``.never`` says whether there is none.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> print(bayescorr.topics_to_decide(fit, random_seed=1))  # doctest: +SKIP
    """
    check_level(probability, "probability", example=0.8)
    n = len(fit.scores)
    least = n if extend else 1
    most = check_count(max_topics, "max_topics", least)
    future, question = _ask(fit, pair, top, level, rope, extend, draws, random_seed)
    outcome = cache(future.outcome)

    def settles(size: int) -> bool:
        found: Outcome = outcome(size)
        return bool((found.decided | found.equal).mean() >= probability)

    topics = lower = upper = settled = None
    if question.p_apart >= probability:

        def decided(size: int) -> np.ndarray:
            return outcome(size).decided.astype(float)

        topics = smallest(lambda size: decided(size).mean() >= probability, least, most)
        lower, upper = error_interval(decided, 1, probability, least, most)
    if pair is not None and rope > 0:
        settled = smallest(settles, least, most)
    return TopicsToDecide(
        method=fit.method,
        question=question,
        probability=probability,
        observed_topics=n,
        extend=extend,
        max_topics=most,
        topics=topics,
        lower=lower,
        upper=upper,
        topics_to_settle=settled,
    )


def next_decisions(
    fit: Fit, level: float = 0.95, *, draws: int | None = 1000, random_seed: RandomSeed = None
) -> list[TopicsToDecide]:
    """Plan, by extending the observed topics, for the decisions that come next.

    These are the winner and, from the top of the ranking, the first neighbours that are not
    decided. What the observed topics decide is included for the winner only.

    Parameters
    ----------
    fit, level, draws, random_seed
        As in :func:`expected_decision`.
    """
    options: dict[str, Any] = {"level": level, "draws": draws, "random_seed": random_seed}
    questions: list[dict[str, Any]] = [{"top": 1}]
    pairs = zip(fit.systems, fit.systems[1:], strict=False)
    for a, b in pairs if len(fit.systems) > 2 else ():
        between = fit.compare_systems(a, b)
        # Identical systems are never decided.
        if between.p_order < level and between.draws.any():
            questions.append({"pair": (a, b)})
            break
    return [topics_to_decide(fit, **question, extend=True, **options) for question in questions]


def _ask(
    fit: Fit,
    pair: tuple[Hashable, Hashable] | None,
    top: int | None,
    level: float,
    rope: float,
    extend: bool,
    draws: int | None,
    random_seed: RandomSeed,
) -> tuple[Future, Question]:
    """Check the question and draw its futures."""
    if not 0.5 < check_level(level) < 1:
        raise OptionError(
            (Argument("level"), f" must be above 0.5 to decide anything; got {level!r}."),
            ("Use ", Argument("level", 0.95), "."),
        )
    check_rope(rope)
    check_question(fit.systems, pair, top)
    k, chosen = top or 1, list(range(len(fit.systems)))
    if pair is not None:
        chosen = _different(fit, positions(fit.systems, pair))
    future = futures_of(
        fit, chosen, k,
        level=level, rope=rope, extend=extend, draws=draws, random_seed=random_seed,
    )  # fmt: skip
    systems = [fit.systems[i] for i in chosen]
    question = Question(
        pair=None if pair is None else (systems[0], systems[1]),
        k=k,
        leaders=[systems[i] for i in future.leaders],
        level=level,
        rope=rope,
        posterior_probability=future.posterior_probability,
        approximate_probability=future.approximate_probability,
        p_apart=future.p_apart,
    )
    return future, question


def check_question(
    systems: list[Hashable], pair: tuple[Hashable, Hashable] | None, top: int | None
) -> None:
    """Raise an error unless the question can be asked of these systems."""
    if top is not None:
        check_count(top, "top", most=len(systems) - 1)
    if pair is None:
        return
    if top is not None:
        raise OptionError(
            ("Cannot decide ", Argument("pair"), " and ", Argument("top"), " at once."),
            "Choose one of them.",
        )
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise OptionError((Argument("pair"), f" must be two different systems; got {pair!r}."))
    positions(systems, pair)


def _different(fit: Fit, pair: list[int]) -> list[int]:
    """Return the positions of the pair in observed order; raise if its scores are the same."""
    first, second = sorted(pair)
    if (fit.ordered_means[:, first] == fit.ordered_means[:, second]).all():
        raise OptionError(
            f"{fit.systems[first]} and {fit.systems[second]} have the same scores on all topics, "
            "so no number of topics would tell them apart.",
            "Choose two systems that differ.",
        )
    return [first, second]
