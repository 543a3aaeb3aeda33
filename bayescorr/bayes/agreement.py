"""Two conditions, truth to truth: how their rankings would agree with all topics there are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray, check_level
from bayescorr._random import RandomSeed
from bayescorr.bayes import _stack, sampler
from bayescorr.bayes.convergence import Convergence, check_convergence
from bayescorr.bayes.data import prepare, with_plain_labels
from bayescorr.bayes.fit import _as_integer, _check_sizes, _complain
from bayescorr.bayes.stored import flat_draws
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate, resolve
from bayescorr.errors import ScoresError, choose, listing
from bayescorr.models.matrix_t_pair import MatrixTPair, PairData
from bayescorr.scores.check import check_scores, observed_means, treat_missing

#: Sum and difference over the root of 2: orthogonal, and its own inverse.
HALVES = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)


@dataclass(frozen=True, eq=False)
class Agreement:
    """Posterior of the agreement of two true rankings; made by :func:`fit_pair`.

    Where a coefficient is not symmetric, condition A plays the truth.

    Attributes
    ----------
    idata : InferenceData or DataTree
        Groups posterior (with ``true_means_a`` and ``true_means_b``), sample_stats, observed_data.
    convergence : Convergence
        Whether the sampler converged.
    higher_is_better : tuple of bool
        For A and for B.
    """

    idata: Any
    convergence: Convergence
    higher_is_better: tuple[bool, bool] = (True, True)

    @property
    def posterior(self) -> xr.Dataset:
        """Hyperparameters, true means and coefficients, dims chain and draw first."""
        found = _stack.group(self.idata, "posterior")
        assert found is not None
        return found

    @property
    def scores(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The scores of A and of B, topics x systems."""
        found = _stack.group(self.idata, "observed_data")
        assert found is not None
        labels = found.indexes["topic"], found.indexes["system"]
        a, b = (pd.DataFrame(found[f"scores_{name}"].to_numpy(), *labels) for name in "ab")
        return a, b

    def draws(self, coefficient: Any = "tau") -> FloatArray:
        """Draws of a coefficient between the true means under A and those under B.

        Parameters
        ----------
        coefficient : str or callable
            A name, or a function f(truth, observed); A plays the truth.

        Returns
        -------
        array
            One value per draw, chains one after the other.
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

    def estimates(
        self,
        level: float = 0.95,
        *,
        coefficients: Any = DEFAULT_COEFFICIENTS,
        point: str | None = None,
        kind: str = "equal-tailed",
    ) -> pd.DataFrame:
        """Point estimates and credible intervals as :meth:`Fit.estimates`, and ``observed``.

        Parameters
        ----------
        level, coefficients, point, kind
            As in :meth:`bayescorr.Fit.estimates`.

        Returns
        -------
        DataFrame
            The columns of :meth:`bayescorr.Fit.estimates`, and ``observed``, the coefficient
            between the observed means.
        """
        if point is not None:
            choose(point, ("mean", "median"), "point estimate")
        single = isinstance(coefficients, str) or callable(coefficients)
        rows = []
        for coefficient in [coefficients] if single else coefficients:
            name, draws = resolve(coefficient).name, self.draws(coefficient)
            lower, upper = interval(draws, check_level(level), kind)
            use = point or resolve(coefficient).headline
            estimate = np.median(draws) if use == "median" else draws.mean()
            observed = self.observed(coefficient)
            sd = draws.std(ddof=1)
            rows.append([MatrixTPair.name, name, estimate, sd, lower, upper, level, observed])
        columns = ["method", "coefficient", "estimate", "sd", "lower", "upper", "level", "observed"]
        return pd.DataFrame(rows, columns=columns)

    def _correlate(self, a: FloatArray, b: FloatArray, coefficient: Any) -> FloatArray:
        sign_a, sign_b = (1 if better else -1 for better in self.higher_is_better)
        found = correlate(sign_a * a, sign_b * b, coefficient)
        return np.asarray(found[resolve(coefficient).name])

    def __repr__(self) -> str:
        topics, systems = self.scores[0].shape
        lines = [f"Agreement of two conditions on {systems} systems x {topics} topics"]
        for row in self.estimates().itertuples():
            lines.append(
                f"  {row.coefficient:8} {row.estimate:.3f}  (95% interval {row.lower:.3f} to "
                f"{row.upper:.3f}; between the observed means {row.observed:.3f})"
            )
        return "\n".join([*lines, f"  {self.convergence}"])


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

    Two measures, two sets of assessors or two pool depths are compared by the correlation of the
    rankings they give. Between observed means it is lowered by the noise of either condition, and
    raised by noise that they share, since the topics are the same. Here both are modelled at once,
    :math:`(x^A_t, x^B_t) \sim N((\mu_A, \mu_B), \Sigma)`, and every draw of the true means gives
    one of :math:`\tau(\mu_A, \mu_B)`.

    Parameters
    ----------
    scores_a, scores_b : DataFrame
        Scores of the same systems on the same topics, aligned by label. A plays the truth where a
        coefficient is not symmetric.
    priors : mapping, optional
        Numbers to use in place of the defaults of the default model; ``phi_a`` and ``phi_b`` are
        those of the Beta prior on how much a system's two scores go together.
    random_seed, draws, tune, chains, progressbar, nuts_sampler, strict, warn
        As in :func:`bayescorr.fit`.
    missing : {"error", "drop", "zero"}
        What to do about missing scores; "drop" leaves out topics where either has one.
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
    bayescorr.errors.ScoresError: Only A has these systems: bm25. ...
    """
    model = MatrixTPair()
    full_priors = model.full_priors(priors)
    _check_sizes(draws=draws, tune=tune, chains=chains)
    a, b = align(scores_a, scores_b, missing, warn=warn)
    data, means_of = pair_data(a, b)
    seed = _as_integer(random_seed)
    groups = sampler.sample(
        model,
        data,
        full_priors,
        draws=draws,
        tune=tune,
        chains=chains,
        seed=seed,
        nuts_sampler=nuts_sampler,
        progressbar=progressbar,
        **sample_kwargs,
    )
    posterior = groups.pop("posterior")
    rng = np.random.default_rng([seed, 1])
    means = means_of(model.true_means(flat_draws(posterior), data, full_priors, rng))
    better = higher_is_better if isinstance(higher_is_better, tuple) else (higher_is_better,) * 2
    posterior = posterior.assign_coords(
        system=a.columns.to_numpy(), chain=np.arange(chains), draw=np.arange(draws)
    )
    observed = {}
    for name, values, scores in zip("ab", means, (a, b), strict=True):
        shaped = values.reshape(chains, draws, -1)
        posterior[f"true_means_{name}"] = (("chain", "draw", "system"), shaped)
        observed[f"scores_{name}"] = (("topic", "system"), scores.to_numpy())
    signed = [
        (values if higher else -values).reshape(chains, draws, -1)
        for values, higher in zip(means, better, strict=True)
    ]
    for name, values in correlate(signed[0], signed[1], DEFAULT_COEFFICIENTS).items():
        posterior[name] = (("chain", "draw"), values)
    coords = {"topic": a.index.to_numpy(), "system": a.columns.to_numpy()}
    contents = {"posterior": posterior, **groups, "observed_data": xr.Dataset(observed, coords)}
    attributes = {"model": model.name, "priors": json.dumps(full_priors), "random_seed": str(seed)}
    result = Agreement(
        _stack.container(contents, attributes),
        check_convergence(posterior, groups.get("sample_stats")),
        better,
    )
    if not result.convergence.passed:
        _complain(result.convergence, pd.concat([a, b], axis=1), strict)
    return result


