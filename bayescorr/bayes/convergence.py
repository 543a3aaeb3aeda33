"""The convergence gate: may the numbers be used, and if not, what to do."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import xarray as xr

from bayescorr.bayes import _stack
from bayescorr.errors import Argument, Text, listing, render

#: Limits of the gate; effective sample sizes are per chain.
MOST_RHAT = 1.01
LEAST_ESS = 100
LEAST_BFMI = 0.3


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
    """

    rhat: float
    ess_bulk: float
    ess_tail: float
    divergences: int
    bfmi: float
    problems: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> bool:
        """Whether the numbers may be used."""
        return not self.problems

    @property
    def remedy_text(self) -> Text:
        """What to do if the sampler did not converge; names arguments as data."""
        if self.passed:
            return ""
        if self.divergences or self.bfmi < LEAST_BFMI:
            smaller = (Argument("tune", 2000), ", ", Argument("target_accept", 0.99))
            return ("Tune longer with smaller steps (", *smaller, "), or use another model.")
        return ("Sample longer (", Argument("draws", 2000), ", ", Argument("tune", 1000), ").")

    @property
    def remedy(self) -> str:
        """What to do if the sampler did not converge."""
        return render(self.remedy_text)

    def __str__(self) -> str:
        found = (
            f"R-hat {self.rhat:.3f}, bulk ESS {self.ess_bulk:.0f}, tail ESS {self.ess_tail:.0f}, "
            f"{self.divergences} divergences"
        )
        if self.passed:
            return f"Converged: {found}."
        return f"Not converged: {' '.join(self.problems)} ({found})."


def check_convergence(posterior: xr.Dataset, stats: xr.Dataset | None) -> Convergence:
    """Judge every quantity of a posterior that varies.

    Parameters whose name starts with an underscore are not judged: they are defined only up to a
    sign or rotation, such as the loadings of factors.
    """
    posterior = posterior.drop_vars([v for v in posterior.data_vars if str(v).startswith("_")])
    chains = posterior.sizes["chain"]
    rhat = _flat(_stack.rhat(posterior))
    bulk = _flat(_stack.ess(posterior, "bulk"))
    tail = _flat(_stack.ess(posterior, "tail"))
    varies = _varies(posterior)
    rhat, bulk, tail = ({k: v for k, v in d.items() if varies[k]} for d in (rhat, bulk, tail))
    divergences, bfmi = 0, np.nan
    if stats is not None:
        divergences = int(stats["diverging"].sum())
        if "energy" in stats:
            bfmi = float(_stack.bfmi(stats["energy"].transpose("chain", "draw").to_numpy()).min())
    least = LEAST_ESS * chains
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
    return Convergence(
        rhat=max(rhat.values(), default=1.0),
        ess_bulk=min(bulk.values(), default=np.inf),
        ess_tail=min(tail.values(), default=np.inf),
        divergences=divergences,
        bfmi=bfmi,
        problems=tuple(problems),
    )


def _varies(posterior: xr.Dataset) -> dict[str, bool]:
    """Whether each quantity varies over the draws."""
    spread = posterior.max(("chain", "draw")) - posterior.min(("chain", "draw"))
    return {name: value > 0 for name, value in _flat(spread).items()}


def _flat(dataset: xr.Dataset) -> dict[str, float]:
    """Return every scalar of a dataset by name, such as ``true_means[bm25]``."""
    scalars: dict[str, float] = {}
    for name, variable in dataset.data_vars.items():
        labels = [variable[dim].to_numpy() for dim in variable.dims]
        for position in np.ndindex(variable.shape):
            where = ", ".join(str(axis[i]) for axis, i in zip(labels, position, strict=True))
            scalars[f"{name}[{where}]" if where else str(name)] = float(
                variable.to_numpy()[position]
            )
    return scalars
