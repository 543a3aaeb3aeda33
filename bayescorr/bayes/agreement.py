"""Two conditions: the agreement of their rankings over all topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.bayes.data import ConditionsData, prepare, with_plain_labels
from bayescorr.bayes.model import get_model
from bayescorr.bayes.posterior import Correlation, assemble_correlation
from bayescorr.bayes.sampler import Sampling, flat_draws, sample
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, Coefficient, correlate, resolve
from bayescorr.coefficients.registry import resolve_all
from bayescorr.errors import ScoresError, choose, listing
from bayescorr.scores.check import check_scores, observed_means, treat_missing

#: Sum and difference over the root of 2: orthogonal, and its own inverse.
HALVES = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)


class Agreement(Correlation):
    """Posterior of the agreement of two true rankings; made by :func:`fit_pair`.

    Condition A plays the truth for coefficients that are not symmetric. The posterior has
    ``true_means_a`` and ``true_means_b``.
    """

    @property
    def higher_is_better(self) -> tuple[bool, bool]:
        """Whether the highest mean is the best, for A and for B."""
        attributes = self.idata.attrs
        return bool(attributes["higher_is_better_a"]), bool(attributes["higher_is_better_b"])

    @cached_property
    def scores(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The scores of A and of B, topics x systems."""
        found = self.group("observed_data")
        a, b = (pd.DataFrame(found[f"scores_{name}"].to_pandas()) for name in "ab")
        return a, b

    def correlate_draws(self, coefficient: Coefficient) -> FloatArray:
        """Compute a coefficient between the true means under A and under B, draw by draw."""
        values = flat_draws(self.posterior[["true_means_a", "true_means_b"]])
        return _correlate(values.values(), self.higher_is_better, coefficient)[coefficient.name]

    def observed(self, coefficient: Any = "tau") -> float:
        """Return the coefficient between the observed means, which papers report."""
        means = [np.asarray(observed_means(scores), float) for scores in self.scores]
        found = resolve(coefficient)
        return float(_correlate(means, self.higher_is_better, found)[found.name])

    def estimates(self, level: float = 0.95, **options: Any) -> pd.DataFrame:
        """Return what :meth:`bayescorr.Fit.estimates` returns, and a column ``observed``.

        This column has the coefficient between the observed means.
        """
        found = resolve_all(options.get("coefficients", DEFAULT_COEFFICIENTS))
        observed = [self.observed(one) for one in found]
        return super().estimates(level, **options).assign(observed=observed)

    def __repr__(self) -> str:
        topics, systems = self.scores[0].shape
        title = f"Agreement of two conditions on {systems} systems x {topics} topics"
        return self._described(title)


def _correlate(
    means: Iterable[FloatArray], higher_is_better: tuple[bool, bool], coefficients: Any
) -> dict[str, FloatArray]:
    """Compute coefficients between means under A and under B, signed so that higher is better."""
    a, b = (x if up else -x for x, up in zip(means, higher_is_better, strict=True))
    return correlate(a, b, coefficients)


def fit_pair(
    scores_a: Any,
    scores_b: Any,
    *,
    priors: Mapping[str, float] | None = None,
    random_seed: RandomSeed = None,
    draws: int = 1000,
    tune: int = 500,
    chains: int = 4,
    progressbar: bool | None = None,
    missing: str = "error",
    higher_is_better: bool | tuple[bool, bool] = True,
    nuts_sampler: str = "nutpie",
    strict: bool = False,
    warn: bool = True,
    **sample_kwargs: Any,
) -> Agreement:
    r"""Sample the posterior of the agreement of two true rankings of the same systems.

    The noise of each condition (a measure, a set of assessors, a pool depth) lowers the correlation
    of the observed means; the noise they share, since the topics are the same, raises it. This
    function models both jointly, :math:`(x^A_t, x^B_t) \sim N((\mu_A, \mu_B), \Sigma)`, and every
    draw of the true means gives a draw of :math:`\tau(\mu_A, \mu_B)`.

    Parameters
    ----------
    scores_a, scores_b : DataFrame
        Scores of the same systems on the same topics, aligned by label. A plays the truth for
        coefficients that are not symmetric.
    priors : mapping, optional
        Numbers that replace the defaults of the default model. ``phi_a`` and ``phi_b`` are the
        parameters of the Beta prior on how strongly a system's two scores are correlated.
    random_seed, draws, tune, chains, progressbar, nuts_sampler, strict, warn
        As in :func:`bayescorr.fit`.
    missing : {"error", "drop", "zero"}
        How to treat missing scores. "drop" removes topics with a missing score in either.
    higher_is_better : bool or pair of bool
        For both conditions, or for A and B.
    **sample_kwargs
        Passed to the sampler.

    Returns
    -------
    Agreement
        With ``draws(coefficient)``, ``observed(coefficient)`` and ``estimates(level)``.

    References
    ----------
    A. Gelman et al. Bayesian Data Analysis, 3rd edition, section 3.6. CRC Press, 2013.

    Examples
    --------
    >>> import bayescorr
    >>> ap = bayescorr.load_dataset("demo")
    >>> bayescorr.fit_pair(ap, ap.round(1), random_seed=1).estimates()  # doctest: +SKIP
    """
    model = get_model("matrix-t-pair")
    full_priors = model.full_priors(priors)
    sampling = Sampling(draws, tune, chains, random_seed, nuts_sampler, progressbar, sample_kwargs)
    a, b = align(scores_a, scores_b, missing, warn=warn)
    data, means_of = pair_data(a, b)
    groups, columns = sample(model, data, full_priors, sampling)
    means = dict(zip(("true_means_a", "true_means_b"), means_of(columns), strict=True))
    better = higher_is_better if isinstance(higher_is_better, tuple) else (higher_is_better,) * 2
    idata, convergence = assemble_correlation(
        groups,
        means,
        _correlate(means.values(), better, DEFAULT_COEFFICIENTS),
        {"scores_a": a, "scores_b": b},
        {
            "model": model.name,
            "higher_is_better_a": int(better[0]),
            "higher_is_better_b": int(better[1]),
            **sampling.record(full_priors),
        },
    )
    result = Agreement(idata, convergence)
    result.check(strict, pd.concat([a, b], axis=1))
    return result


