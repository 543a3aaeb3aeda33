"""Two conditions: the agreement of their rankings over all topics."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.bayes.convergence import Convergence
from bayescorr.bayes.data import ConditionsData, prepare, with_plain_labels
from bayescorr.bayes.model import get_model
from bayescorr.bayes.posterior import Correlation, assemble
from bayescorr.bayes.sampler import Sampling, flat_draws, sample
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate, resolve
from bayescorr.errors import ScoresError, choose, listing
from bayescorr.scores.check import check_scores, observed_means, treat_missing

#: Sum and difference over the root of 2: orthogonal, and its own inverse.
HALVES = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)


class Agreement(Correlation):
    """Posterior of the agreement of two true rankings; made by :func:`fit_pair`.

    Condition A plays the truth for coefficients that are not symmetric.

    Attributes
    ----------
    idata : InferenceData or DataTree
        Groups posterior (with ``true_means_a`` and ``true_means_b``), sample_stats, observed_data.
    convergence : Convergence
        Whether the sampler converged.
    higher_is_better : tuple of bool
        For A and for B.
    """

    def __init__(
        self,
        idata: Any,
        convergence: Convergence | None = None,
        higher_is_better: tuple[bool, bool] = (True, True),
    ) -> None:
        super().__init__(idata, convergence)
        self.higher_is_better = higher_is_better
        self.method = str(idata.attrs["model"])

    @cached_property
    def scores(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The scores of A and of B, topics x systems."""
        found = self.group("observed_data")
        labels = found.indexes["topic"], found.indexes["system"]
        a, b = (pd.DataFrame(found[f"scores_{name}"].to_numpy(), *labels) for name in "ab")
        return a, b

    def draws(self, coefficient: Any = "tau") -> FloatArray:
        """Return draws of a coefficient between the true means under A and under B.

        Parameters
        ----------
        coefficient : str or callable
            A name, or a function f(truth, observed); A plays the truth.

        Returns
        -------
        array
            One value per draw, chain after chain.
        """
        name = resolve(coefficient).name
        if isinstance(coefficient, str) and name in self.posterior:
            return np.asarray(self.posterior[name].to_numpy().ravel())
        values = flat_draws(self.posterior)
        return self._correlate(values["true_means_a"], values["true_means_b"], coefficient)

    def observed(self, coefficient: Any = "tau") -> float:
        """Return the coefficient between the observed means, which is what papers report.

        Parameters
        ----------
        coefficient : str or callable
            As in :meth:`draws`.
        """
        a, b = (np.asarray(observed_means(x), np.float64) for x in self.scores)
        return float(self._correlate(a, b, coefficient))

    def estimates(self, level: float = 0.95, **options: Any) -> pd.DataFrame:
        """Return point estimates and credible intervals, beside the observed coefficients.

        Parameters
        ----------
        level, **options
            As in :meth:`bayescorr.Fit.estimates`.

        Returns
        -------
        DataFrame
            The columns of :meth:`bayescorr.Fit.estimates`, and ``observed``, the coefficient
            between the observed means.
        """
        given = options.get("coefficients", DEFAULT_COEFFICIENTS)
        single = isinstance(given, str) or callable(given)
        observed = [self.observed(one) for one in ([given] if single else given)]
        return super().estimates(level, **options).assign(observed=observed)

    def _correlate(self, a: FloatArray, b: FloatArray, coefficient: Any) -> FloatArray:
        return _correlate(a, b, self.higher_is_better, coefficient)[resolve(coefficient).name]

    def __repr__(self) -> str:
        topics, systems = self.scores[0].shape
        lines = [f"Agreement of two conditions on {systems} systems x {topics} topics"]
        for row in self.estimates().itertuples():
            lines.append(
                f"  {row.coefficient:8} {row.estimate:.3f}  (95% interval {row.lower:.3f} to "
                f"{row.upper:.3f}; between the observed means {row.observed:.3f})"
            )
        return "\n".join([*lines, f"  {self.convergence}"])


