"""The numbers of a report: sentence, tables, figures and page are all made from one object."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from bayescorr._numbers import check_level
from bayescorr._random import RandomSeed
from bayescorr.bayes.convergence import Convergence
from bayescorr.bayes.data import with_plain_labels
from bayescorr.bayes.fit import fit as fit_model
from bayescorr.bayes.fit import prior_sensitivity
from bayescorr.bayes.loo import LOO, loo
from bayescorr.bayes.model import Model, PyMCModel
from bayescorr.bayes.result import Fit
from bayescorr.bayes.systems import Top
from bayescorr.coefficients import DEFAULT_COEFFICIENTS
from bayescorr.coefficients.ranks import swap_shares
from bayescorr.errors import ConvergenceWarning, ModelError, OptionError, ScoresError, ScoresWarning
from bayescorr.frequentist.registry import DEFAULT_ESTIMATORS
from bayescorr.planning.predictive import (
    ExpectedCoefficient,
    TopicsNeeded,
    check_target,
    expected_coefficient,
    topics_needed,
)
from bayescorr.report.comparison import compare, points_in_words
from bayescorr.report.notes import notes_of_data
from bayescorr.report.predictive import Predicted, predict
from bayescorr.scores.check import check_scores
from bayescorr.scores.describe import ScoresDescription, describe_scores

#: How long the model is sampled again for each changed prior: enough to see a change of 0.01.
SENSITIVITY_SAMPLING = {"draws": 150, "tune": 100, "chains": 2}

Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Report:
    """Everything a report says; made by :func:`bayescorr.make_report`.

    Attributes
    ----------
    fit : Fit
        The posterior.
    level : float
        Level of all intervals, and from which a pair of systems counts as ordered.
    k : int
        How many systems the top is.
    estimates : DataFrame
        Posterior and frequentist estimates, as :func:`bayescorr.compare` gives them.
    ranking : DataFrame
        Systems in observed order: ``Fit.ranking`` with ``rank`` and ``p_top``, P(in the true top
        k).
    rank_probabilities, discordance : DataFrame
        P(true rank) and P(the truth swaps two systems), in observed order.
    unordered : DataFrame
        Which pairs are ordered, either way, with a probability below ``level``.
    groups : list of list
        Runs of systems that cannot be told apart.
    top : Top
        Whether the observed top k is the true one.
    predicted, loo, plan, needed, sensitivity
        Posterior predictive check, leave-one-topic-out, topics needed and prior sensitivity; None
        where ``absent`` says why.
    target : float
        The tau that ``needed`` is to reach.
    description : ScoresDescription
        What is in the scores, before missing ones were dealt with.
    notes : list of str
        What a reader should know of the data and the estimates.
    absent : dict
        Reasons, by name of the part.
    source, command : str
        Where the scores come from, and the command that made the report.

    Examples
    --------
    >>> import bayescorr
    >>> report = bayescorr.make_report(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> report.headline["coefficient"].tolist()
    ['tau', 'tau_ap', 'tau_gap']
    >>> print(report.top)
    The observed top 10 is the true one with probability ...
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
    plan: ExpectedCoefficient | None = field(repr=False)
    needed: TopicsNeeded | None
    sensitivity: pd.DataFrame | None = field(repr=False)
    target: float
    description: ScoresDescription = field(repr=False)
    notes: list[str]
    absent: dict[str, str]
    source: str = ""
    command: str = ""

    @property
    def sentence(self) -> str:
        """One sentence to quote: how close the observed ranking is to the true one."""
        return self.fit.in_words(self.level)

    @property
    def points(self) -> str:
        """Say which point of the posterior stands for each coefficient of the headline."""
        return points_in_words(self.fit.method, list(self.headline["coefficient"]))

    @property
    def convergence(self) -> Convergence:
        """Whether the numbers may be used."""
        return self.fit.convergence

    @property
    def headline(self) -> pd.DataFrame:
        """The posterior's rows of ``estimates``."""
        return self.estimates[self.estimates["method"] == self.fit.method]

    @property
    def pairs(self) -> pd.DataFrame:
        """The pairs that cannot be told apart, those most likely swapped first: a, b, p_swap."""
        first, second = np.nonzero(np.triu(self.unordered.to_numpy(), 1))
        labels = self.unordered.index.to_numpy()
        pairs = pd.DataFrame(
            {
                "a": labels[first],
                "b": labels[second],
                "p_swap": self.discordance.to_numpy()[first, second],
            }
        )
        return pairs.sort_values("p_swap", ascending=False, kind="stable", ignore_index=True)

    def write(self, folder: str | Path, *, figures: bool = True) -> list[Path]:
        """Write page, tables, posterior and, if wanted, figures to a folder.

        Parameters
        ----------
        folder : path
            The folder, which is made if it is not there.
        figures : bool
            Whether to write the figures as files; the page does not need them.

        Returns
        -------
        list of Path
            The files, the page first.
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
    sensitivity: bool = True,
    source: str = "",
    command: str = "",
    progress: Callable[[str], None] | None = None,
    **fit_options: Any,
) -> Report:
    """Do the whole job: fit, compare, check, plan, and keep every number in one object.

    Parameters
    ----------
    scores : DataFrame
        Scores, topics x systems.
    model : str, Model or Fit, optional
        The default model when left out; a fit of these scores is used as it is.
    level : float
        Level of all intervals, and from which a pair of systems counts as ordered.
    k : int, optional
        How many systems the top is; 10, or a third of the systems if that is less.
    target : float
        The tau that the plan for more topics should reach.
    methods : sequence of str
        Frequentist estimators to put beside the posterior.
    random_seed : int or Generator, optional
        The same seed gives the same report.
    missing : {"error", "drop", "zero", "model"}
        What to do about missing scores.
    higher_is_better : bool
        False for measures where the lowest mean is the best.
    sensitivity : bool
        Whether to sample again with each prior halved and doubled, which takes as long as fitting.
    source, command : str
        Where the scores come from and what made the report, to be shown in it.
    progress : callable, optional
        Told in a few words what is done next.
    **fit_options
        Passed to :func:`bayescorr.fit`.

    Returns
    -------
    Report
        ``report.sentence`` can be quoted; ``report.write("folder")`` writes the page, tables and
        figures.

    Examples
    --------
    >>> import bayescorr
    >>> report = bayescorr.make_report(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> print(report.sentence)
    The observed ranking of 30 systems over 50 topics has tau = 0.8... with the true ranking.
    >>> report.absent["sensitivity"]
    "The model 'flat' has no priors."
    """
    tell = progress or (lambda text: None)
    check_level(level)
    check_target(target)
    with warnings.catch_warnings():
        # What is worth knowing of the scores is in the notes.
        warnings.simplefilter("ignore", ScoresWarning)
        description = describe_scores(scores)
        m = description.systems
        if k is not None and not 1 <= k <= m:
            raise OptionError(f"k is {k}, there are {m} systems.", f"Give a number from 1 to {m}.")
        if isinstance(model, Fit):
            fit = model
            checked = check_scores(scores, missing="model")
            _check_same(checked, fit)
            missing = "model" if fit.scores.isna().to_numpy().any() else "error"
        else:
            tell("fitting the model")
            fit = fit_model(
                scores, model, random_seed=random_seed, missing=missing,
                higher_is_better=higher_is_better, warn=False, **fit_options,
            )  # fmt: skip
        seed = _seed(fit, random_seed)
        tell("frequentist estimates")
        estimates = _estimates(fit, methods, level, seed, missing)
    k = min(10, max(1, m // 3)) if k is None else k
    top = fit.top(k)
    ranks = fit.rank_probabilities()
    ranking = fit.ranking(level)
    ranking.insert(0, "rank", np.arange(1, m + 1))
    ranking["p_top"] = ranks.iloc[:, :k].sum(axis=1).to_numpy()
    absent: dict[str, str] = {}

    def part(name: str, words: str, make: Callable[[], Part]) -> Part | None:
        tell(words)
        try:
            return make()
        except (ModelError, OptionError) as problem:
            absent[name] = problem.message
            return None

    predicted = part("predicted", "predictive check", lambda: predict(fit, level, random_seed=seed))
    left_out = part("loo", "leaving out each topic", lambda: loo(fit))
    plan, needed = part("plan", "how many topics", lambda: _plan(fit, target, seed)) or (None, None)
    changes = None
    if sensitivity:
        changes = part("sensitivity", "other priors", lambda: _sensitivity(fit))
    else:
        absent["sensitivity"] = "Not asked for."
    return Report(
        fit=fit,
        level=level,
        k=k,
        estimates=estimates,
        ranking=ranking,
        rank_probabilities=ranks,
        discordance=fit.discordance(),
        unordered=_unordered(fit, level),
        groups=fit.groups(level),
        top=top,
        predicted=predicted,
        loo=left_out,
        plan=plan,
        needed=needed,
        sensitivity=changes,
        target=target,
        description=description,
        notes=[*notes_of_data(scores, description, missing), *estimates.attrs["notes"]],
        absent=absent,
        source=source,
        command=command,
    )


def _check_same(scores: pd.DataFrame, fit: Fit) -> None:
    """Refuse scores that the fit was not made of."""
    plain, known = with_plain_labels(scores), with_plain_labels(fit.scores)
    for name, found, expected in (
        ("systems", plain.columns, known.columns),
        ("topics", plain.index, known.index),
    ):
        # A fit that left out topics with missing scores knows the others.
        whole = plain.index[plain.notna().all(axis=1)] if name == "topics" else found
        if set(expected) not in (set(found), set(whole)):
            raise OptionError(
                f"The fit is of other {name} than the scores.", "Give the scores it was made of."
            )
    here = plain.loc[known.index, known.columns].to_numpy()
    values = known.to_numpy()
    if not ((here == values) | np.isnan(here)).all():
        raise OptionError(
            "The fit is of other scores than those given.", "Give the scores it was made of."
        )


def _seed(fit: Fit, random_seed: RandomSeed) -> int:
    """Return the seed of the fit, so that a fit from a file gives the same report as when made."""
    if isinstance(random_seed, int | np.integer):
        return int(random_seed)
    return int(fit.idata.attrs.get("random_seed", 0))


def _estimates(fit: Fit, methods: Any, level: float, seed: int, missing: str) -> pd.DataFrame:
    """Posterior and frequentist estimates; without the latter where too few topics are whole."""
    # The fit holds the scores as they were used: only "model" leaves any of them missing.
    treatment = "model" if missing == "model" else "error"
    try:
        return compare(fit.scores, fit, methods, level=level, random_seed=seed, missing=treatment)
    except ScoresError as problem:
        table = fit.estimates(level)
        table.attrs["notes"] = [f"No frequentist estimates: {problem.message}"]
        return table


def _unordered(fit: Fit, level: float) -> pd.DataFrame:
    """Which pairs are ordered, one way or the other, with a probability below the level."""
    means = fit.ordered_means
    # Against an order without ties, a swap is what happened to the truth and nothing else.
    order = np.arange(means.shape[1], dtype=float)[::-1]
    below, above = swap_shares(means, order), swap_shares(-means, order)
    labels = pd.Index(fit.systems, name="system")
    unordered = np.maximum(below, above) < level
    np.fill_diagonal(unordered, False)
    return pd.DataFrame(unordered, index=labels, columns=labels)


def _plan(fit: Fit, target: float, seed: int) -> tuple[ExpectedCoefficient, TopicsNeeded]:
    """Curve of tau by number of topics, and where it reaches the target."""
    return (
        expected_coefficient(fit, random_seed=seed),
        topics_needed(fit, target=target, random_seed=seed),
    )


def _sensitivity(fit: Fit) -> pd.DataFrame:
    """How the coefficients move with the priors; sampled only as long as that needs."""
    options: dict[str, Any] = {}
    if isinstance(fit.model, PyMCModel):
        options |= SENSITIVITY_SAMPLING
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return prior_sensitivity(fit, coefficients=DEFAULT_COEFFICIENTS, **options)
