"""The convergence gate: may the numbers be used, and if not, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from bayescorr.bayes import _stack
from bayescorr.bayes.laplace import USABLE
from bayescorr.errors import Argument, listing, render

#: Limits of the gate; effective sample sizes are per chain.
MOST_RHAT = 1.01
LEAST_ESS = 100
LEAST_BFMI = 0.3
#: Limits for a Laplace approximation: what its residual score implies for the mean and the sd of a
#: quantity, as shares of an sd, and the root mean square of that score, which is 0 for a normal
#: posterior.
MOST_CHANGE = 0.1
MOST_RESIDUAL = 0.5
#: The remedy never suggests fewer draws or tuning steps.
LEAST_ADVISED = 1000


@dataclass(frozen=True)
class Convergence:
    """The verdict of the gate.

    Attributes
    ----------
    rhat : float
        Largest R-hat (rank-normalised, split) of any quantity that varies.
    ess_bulk, ess_tail : float
        Smallest effective sample sizes of any quantity that varies.
    divergences : int
        Number of divergent transitions after tuning.
    bfmi : float
        Smallest E-BFMI of any chain; NaN without MCMC.
    problems : tuple of str
        One sentence for every limit that is exceeded.
    draws, tune : int
        Draws and tuning steps per chain; the remedy suggests twice as many, at least 1,000.
    approximation : str
        How well a Laplace approximation fits; empty for draws from the posterior itself.
    """

    rhat: float
    ess_bulk: float
    ess_tail: float
    divergences: int
    bfmi: float
    problems: tuple[str, ...] = ()
    draws: int = 1000
    tune: int = 500
    approximation: str = ""

    @property
    def passed(self) -> bool:
        """Whether the numbers may be used."""
        return not self.problems

    @property
    def remedy_text(self) -> tuple[str | Argument, ...]:
        """The remedy with arguments as data, which the command line prints as options."""
        if self.passed:
            return ()
        if self.approximation:
            return ("Sample the posterior (", Argument("inference", "nuts"), ").")
        # Exact draws, and those from elsewhere, need no tuning.
        tune = (", ", Argument("tune", max(2 * self.tune, LEAST_ADVISED))) if self.tune else ()
        if self.divergences or self.bfmi < LEAST_BFMI:
            smaller = (Argument("target_accept", 0.99), *tune)
            return ("Tune longer with smaller steps (", *smaller, "), or use another model.")
        draws = Argument("draws", max(2 * self.draws, LEAST_ADVISED))
        return ("Sample longer (", draws, *tune, ").")

    @property
    def remedy(self) -> str:
        """What to do if the sampler did not converge."""
        return render(self.remedy_text)

    def __str__(self) -> str:
        if self.approximation:
            if self.passed:
                return f"Laplace approximation good: {self.approximation}."
            return f"Laplace approximation poor: {' '.join(self.problems)} ({self.approximation})."
        found = (
            f"R-hat {self.rhat:.3f}, bulk ESS {self.ess_bulk:.0f}, tail ESS {self.ess_tail:.0f}, "
            f"{self.divergences} divergences"
        )
        if self.passed:
            return f"Converged: {found}."
        return f"Not converged: {' '.join(self.problems)} ({found})."


def check_convergence(
    posterior: xr.Dataset, stats: xr.Dataset | None, tune: int = 0
) -> Convergence:
    """Judge every quantity of a posterior that varies, sampled after ``tune`` tuning steps.

    Parameters whose name starts with an underscore are not judged: they are defined only up to a
    sign or rotation, such as the loadings of factors.
    """
    posterior = posterior.drop_vars([v for v in posterior.data_vars if str(v).startswith("_")])
    spread = _flat(posterior.max(("chain", "draw")) - posterior.min(("chain", "draw")))
    found = (_stack.rhat(posterior), _stack.ess(posterior, "bulk"), _stack.ess(posterior, "tail"))
    rhat, bulk, tail = (
        {name: value for name, value in _flat(one).items() if spread[name] > 0} for one in found
    )
    divergences, bfmi = 0, np.nan
    if stats is not None:
        divergences = int(stats["diverging"].sum())
        if "energy" in stats:
            energy = stats["energy"].transpose("chain", "draw").to_numpy()
            steps = np.square(np.diff(energy, axis=1)).mean(axis=1)
            bfmi = float((steps / energy.var(axis=1)).min())
    least = LEAST_ESS * posterior.sizes["chain"]
    problems = []
    if high := [name for name, value in rhat.items() if not value <= MOST_RHAT]:
        problems.append(f"R-hat above {MOST_RHAT} for {listing(high, 5)}.")
    for kind, sizes in (("bulk", bulk), ("tail", tail)):
        if low := [name for name, value in sizes.items() if not value >= least]:
            problems.append(f"{kind.capitalize()} ESS below {least} for {listing(low, 5)}.")
    if divergences:
        problems.append(f"{divergences} divergent transitions.")
    if bfmi < LEAST_BFMI:
        problems.append(f"E-BFMI {bfmi:.2f} below {LEAST_BFMI}.")
    worst = max(rhat.values(), default=1.0)
    least_bulk, least_tail = (min(sizes.values(), default=np.inf) for sizes in (bulk, tail))
    draws, tune = int(posterior.sizes["draw"]), 0 if stats is None else tune
    return Convergence(
        worst, least_bulk, least_tail, divergences, bfmi, tuple(problems), draws, tune
    )


def judge_approximation(found: xr.Dataset, draws: int) -> Convergence:
    """Judge a Laplace approximation, whose draws are independent."""
    unsettled = float(max(found["shift"], found["change"]))
    residual = float(found["residual"])
    changes = {moment: found[f"change_of_{moment}"].to_series().abs() for moment in ("mean", "sd")}
    problems = []
    if not unsettled <= USABLE:
        problems.append("The search for its centre and spread did not settle.")
    if not residual <= MOST_RESIDUAL:
        problems.append("The posterior is far from normal.")
    for moment, change in changes.items():
        if wrong := [str(name) for name, value in change.items() if not value <= MOST_CHANGE]:
            problems.append(
                f"The {moment} of {listing(wrong, 5)} is off by up to {change.max():.2f} sd."
            )
    worst = max(change.max() for change in changes.values())
    words = (
        f"settled to {unsettled:.2f} sd, residual score {residual:.2f}, means and sds within "
        f"{worst:.2f} sd"
    )
    return Convergence(1.0, draws, draws, 0, np.nan, tuple(problems), draws, 0, approximation=words)


def join_verdicts(found: Convergence, tasks: Mapping[str, Convergence]) -> Convergence:
    """Return the verdict on a posterior and on its tasks: the worst number of each kind."""
    if not tasks:
        return found
    every = [found, *tasks.values()]
    bfmi = [one.bfmi for one in every if one.bfmi == one.bfmi]
    of_tasks = [f"Task {name!r}: {text}" for name, one in tasks.items() for text in one.problems]
    return replace(
        found,
        rhat=max(one.rhat for one in every),
        ess_bulk=min(one.ess_bulk for one in every),
        ess_tail=min(one.ess_tail for one in every),
        divergences=sum(one.divergences for one in every),
        bfmi=min(bfmi, default=np.nan),
        problems=(*found.problems, *of_tasks),
        tune=max(one.tune for one in every),
    )


def _flat(dataset: xr.Dataset) -> dict[str, float]:
    """Return every scalar of a dataset by name, such as ``true_means[bm25]``."""
    scalars: dict[str, float] = {}
    for name, variable in dataset.data_vars.items():
        labels = [variable[dim].to_numpy() for dim in variable.dims]
        for position, value in np.ndenumerate(variable.to_numpy()):
            where = ", ".join(str(axis[i]) for axis, i in zip(labels, position, strict=True))
            scalars[f"{name}[{where}]" if where else str(name)] = float(value)
    return scalars