def align(
    scores_a: Any, scores_b: Any, missing: str = "error", *, warn: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Check two tables of scores and bring B into the order of A's labels.

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
                    f"Only {name} has these {what}: {listing(lacking)}.",
                    "Give scores of the same systems on the same topics, with the same labels.",
                )
    b = b.loc[a.index, a.columns]
    both = pd.concat({"A": a, "B": b}, axis=1)
    if both.isna().to_numpy().any():
        both = treat_missing(both, missing)
    return check_scores(both["A"], warn=warn), check_scores(both["B"], warn=warn)


def pair_data(
    a: pd.DataFrame, b: pd.DataFrame
) -> tuple[PairData, Callable[[FloatArray], tuple[FloatArray, FloatArray]]]:
    """Prepare two aligned tables for the model.

    Returns
    -------
    PairData
        Sums and differences of the distinct columns. A column of B that equals one of A but for
        location and scale is left out.
    callable
        Takes draws of the true means of those columns to true means of all systems under A and
        under B, on the scales of the scores.
    """
    (data_a, of_a), (data_b, of_b) = prepare(a), prepare(b)
    first, second = data_a.standard, data_b.standard
    m = first.shape[1]
    position_a = dict(zip(of_a.index, of_a, strict=True))
    # Columns of A that those of B are, if any; what is left follows the columns of A.
    same = [_equal_column(first, column) for column in second.T]
    rest = [j for j, equal in enumerate(same) if equal is None]
    place = [m + rest.index(j) if equal is None else equal for j, equal in enumerate(same)]
    owners = np.r_[np.arange(m), [position_a[data_b.systems[j]] for j in rest]].astype(int)
    turn, join = _sums_and_differences(owners, m)
    condition = np.repeat(np.eye(2), [m, len(rest)], axis=0)
    # The same prior by symmetry, since the levels of the two conditions have one and the same.
    level = turn @ condition @ HALVES if rest else turn @ condition[:, :1]
    data = PairData(
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
            data_a.to_scores(columns[:, :m])[:, of_a.to_numpy()],
            data_b.to_scores(columns[:, place])[:, of_b.to_numpy()],
        )

    return data, means_of


def _sums_and_differences(owners: np.ndarray[Any, Any], m: int) -> tuple[FloatArray, FloatArray]:
    """Orthogonal matrix that turns the two columns of a system into sum and difference."""
    turn, join = np.eye(len(owners)), np.zeros(len(owners))
    for j, owner in enumerate(owners[m:], start=m):
        if join[owner] == 0:
            turn[np.ix_([owner, j], [owner, j])] = HALVES
            join[[owner, j]] = 1, -1
    return turn, join


def _equal_column(table: FloatArray, column: FloatArray) -> int | None:
    """Position of the column that is equal to a given one up to rounding."""
    apart = np.abs(table - column[:, None]).max(axis=0)
    nearest = int(apart.argmin())
    return nearest if apart[nearest] < 1e-9 * max(1.0, np.abs(column).max()) else None
