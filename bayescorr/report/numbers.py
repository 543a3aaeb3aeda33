"""The numbers of a report. Sentence, tables, figures and page are all made from one object."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from bayescorr._numbers import check_count, check_level
from bayescorr._random import RandomSeed
from bayescorr.bayes.alternatives import LOO, prior_sensitivity
from bayescorr.bayes.alternatives import loo as leave_one_out
from bayescorr.bayes.convergence import Convergence
from bayescorr.bayes.fit import fit as fit_model
from bayescorr.bayes.model import Model, PyMCModel
from bayescorr.bayes.predictive import PredictedAgreement, predict_agreement
from bayescorr.bayes.result import Fit
from bayescorr.claims.decisions import Top
from bayescorr.claims.partial_order import DecidedPairs
from bayescorr.claims.together import JointRanks
from bayescorr.claims.verdict import Verdict
from bayescorr.coefficients import DEFAULT_COEFFICIENTS
from bayescorr.errors import (
    ConvergenceWarning,
    ModelError,
    OptionError,
    ScoresError,
    ScoresWarning,
)
from bayescorr.frequentist.registry import DEFAULT_ESTIMATORS
from bayescorr.planning import predictive as planning
from bayescorr.planning.decided import TopicsToDecide
from bayescorr.planning.decisions import next_decisions
from bayescorr.planning.outlook import outlook
from bayescorr.report.comparison import compare_fit, ranked_like
from bayescorr.report.lists import group_table, pair_table, unordered
from bayescorr.report.notes import notes_of_data, treatment_of
from bayescorr.report.predictive import Predicted, predict
from bayescorr.scores.describe import ScoresDescription, describe_scores

#: Sampling for each changed prior: enough draws to see a change of 0.01, since all of them are made
#: of the same random numbers.
SENSITIVITY_SAMPLING = {"draws": 250, "tune": 100, "chains": 2}

Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Report:
    """All numbers of a report; made by :func:`bayescorr.make_report`.

    Attributes
    ----------
    fit : Fit
        The posterior.
    level, k, target, source, command
        As given to :func:`bayescorr.make_report`.
    estimates : DataFrame
        Posterior and frequentist estimates, as returned by :func:`bayescorr.compare`.
    ranking : DataFrame
        ``Fit.ranking`` with the observed ``rank``, and ``p_top``, P(in the true top k).
    rank_probabilities, discordance : DataFrame
        P(true rank) and P(the truth swaps two systems), in observed order.
    unordered : DataFrame
        Whether both orders of a pair are less probable than ``level``.
    groups : list of list
        Runs of systems that cannot be told apart; those of one system are ordered against both
        neighbours.
    top : Top
        Whether the observed top k is the true one.
    predicted, loo, plan, needed, agreement, sensitivity
        Posterior predictive check, leave-one-topic-out, predicted tau by number of topics, topics
        needed, agreement with other topics and prior sensitivity; None for an absent part.
    description : ScoresDescription
        Description of the scores before missing ones were treated.
    decisions : list of TopicsToDecide
        Topics until the winner is decided, and the first undecided neighbours; empty if absent.
    notes : list of str
        Notes on the data and the estimates.
    absent : dict
        Why a part is None, by name.
    outlook : list of str
        Sentences on other sets of topics.
    """

    fit: Fit
    level: float
    k: int
    estimates: pd.DataFrame = field(repr=False)
    ranking: pd.DataFrame = field(repr=False)
    rank_probabilities: pd.DataFrame = field(repr=False)
    discordance: pd.DataFrame = field(repr=False)
    unordered: pd.DataFrame = field(repr=False)
    groups: list[list[Any]] = field(repr=False)
    top: Top
    predicted: Predicted | None = field(repr=False)
    loo: LOO | None = field(repr=False)
    plan: planning.ExpectedCoefficient | None = field(repr=False)
    needed: planning.TopicsNeeded | None
    agreement: PredictedAgreement | None = field(repr=False)
    sensitivity: pd.DataFrame | None = field(repr=False)
    target: float
    description: ScoresDescription = field(repr=False)
    notes: list[str]
    absent: dict[str, str]
    outlook: list[str] = field(default_factory=list)
    decisions: list[TopicsToDecide] = field(default_factory=list)
    source: str = ""
    command: str = ""

    @cached_property
    def sentence(self) -> str:
        """The sentence of :meth:`Fit.in_words` to quote; empty if the sampler did not converge."""
        return self.fit.in_words(self.level) if self.convergence.passed else ""

    @cached_property
    def verdict(self) -> Verdict | None:
        """What may be claimed; None if the sampler did not converge."""
        return self.fit.verdict(self.level, plans=self.outlook) if self.convergence.passed else None

    @cached_property
    def decided(self) -> DecidedPairs:
        """The pairs of systems that are decided together."""
        return self.fit.decided_pairs(self.level) if self.verdict is None else self.verdict.pairs

    @cached_property
    def joint_ranks(self) -> JointRanks:
        """The intervals of all true ranks that hold together."""
        return self.fit.joint_ranks(self.level)

    @cached_property
    def lead(self) -> str:
        """The lead of the winner, as observed and in the posterior."""
        return self.fit.winner().in_words(self.level)

    @property
    def measure(self) -> str:
        """The measure in words: its name, or "mean score" if the scores did not name it."""
        return self.fit.measure or "mean score"

    @property
    def convergence(self) -> Convergence:
        """Whether the sampler converged."""
        return self.fit.convergence

    @cached_property
    def headline(self) -> pd.DataFrame:
        """The posterior's rows of ``estimates``."""
        return self.estimates[self.estimates["method"] == self.fit.method]

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Pairs that cannot be told apart, the most likely swapped first: a, b, p_swap."""
        return pair_table(self.unordered, self.discordance)

    @cached_property
    def group_table(self) -> pd.DataFrame:
        """Groups of at least two systems: group, first_rank, last_rank, size, systems."""
        return group_table(self.groups, self.fit.systems)

    def write(self, folder: str | Path, *, figures: bool = True) -> list[Path]:
        """Write page, tables, posterior and figures to a folder.

        Parameters
        ----------
        folder : path
            The folder; created if it does not exist.
        figures : bool
            Whether to write the figures to files. The page does not need them.

        Returns
        -------
        list of Path
            The files, the page first.

        Examples
        --------
        >>> import bayescorr, tempfile
        >>> report = bayescorr.make_report(bayescorr.load_dataset("demo"), "flat", random_seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [path.name for path in report.write(folder, figures=False)][:2]
        ['report.html', 'summary.md']
        """
        from bayescorr.report.write import write_report

        return write_report(self, folder, figures=figures)


def make_report(
    scores: Any,
    model: str | Model | Fit | None = None,
    *,
    level: float = 0.95,
    k: int | None = None,
    target: float = 0.9,
    methods: Any = DEFAULT_ESTIMATORS,
    random_seed: RandomSeed = None,
    missing: str = "error",
    higher_is_better: bool = True,
    strata: Any = None,
    weights: Any = None,
    summary: Any = None,
    sensitivity: bool = True,
    loo: bool = True,
    plan: bool = True,
    source: str = "",
    command: str = "",
    progress: Callable[[str], None] | None = None,
    **fit_options: Any,
) -> Report:
    """Run the whole analysis: fit, compare, check and plan.

    Parameters
    ----------
    scores : DataFrame
        Scores, topics x systems.
    model : str, Model or Fit, optional
        By default the default model. A fit of these scores is used as is.
    level : float
        Level of all intervals, and the probability from which a pair of systems counts as ordered.
    k : int, optional
        Number of systems in the top; by default 10, or a third of the systems if that is fewer.
    target : float
        The tau that the plan for more topics should reach.
    methods : sequence of str
        Frequentist estimators to compare with the posterior.
    random_seed : int or Generator, optional
        The same seed gives the same report.
    missing : {"error", "drop", "zero", "model"}
        How to treat missing scores.
    higher_is_better : bool
        False for measures where the lowest mean is the best.
    strata, weights
        Task of each topic, and weights of the tasks, as in :func:`bayescorr.with_strata`.
    summary : str or callable, optional
        How the scores of a system are summarised, as in :func:`bayescorr.fit`.
    sensitivity : bool
        Whether to fit again with each prior halved and doubled, by Laplace approximations.
    loo : bool
        Whether to predict each topic from the others (leave-one-topic-out cross-validation).
    plan : bool
        Whether to predict how many topics are needed.
    source, command : str
        Source of the scores, and the command that makes the report; the page shows both.
    progress : callable, optional
        Called with a short description of each step.
    **fit_options
        Passed to :func:`bayescorr.fit`.

    Returns
    -------
    Report
        ``report.sentence`` can be quoted; ``report.write("folder")`` writes page, tables, figures.

    Examples
    --------
    >>> import bayescorr
    >>> report = bayescorr.make_report(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> print(report.sentence)
    Ranked by AP on 50 topics, the 30 systems correlate with their ranking over all such topics at
    Kendall's tau = 0.8...
    >>> report.absent["sensitivity"]
    "The model 'flat' has no priors."
    """
    tell = progress or (lambda text: None)
    check_level(level)
    planning.check_target(target)
    with warnings.catch_warnings():
        # The notes of the report replace the warnings.
        warnings.simplefilter("ignore", ScoresWarning)
        scores = ranked_like(scores, model, strata, weights, summary)
        description = describe_scores(scores)
        m = description.systems
        k = min(10, max(1, m // 3)) if k is None else check_count(k, "k", most=m)
        if isinstance(model, Fit):
            fit = model
            missing = treatment_of(scores, fit)
        else:
            tell("fitting the model")
            fit = fit_model(
                scores, model, random_seed=random_seed, missing=missing,
                higher_is_better=higher_is_better, warn=False, **fit_options,
            )  # fmt: skip
        # With the seed of the fit, a fit from a file gives the same report as a new one.
        stored = fit.idata.attrs.get("random_seed", 0)
        seed = int(random_seed if isinstance(random_seed, int | np.integer) else stored)
        tell("computing frequentist estimates")
        estimates = compare_fit(fit, methods, level, seed)
    ranks = fit.rank_probabilities()
    ranking = fit.ranking(level)
    ranking.insert(0, "rank", np.arange(1, m + 1))
    ranking["p_top"] = ranks.iloc[:, :k].sum(axis=1).to_numpy()
    absent: dict[str, str] = {}

    def part(
        wanted: bool, name: str, words: str, make: Callable[..., Part], **options: Any
    ) -> Part | None:
        if not wanted:
            absent[name] = "Not requested."
            return None
        tell(words)
        try:
            return make(fit, **options)
        except (ModelError, OptionError, ScoresError) as problem:
            absent[name] = problem.message
            return None

    predicted = part(True, "predicted", "simulating topics", predict, level=level, random_seed=seed)
    left_out = part(loo, "loo", "leaving out each topic", leave_one_out)
    expected = part(plan, "plan", "predicting tau", planning.expected_coefficient, random_seed=seed)
    needed = decisions = None
    if expected is not None:
        needed = planning.topics_needed(fit, target=target, random_seed=seed)
        words, options = "planning decisions", {"level": level, "random_seed": seed}
        decisions = part(True, "decisions", words, next_decisions, **options)
    words = "predicting other rankings"
    agreement = part(plan, "agreement", words, predict_agreement, draws=1000, random_seed=seed)
    ahead: list[str] = []
    if plan:
        tell("predicting the winner")
        winner = decisions[0] if decisions else None
        ahead = outlook(
            fit, level, agreement=agreement, winner=winner, needed=needed, random_seed=seed
        )
    start = {name: value for name, value in fit_options.items() if name == "start"}
    changes = part(sensitivity, "sensitivity", "changing the priors", _sensitivity, **start)
    return Report(
        fit=fit,
        level=level,
        k=k,
        estimates=estimates,
        ranking=ranking,
        rank_probabilities=ranks,
        discordance=fit.discordance(),
        unordered=unordered(fit, level),
        groups=fit.groups(level),
        top=fit.top(k),
        predicted=predicted,
        loo=left_out,
        plan=expected,
        needed=needed,
        agreement=agreement,
        sensitivity=changes,
        target=target,
        description=description,
        notes=[*notes_of_data(scores, description, missing), *estimates.attrs["notes"]],
        absent=absent,
        outlook=ahead,
        decisions=decisions or [],
        source=source,
        command=command,
    )


def _sensitivity(fit: Fit, **options: Any) -> pd.DataFrame:
    """Return how the coefficients change with the priors, from few draws."""
    options |= SENSITIVITY_SAMPLING if isinstance(fit.model, PyMCModel) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return prior_sensitivity(fit, coefficients=DEFAULT_COEFFICIENTS, **options)
