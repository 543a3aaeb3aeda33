"""The result for several conditions: every answer is read off the same draws of the true means."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._numbers import FloatArray
from bayescorr.bayes.fit import fit_of
from bayescorr.bayes.posterior import Correlation, tabulate
from bayescorr.bayes.result import Fit
from bayescorr.bayes.sampler import flat_draws
from bayescorr.bayes.stored import read_conditions
from bayescorr.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS, Coefficient, correlate
from bayescorr.coefficients.registry import resolve, resolve_all
from bayescorr.conditions import inversions as about_inversions
from bayescorr.conditions import judges as about_judges
from bayescorr.conditions import narrowing as about_narrowing
from bayescorr.conditions import shifts as about_shifts
from bayescorr.errors import Argument, OptionError, choose
from bayescorr.scores.check import observed_means


class Agreement(Correlation):
    """Posterior of the true means under several conditions, and how far their rankings agree.

    Made by :func:`bayescorr.fit_conditions`, :func:`bayescorr.fit_pair` or
    :func:`bayescorr.load_conditions`. One condition plays the truth; the others are called judges,
    also if they are measures or pool depths.

    Attributes
    ----------
    idata : InferenceData or DataTree
        ArviZ's native container. ``true_means`` has the dims chain x draw x condition x system.
    convergence : Convergence
        Whether the sampler converged, and the numbers behind the verdict.

    Examples
    --------
    >>> import bayescorr
    >>> ap = bayescorr.load_dataset("demo")
    >>> found = bayescorr.fit_pair(ap, ap.round(1), inference="laplace")  # doctest: +SKIP
    >>> found.estimates(), found.shifts(), print(found.in_words())  # doctest: +SKIP
    """

    @cached_property
    def conditions(self) -> list[str]:
        """Names of the conditions, the truth first."""
        return [str(name) for name in self.posterior.indexes["condition"]]

    @property
    def truth(self) -> str:
        """Name of the condition that plays the truth."""
        return self.conditions[0]

    @property
    def judges(self) -> list[str]:
        """Names of all conditions but the truth."""
        return self.conditions[1:]

    @property
    def systems(self) -> list[Any]:
        """The systems, in the order of the scores of the truth."""
        return list(self.posterior.indexes["system"])

    @property
    def measure(self) -> str:
        """The measure of the scores; empty if they did not name it, or name several."""
        return str(self.idata.attrs.get("measure", ""))

    @cached_property
    def higher_is_better(self) -> dict[str, bool]:
        """Whether the highest mean is the best, by condition."""
        found = self.group("observed_data")["higher_is_better"].to_numpy()
        return dict(zip(self.conditions, map(bool, found), strict=True))

    @cached_property
    def scores(self) -> dict[str, pd.DataFrame]:
        """The scores by condition, topics x systems; only the topics that the condition has."""
        found = self.group("observed_data")["scores"]
        tables = {name: found.sel(condition=name).to_pandas() for name in self.conditions}
        return {name: pd.DataFrame(table).dropna() for name, table in tables.items()}

    @property
    def true_means(self) -> xr.DataArray:
        """Draws of the true means, dims chain x draw x condition x system."""
        return self.posterior["true_means"]

    @cached_property
    def better_means(self) -> dict[str, FloatArray]:
        """Draws x systems by condition, signed so that higher is better."""
        draws = flat_draws(self.posterior[["true_means"]])["true_means"]
        return self._signed(dict(zip(self.conditions, np.moveaxis(draws, 1, 0), strict=True)))

    def better_observed(self, judge: str) -> tuple[FloatArray, FloatArray]:
        """Return observed means under truth and judge on the topics they share, better is higher.

        Systems are in the order of :attr:`systems`.
        """
        tables = [self.scores[self.truth], self.scores[judge]]
        shared = [topic for topic in tables[0].index if topic in tables[1].index]
        means = [np.asarray(observed_means(table.loc[shared]), float) for table in tables]
        found = self._signed(dict(zip((self.truth, judge), means, strict=True)))
        return found[self.truth], found[judge]

    def _signed(self, means: dict[str, FloatArray]) -> dict[str, FloatArray]:
        return {name: x if self.higher_is_better[name] else -x for name, x in means.items()}

    def known_judge(self, judge: str | None = None) -> str:
        """Return the name of a judge; None is the only one."""
        if judge is None and len(self.judges) > 1:
            message = (Argument("judge"), f" must name one of {len(self.judges)} judges.")
            raise OptionError(message, f"Choose one of: {', '.join(self.judges)}.")
        return self.judges[0] if judge is None else choose(judge, self.judges, "judge")

    def draws(self, coefficient: Any = "tau", judge: str | None = None) -> FloatArray:
        """Return draws of a coefficient between the true means under truth and judge.

        Parameters
        ----------
        coefficient : str or callable
            A name, or a function f(truth, judge) of two vectors that returns a number.
        judge : str, optional
            Name of the judge. It may be omitted if there is only one.

        Returns
        -------
        array
            One value per draw, chain after chain.
        """
        found, name = resolve(coefficient), self.known_judge(judge)
        if found.name in DEFAULT_COEFFICIENTS and found is COEFFICIENTS[found.name]:
            return self.posterior[found.name].sel(judge=name).to_numpy().ravel()
        return self.correlate_draws(found, name)

    def correlate_draws(self, coefficient: Coefficient, judge: str | None = None) -> FloatArray:
        """Compute a coefficient between the true means under truth and judge, draw by draw."""
        means = self.better_means
        truth, other = means[self.truth], means[self.known_judge(judge)]
        return correlate(truth, other, coefficient)[coefficient.name]

    def observed(self, coefficient: Any = "tau", judge: str | None = None) -> float:
        """Return the coefficient between the observed means, which papers report."""
        found = resolve(coefficient)
        means = self.better_observed(self.known_judge(judge))
        return float(correlate(*means, found)[found.name])

    def estimates(
        self,
        level: float = 0.95,
        *,
        coefficients: Any = DEFAULT_COEFFICIENTS,
        point: str = "mean",
        kind: str = "equal-tailed",
    ) -> pd.DataFrame:
        """Return what :meth:`bayescorr.Fit.estimates` returns, for every judge.

        Parameters
        ----------
        level, coefficients, point, kind
            As in :meth:`bayescorr.Fit.estimates`.

        Returns
        -------
        DataFrame
            One row per judge and coefficient: judge, method, coefficient, estimate, sd, lower,
            upper, level, and ``observed``, the coefficient between the observed means. The interval
            is that of the coefficient between the true means, not an interval around ``observed``.
        """
        found = resolve_all(coefficients)
        tables = []
        for name in self.judges:

            def draws_of(one: Coefficient, judge: str = name) -> FloatArray:
                return self.draws(one, judge)

            table = tabulate(draws_of, self.method, level, found, point, kind)
            table.insert(0, "judge", name)
            tables.append(table.assign(observed=[self.observed(one, name) for one in found]))
        return pd.concat(tables, ignore_index=True)

    def of(self, condition: str) -> Fit:
        """Return the fit of one condition: its true means as all conditions together inform them.

        Parameters
        ----------
        condition : str
            Name of the truth or of a judge.

        Returns
        -------
        Fit
            It answers everything that needs no model, such as ``ranking()``, ``best()`` and tau
            between true and observed means of this condition.
        """
        name = choose(condition, self.conditions, "condition")
        attributes = {
            "model": "",
            "higher_is_better": int(self.higher_is_better[name]),
            "measure": self.measure,
        }
        means = self.true_means.sel(condition=name).transpose("chain", "draw", "system")
        empty = {"posterior": xr.Dataset()}
        return fit_of(empty, means.to_numpy(), self.scores[name], None, attributes)

    in_words = about_judges.in_words
    compare_judges = about_judges.compare_judges
    shifts = about_shifts.shifts
    alone = about_narrowing.alone
    narrowing = about_narrowing.narrowing
    inversions = about_inversions.inversions
    inverted_pairs = about_inversions.inverted_pairs

    def __repr__(self) -> str:
        topics = self.group("observed_data").sizes["topic"]
        conditions = f"{self.truth} and {', '.join(self.judges)}"
        size = f"{len(self.systems)} systems x {topics} topics"
        return self._described(f"Agreement of {conditions} on {size}")


def load_conditions(path: str | Path) -> Agreement:
    """Read what :meth:`Agreement.to_netcdf` has written, on either library stack.

    Parameters
    ----------
    path : path
        A NetCDF file.

    Returns
    -------
    Agreement
        The posterior with its draws.

    Raises
    ------
    ScoresError
        If the file is not the posterior of several conditions: it is damaged, foreign or of a newer
        format.

    Examples
    --------
    >>> import bayescorr
    >>> bayescorr.load_conditions("agreement.nc").estimates()  # doctest: +SKIP
    """
    return Agreement(read_conditions(path))