def align(
    scores_a: Any, scores_b: Any, missing: str = "error", *, warn: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Check two tables of scores and align B with the labels of A."""
    choose(missing, ("drop", "error", "zero"), "way to treat missing scores")
    a, b = (
        with_plain_labels(check_scores(scores, missing="model", warn=False))
        for scores in (scores_a, scores_b)
    )
    for what, one, other in (("topics", a.index, b.index), ("systems", a.columns, b.columns)):
        for name, more, fewer in (("A", one, other), ("B", other, one)):
            if lacking := [label for label in more if label not in fewer]:
                raise ScoresError(
                    f"Only {name} has the {what}: {listing(lacking)}.",
                    "Give scores of the same systems on the same topics, with the same labels.",
                )
    b = b.loc[a.index, a.columns]
    both = pd.concat({"A": a, "B": b}, axis=1)
    if both.isna().to_numpy().any():
        both = treat_missing(both, missing)
    return check_scores(both["A"], warn=warn), check_scores(both["B"], warn=warn)


def pair_data(
    a: pd.DataFrame, b: pd.DataFrame
) -> tuple[ConditionsData, Callable[[FloatArray], tuple[FloatArray, FloatArray]]]:
    """Return sums and differences of the distinct columns of two aligned tables, and a function.

    A column of B that equals one of A up to location and scale is omitted. The function maps draws
    of the columns' true means to those of all systems under A and under B, on the scores' scales.
    """
    (data_a, of_a), (data_b, of_b) = prepare(a), prepare(b)
    first, second = data_a.standard, data_b.standard
    m = first.shape[1]
    # The column of A that equals each column of B, if any; the others follow the columns of A.
    same = [_equal_column(first, column) for column in second.T]
    rest = [j for j, equal in enumerate(same) if equal is None]
    place = [m + rest.index(j) if equal is None else equal for j, equal in enumerate(same)]
    partners = of_a.loc[pd.Index([data_b.systems[j] for j in rest])]
    owners = np.r_[np.arange(m), partners].astype(int)
    turn, join = _sums_and_differences(owners, m)
    condition = np.repeat(np.eye(2), [m, len(rest)], axis=0)
    # Sum and difference of two levels with the same normal prior have that prior, too.
    level = turn @ condition @ HALVES if rest else turn @ condition[:, :1]
    data = ConditionsData(
        values=np.hstack([first, second[:, rest]]) @ turn.T,
        topics=data_a.topics,
        systems=[f"column {i + 1}" for i in range(len(owners))],
        join=join,
        owner=owners.astype(float),
        level=level,
        owners=data_a.systems,
    )

    def means_of(draws: FloatArray) -> tuple[FloatArray, FloatArray]:
        columns = draws @ turn
        return (
            data_a.to_scores(columns[..., :m])[..., of_a.to_numpy()],
            data_b.to_scores(columns[..., place])[..., of_b.to_numpy()],
        )

    return data, means_of


def _sums_and_differences(owners: np.ndarray[Any, Any], m: int) -> tuple[FloatArray, FloatArray]:
    """Return the orthogonal matrix that maps a system's two columns to sum and difference."""
    turn, join = np.eye(len(owners)), np.zeros(len(owners))
    for j, owner in enumerate(owners[m:], start=m):
        if join[owner] == 0:
            turn[np.ix_([owner, j], [owner, j])] = HALVES
            join[[owner, j]] = 1, -1
    return turn, join


def _equal_column(table: FloatArray, column: FloatArray) -> int | None:
    """Return the position of the column that equals a given one up to rounding."""
    apart = np.abs(table - column[:, None]).max(axis=0)
    nearest = int(apart.argmin())
    return nearest if apart[nearest] < 1e-9 * max(1.0, np.abs(column).max()) else None