def _correlate(
    a: FloatArray, b: FloatArray, higher_is_better: tuple[bool, bool], coefficients: Any
) -> dict[str, Any]:
    """Coefficients between two arrays of true means, higher is better in both."""
    sign_a, sign_b = (1 if better else -1 for better in higher_is_better)
    return correlate(sign_a * a, sign_b * b, coefficients)


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

    Two measures, two sets of assessors or two pool depths are compared by the correlation of their
    rankings. The noise of each condition lowers the correlation of observed means, and the noise
    they share, since the topics are the same, raises it. This function models both conditions
    jointly, :math:`(x^A_t, x^B_t) \sim N((\mu_A, \mu_B), \Sigma)`, and every draw of the true means
    gives a draw of :math:`\tau(\mu_A, \mu_B)`.

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
    A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari, D. B. Rubin. Bayesian Data
    Analysis, 3rd edition, section 3.6. CRC Press, 2013.

    Examples
    --------
    >>> import bayescorr
    >>> ap = bayescorr.load_dataset("demo")
    >>> bayescorr.fit_pair(ap, ap.round(1), random_seed=1).estimates()  # doctest: +SKIP
    >>> bayescorr.fit_pair(ap, ap.drop(columns="bm25"))
    Traceback (most recent call last):
    ...
    bayescorr.errors.ScoresError: Only A has the systems: bm25. ...
    """
    model = get_model("matrix-t-pair")
    full_priors = model.full_priors(priors)
    sampling = Sampling(draws, tune, chains, random_seed, nuts_sampler, progressbar, sample_kwargs)
    a, b = align(scores_a, scores_b, missing, warn=warn)
    data, means_of = pair_data(a, b)
    groups, columns = sample(model, data, full_priors, sampling)
    means = means_of(columns)
    better = higher_is_better if isinstance(higher_is_better, tuple) else (higher_is_better,) * 2
    coords = {"topic": a.index.to_numpy(), "system": a.columns.to_numpy()}
    cell, per_system = ("topic", "system"), ("chain", "draw", "system")
    idata, convergence = assemble(
        groups,
        {
            **{f"true_means_{x}": (per_system, y) for x, y in zip("ab", means, strict=True)},
            **{
                name: (("chain", "draw"), values)
                for name, values in _correlate(*means, better, DEFAULT_COEFFICIENTS).items()
            },
        },
        xr.Dataset({f"scores_{x}": (cell, y.to_numpy()) for x, y in (("a", a), ("b", b))}, coords),
        {"system": coords["system"]},
        {
            "model": model.name,
            "priors": json.dumps(full_priors),
            "random_seed": str(sampling.seed),
        },
    )
    result = Agreement(idata, convergence, better)
    result.check(strict, pd.concat([a, b], axis=1))
    return result


def align(
    scores_a: Any, scores_b: Any, missing: str = "error", *, warn: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Check two tables of scores and align B with the labels of A.

    Examples
    --------
    >>> a = pd.DataFrame({"x": [1, 2], "y": [3, 4]}, index=["t1", "t2"])
    >>> b = pd.DataFrame({"y": [6, 5], "x": [8, 7]}, index=["t2", "t1"])
    >>> align(a, b)[1]
          x    y
    t1  7.0  5.0
    t2  8.0  6.0
    """
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
    """Prepare two aligned tables for the model.

    Returns
    -------
    ConditionsData
        Sums and differences of the distinct columns. A column of B that equals one of A up to
        location and scale is omitted.
    callable
        Maps draws of the true means of those columns to those of all systems under A and under B,
        on the scales of the scores.
    """
    (data_a, of_a), (data_b, of_b) = prepare(a), prepare(b)
    first, second = data_a.standard, data_b.standard
    m = first.shape[1]
    position_a = dict(zip(of_a.index, of_a, strict=True))
    # The column of A that equals each column of B, if any; the others follow the columns of A.
    same = [_equal_column(first, column) for column in second.T]
    rest = [j for j, equal in enumerate(same) if equal is None]
    place = [m + rest.index(j) if equal is None else equal for j, equal in enumerate(same)]
    owners = np.r_[np.arange(m), [position_a[data_b.systems[j]] for j in rest]].astype(int)
    turn, join = _sums_and_differences(owners, m)
    condition = np.repeat(np.eye(2), [m, len(rest)], axis=0)
    # The same prior by symmetry, since both levels have the same prior.
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
