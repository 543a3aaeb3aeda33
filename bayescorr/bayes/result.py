"""The result of a fit: every answer is read off the same draws of the true means."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._draws import interval
from bayescorr._numbers import FloatArray, check_level
from bayescorr.bayes import _stack
from bayescorr.bayes._plots import PlotMethods
from bayescorr.bayes.decisions import DecisionMethods
from bayescorr.bayes.from_model import ModelMethods
from bayescorr.bayes.systems import SystemMethods
from bayescorr.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS, correlate, resolve
from bayescorr.errors import choose
from bayescorr.scores.check import observed_means


class Fit(PlotMethods, DecisionMethods, SystemMethods, ModelMethods):
    """Posterior of the true means of the systems, and what follows from it.

    Made by :func:`bayescorr.fit`, :func:`bayescorr.load_fit` or :meth:`from_draws`.

    Attributes
    ----------
    idata : InferenceData or DataTree
        ArviZ's native container with the groups posterior, sample_stats and observed_data.
    convergence : Convergence
        Whether the sampler converged, and the numbers that say so.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> fit.draws("tau").shape
    (4000,)
    >>> fit.best().index[0] == fit.observed_means.idxmax()
    True
    """

    # Coefficients --------------------------------------------------------------------------------

    def draws(self, coefficient: Any) -> FloatArray:
        """Draws of a coefficient between truth and observed means, chains one after the other.

        Parameters
        ----------
        coefficient : str or callable
            A name, or a function f(truth, observed) of two vectors that returns a number.

        Returns
        -------
        array
            One value per draw.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> round(float(fit.draws("tau").mean()), 2)
        0.64
        >>> def same_winner(truth, observed):
        ...     return float(truth.argmax() == observed.argmax())
        >>> round(float(fit.draws(same_winner).mean()), 2)
        0.7
        """
        name = resolve(coefficient).name
        if isinstance(coefficient, str) and name in self.posterior:
            return self.posterior[name].to_numpy().ravel()
        observed = observed_means(self.scores).to_numpy()
        found = correlate(
            self._means(), observed, coefficient, higher_is_better=self.higher_is_better
        )
        return found[name]

    def estimates(
        self,
        level: float = 0.95,
        *,
        coefficients: Any = DEFAULT_COEFFICIENTS,
        point: str | None = None,
        kind: str = "equal-tailed",
    ) -> pd.DataFrame:
        """Point estimates and credible intervals, in the columns of :func:`bayescorr.estimate`.

        Parameters
        ----------
        level : float
            Probability inside the interval.
        coefficients : sequence of str or callable
            Which coefficients.
        point : {"mean", "median"}, optional
            Which point estimate; the headline of each coefficient when left out: the mean for tau
            and tau_ap, the median for tau_gap.
        kind : {"equal-tailed", "highest-density"}
            Which interval.

        Returns
        -------
        DataFrame
            One row per coefficient: method, coefficient, estimate, sd, lower, upper, level.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.estimates(0.9)[["coefficient", "estimate", "lower", "upper"]].round(2)
          coefficient  estimate  lower  upper
        0         tau      0.64   0.00    1.0
        1      tau_ap      0.59  -0.33    1.0
        2     tau_gap      0.83  -0.33    1.0
        """
        if point is not None:
            choose(point, ("mean", "median"), "point estimate")
        rows = []
        for coefficient in _as_list(coefficients):
            name = resolve(coefficient).name
            draws = self.draws(coefficient)
            lower, upper = interval(draws, level, kind)
            use = point or resolve(coefficient).headline
            estimate = np.median(draws) if use == "median" else draws.mean()
            rows.append([self.method, name, estimate, draws.std(ddof=1), lower, upper, level])
        columns = ["method", "coefficient", "estimate", "sd", "lower", "upper", "level"]
        return pd.DataFrame(rows, columns=columns)

    def summary(self, level: float = 0.95, *, kind: str = "equal-tailed") -> pd.DataFrame:
        """Mean, median, sd, interval and convergence of each coefficient.

        Parameters
        ----------
        level, kind
            Level and kind of the intervals, as in :meth:`estimates`.

        Returns
        -------
        DataFrame
            One row per coefficient: coefficient, mean, median, sd, lower, upper, level, rhat,
            ess_bulk, ess_tail.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> fit.summary()[["coefficient", "mean", "median", "sd"]].round(2)
          coefficient  mean  median    sd
        0         tau  0.64    0.67  0.33
        1      tau_ap  0.59    0.67  0.41
        2     tau_gap  0.63    0.83  0.44
        """
        stored = self.posterior[list(DEFAULT_COEFFICIENTS)]
        diagnostics = {
            "rhat": _stack.rhat(stored),
            "ess_bulk": _stack.ess(stored, "bulk"),
            "ess_tail": _stack.ess(stored, "tail"),
        }
        rows = []
        for name in DEFAULT_COEFFICIENTS:
            draws = self.draws(name)
            lower, upper = interval(draws, level, kind)
            rows.append(
                {
                    "coefficient": name,
                    "mean": draws.mean(),
                    "median": np.median(draws),
                    "sd": draws.std(ddof=1),
                    "lower": lower,
                    "upper": upper,
                    "level": check_level(level),
                    **{key: float(value[name]) for key, value in diagnostics.items()},
                }
            )
        return pd.DataFrame(rows)

    def in_words(self, level: float = 0.95) -> str:
        """Say in one sentence how close the observed ranking is to the true one.

        Parameters
        ----------
        level : float
            Probability inside the interval.

        Returns
        -------
        str
            A sentence with the posterior mean of tau and its credible interval.

        Examples
        --------
        >>> import bayescorr
        >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
        >>> print(fit.in_words(0.9))
        The observed ranking of 4 systems over 50 topics has tau = 0.64 (90% credible interval ...
        """
        topics, systems = self.scores.shape
        row = self.estimates(level, coefficients="tau").iloc[0]
        return (
            f"The observed ranking of {systems} systems over {topics} topics has tau = "
            f"{row['estimate']:.2f} ({level * 100:g}% credible interval {row['lower']:.2f} to "
            f"{row['upper']:.2f}) with the true ranking."
        )

    # Files ---------------------------------------------------------------------------------------

    def to_netcdf(self, path: str | Path) -> Path:
        """Write the fit to a NetCDF file, which either library stack can read.

        Parameters
        ----------
        path : path
            The file; one that is there is overwritten.

        Returns
        -------
        Path
            The file, for :func:`bayescorr.load_fit`.

        Examples
        --------
        >>> import tempfile
        >>> scores = pd.DataFrame({"a": [0.5, 0.7], "b": [0.2, 0.3]})
        >>> fit = Fit.from_draws([[0.6, 0.2], [0.5, 0.3], [0.3, 0.4], [0.6, 0.1]], scores)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fit.to_netcdf(f"{folder}/fit.nc").name
        'fit.nc'
        """
        target = Path(path)
        _stack.write_netcdf(self.idata, target)
        return target

    @classmethod
    def from_draws(cls, draws: Any, scores: Any, *, higher_is_better: bool = True) -> Fit:
        """Make a fit from draws of the true means that were sampled elsewhere.

        Parameters
        ----------
        draws : array, DataFrame or DataArray
            Draws x systems, or chains x draws x systems. Columns of a DataFrame and coordinates of
            a DataArray are matched to the systems by label, those of an array by position.
        scores : DataFrame
            The scores, topics x systems.
        higher_is_better : bool
            False for measures where the lowest mean is the best.

        Returns
        -------
        Fit
            Whatever needs no model can be asked of it.

        Examples
        --------
        >>> scores = pd.DataFrame({"a": [0.5, 0.7], "b": [0.2, 0.3]})
        >>> Fit.from_draws([[0.6, 0.2], [0.5, 0.3], [0.3, 0.4], [0.6, 0.1]], scores).draws("tau")
        array([ 1.,  1., -1.,  1.])
        """
        from bayescorr.bayes.assemble import fit_from_draws

        return fit_from_draws(draws, scores, higher_is_better=higher_is_better)

    def __repr__(self) -> str:
        scores = self.scores
        lines = [f"Fit of {self.method!r} to {scores.shape[1]} systems x {scores.shape[0]} topics"]
        for row in self.estimates().itertuples():
            lines.append(
                f"  {row.coefficient:8} {row.estimate:.3f}  "
                f"({row.level:.0%} interval {row.lower:.3f} to {row.upper:.3f})"
            )
        return "\n".join([*lines, f"  {self.convergence}"])


def _as_list(values: Any) -> list[Any]:
    return [values] if isinstance(values, str) or callable(values) else list(values)


def points_in_words(method: str, coefficients: Sequence[str]) -> str:
    """Say which point of the posterior is the estimate of each coefficient.

    Examples
    --------
    >>> points_in_words("flat", ["tau", "tau_ap", "tau_gap"])
    'Estimates of flat: posterior mean of tau, tau_ap; posterior median of tau_gap.'
    """
    names: dict[str, list[str]] = {}
    for name in coefficients:
        names.setdefault(
            COEFFICIENTS[name].headline if name in COEFFICIENTS else "mean", []
        ).append(name)
    parts = [f"posterior {point} of {', '.join(of)}" for point, of in names.items()]
    return f"Estimates of {method}: {'; '.join(parts)}."
