"""How commands sample: options of the sampler and the model, and what convergence leads to."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import bayescorr
from bayescorr.cli._options import Seed, check_share, option
from bayescorr.cli._output import show_notes
from bayescorr.cli._progress import stage, warn_if_long
from bayescorr.errors import OptionError, choose, render

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.bayes.convergence import Convergence
    from bayescorr.bayes.result import Fit

#: Exit code of a command whose sampler did not converge. It prints its results all the same.
NOT_CONVERGED = 3


def parse_priors(given: list[str]) -> dict[str, float]:
    """Read ``NAME=VALUE`` of every ``--prior``."""
    priors = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            priors[name.strip()] = float(value)
        except ValueError:
            raise OptionError(
                f"--prior must be NAME=VALUE with a number; got {text!r}.",
                "Example: --prior prior_topics=10",
            ) from None
    return priors


def _check_inference(value: str) -> None:
    choose(value, ("laplace", "nuts"), "inference")


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Options of the sampler."""

    panel: ClassVar = "Sampling"

    inference: Annotated[
        str,
        option(
            "nuts samples the posterior; laplace approximates it in a second or two.",
            check=_check_inference,
        ),
    ] = "nuts"
    draws: Annotated[int, option("Draws per chain.", min=4)] = 1000
    tune: Annotated[int, option("Tuning steps per chain.", min=1)] = 500
    chains: Annotated[int, option("Number of chains.", min=1)] = 4
    target_accept: Annotated[
        float | None,
        option(
            "Acceptance rate that step sizes are tuned for; higher means smaller steps.",
            check=check_share("target_accept"),
            default="set by the model",
        ),
    ] = None
    seed: Seed = None

    @property
    def options(self) -> dict[str, Any]:
        """The same as arguments of the functions that sample."""
        given = {"draws": self.draws, "tune": self.tune, "chains": self.chains}
        accept = {} if self.target_accept is None else {"target_accept": self.target_accept}
        return {**given, **accept, "inference": self.inference, "random_seed": self.seed}

    def expected(self, topics: int, systems: int, model: str | None = None) -> float:
        """Return the expected seconds of a fit."""
        from bayescorr.bayes.sampler import expected_seconds

        if self.inference == "laplace":
            return 0.0
        sizes = {"draws": self.draws, "tune": self.tune, "chains": self.chains}
        return expected_seconds(topics, systems, model=model, **sizes)

    def warn_if_long(self, seconds: float) -> float:
        """Print a note if fits are expected to take minutes; return the seconds."""
        faster = "--inference laplace takes a fraction of that"
        warn_if_long(seconds, f"{faster}; fewer --draws take less time.")
        return seconds


@dataclass(frozen=True, kw_only=True)
class Fitting(Sampling):
    """Which model to fit, and how to sample it."""

    model: Annotated[
        str | None, option("Name of a model; see 'bayescorr models'.", default="matrix-t")
    ] = None
    priors: Annotated[
        list[str],
        option(
            "Set a number of the model's priors; may be repeated.",
            "--prior",
            metavar="NAME=VALUE",
            check=parse_priors,
        ),
    ] = field(default_factory=list)

    @property
    def options(self) -> dict[str, Any]:
        """The same as arguments of :func:`bayescorr.fit`."""
        return {**super().options, "model": self.model, "priors": parse_priors(self.priors)}

    def announce(self, scores: pd.DataFrame) -> float:
        """Return the expected seconds of the fit; print a note first if they are minutes."""
        return self.warn_if_long(self.expected(*scores.shape, self.model))

    def fit(self, scores: pd.DataFrame, **options: Any) -> Fit:
        """Fit the model; :func:`finish` says whether the sampler converged."""
        with stage("fitting the model", self.announce(scores)):
            return bayescorr.fit(scores, **self.options, **options, progressbar=False)

    def preliminary(self, scores: pd.DataFrame, **options: Any) -> dict[str, Any]:
        """Print the answer of a Laplace approximation; return it as the start of the sampler."""
        from bayescorr.bayes.model import PyMCModel, get_model
        from bayescorr.errors import ConvergenceWarning, ModelError

        if self.inference != "nuts" or not isinstance(get_model(self.model), PyMCModel):
            return {}
        given = {**self.options, **options, "inference": "laplace", "warn": False}
        given.pop("target_accept", None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                found = bayescorr.fit(scores, **given)
            except ModelError:
                return {}
        if not found.convergence.passed:
            return {}
        row = found.estimates(coefficients="tau").iloc[0]
        words = "tau = {estimate:.2f} (95% interval {lower:.2f} to {upper:.2f})".format_map(row)
        show_notes([f"preliminary: {words}, by a Laplace approximation. Now sampling."])
        return {"start": found.normal}


def in_words(found: Convergence) -> str:
    """Say whether the sampler converged and, if not, which options to change."""
    return f"{found} {render(found.remedy_text, shell=True)}".rstrip()


def finish(found: Convergence, say: bool = True) -> None:
    """Exit with code 3 if the sampler did not converge; ``say`` so unless the command did."""
    if found.passed:
        return
    if say:
        show_notes([in_words(found)])
    raise typer.Exit(NOT_CONVERGED)
