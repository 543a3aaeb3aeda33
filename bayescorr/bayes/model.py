"""The contract of a model, and how models are found by name.

A model says, in one file, how scores come about; everything that follows from draws of the true
means (coefficients, ranks, intervals, plots) is done elsewhere, once for all models. Built-in and
third-party models are found the same way, through the entry-point group ``bayescorr.models``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.bayes import packing
from bayescorr.bayes.data import ModelData
from bayescorr.errors import ModelError, OptionError, choose

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm

#: The model that ``fit`` uses when none is named.
DEFAULT = "matrix-t"

#: Draws of the parameters by name, draws on the first axis.
Draws = Mapping[str, FloatArray]
Priors = Mapping[str, float]


class Model(ABC):
    """A model of the scores: what every model has, sampled by MCMC or drawn exactly.

    Subclass :class:`PyMCModel` or :class:`ExactModel`, not this one.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    citation: ClassVar[str]
    good_for: ClassVar[str]
    bad_for: ClassVar[str]
    #: Numbers of the priors, by name; ``fit(..., priors={...})`` overrides any of them.
    priors: ClassVar[Priors] = {}
    takes_missing: ClassVar[bool] = False
    takes_score_sd: ClassVar[bool] = False
    #: What ``log_likelihood`` is a density of; models are compared when it is the same.
    density_of: ClassVar[str] = "scores"

    def check(self, data: ModelData) -> None:  # noqa: B027 - most models take any scores
        """Refuse scores that this model cannot take, with the remedy."""

    def covariance(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Draws of the covariance of a topic's scores given the true means, draws x m x m."""
        raise self.cannot("draw the covariance of the scores")

    def new_topics(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        n_topics: int,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Scores on new topics, draws x topics x systems: the posterior predictive."""
        covariance = self.covariance(draws, true_means, data, priors, rng)
        factor = np.linalg.cholesky(covariance)
        noise = rng.standard_normal((len(true_means), n_topics, true_means.shape[1]))
        return true_means[:, None, :] + noise @ factor.transpose(0, 2, 1)

    def log_likelihood(self, draws: Draws, data: ModelData, priors: Priors) -> FloatArray:
        """Log density of each topic's scores, draws x topics, given the draw.

        Where the parameters of a topic are integrated out this is the density given the draw and
        all *other* topics, which is what leave-one-topic-out needs.
        """
        raise self.cannot("give the density of a topic's scores")

    def cannot(self, what: str) -> ModelError:
        """Return the error that says what this model cannot do."""
        return ModelError(
            f"The model {self.name!r} cannot {what}.",
            "Use another model, such as the default model.",
        )

    def full_priors(self, priors: Mapping[str, float] | None) -> dict[str, float]:
        """Return the model's priors with the user's values in place of the defaults."""
        given = dict(priors or {})
        if unknown := sorted(set(given) - set(self.priors)):
            known = ", ".join(sorted(self.priors)) or "none: it has no priors"
            raise OptionError(
                f"The model {self.name!r} has no prior {', '.join(map(repr, unknown))}.",
                f"Its priors are: {known}.",
            )
        full = {name: float(value) for name, value in {**self.priors, **given}.items()}
        for name, value in full.items():
            if not value > 0 or not np.isfinite(value):
                raise OptionError(
                    f"The prior {name!r} is {value:g}, a positive number is needed.",
                    f"The default is {self.priors[name]:g}.",
                )
        return full


class PyMCModel(Model):
    """A model sampled with PyMC."""

    #: Rate of acceptance that the sampler aims at; the higher, the smaller and safer its steps.
    target_accept: ClassVar[float] = 0.8

    @abstractmethod
    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Arrays that the model is built on, by name."""

    @abstractmethod
    def build(self, data: ModelData, priors: Priors) -> pm.Model:
        """Build the PyMC model, with coords ``topic`` and ``system``."""

    @abstractmethod
    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: np.random.Generator
    ) -> FloatArray:
        """Draws of the true means on the scale of the scores, draws x systems."""

    def simulate(
        self, draw: Draws, data: ModelData, priors: Priors, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw true means and scores of a collection, given one draw of the parameters.

        ``data`` gives the number of topics and systems only. This is the generative model read
        forwards, for prior predictive checks and simulation-based calibration.
        """
        raise self.cannot("simulate collections from its prior")

    def declare(self, data: ModelData, priors: Priors) -> tuple[SimpleNamespace, SimpleNamespace]:
        """Declare inputs and priors as data of the model; call it inside ``with pm.Model()``.

        Nothing that differs between data sets of one shape is then a constant of the model, so
        that one compilation serves them all.
        """
        declared = packing.declare(self.data_values(data, priors))
        inputs = {name: declared[name] for name in self.inputs(data)}
        prior = {name: declared[f"prior_{name}"] for name in priors}
        return SimpleNamespace(**inputs), SimpleNamespace(**prior)

    def data_values(self, data: ModelData, priors: Priors) -> dict[str, FloatArray]:
        """Values of everything that ``declare`` declares."""
        values = {**self.inputs(data), **{f"prior_{name}": priors[name] for name in priors}}
        return {name: np.asarray(value, dtype=float) for name, value in values.items()}


class ExactModel(Model):
    """A model whose posterior is drawn from directly: independent draws, no MCMC."""

    @abstractmethod
    def sample(
        self, data: ModelData, priors: Priors, draws: int, rng: np.random.Generator
    ) -> FloatArray:
        """Independent draws of the true means on the scale of the scores, draws x systems."""


@cache
def _entry_points() -> dict[str, Any]:
    return {entry.name: entry for entry in entry_points(group="bayescorr.models")}


def get_model(model: str | Model | None = None) -> Model:
    """Find a model by its name.

    Parameters
    ----------
    model : str or Model, optional
        A name as :func:`list_models` gives it, or a model, which is returned as it is; the default
        model when left out.

    Examples
    --------
    >>> get_model().name
    'matrix-t'
    """
    if isinstance(model, Model):
        return model
    name = choose(DEFAULT if model is None else model, _entry_points(), "model")
    found = _entry_points()[name].load()
    instance = found() if isinstance(found, type) else found
    if not isinstance(instance, PyMCModel | ExactModel):
        raise ModelError(
            f"The entry point {name!r} gives {type(instance).__name__}, not a model.",
            "It must name a subclass of bayescorr.bayes.model.PyMCModel or ExactModel.",
        )
    return instance


def list_models() -> pd.DataFrame:
    """List the models that can be fitted: the built-in ones and those of installed packages.

    Returns
    -------
    DataFrame
        Columns name, description, good_for, bad_for, citation; the default model first.

    Examples
    --------
    >>> list_models()["name"].iloc[0]
    'matrix-t'
    """
    import pandas as pd

    names = sorted(_entry_points(), key=lambda name: (name != DEFAULT, name))
    columns = ["name", "description", "good_for", "bad_for", "citation"]
    rows = [[getattr(get_model(name), column) for column in columns] for name in names]
    return pd.DataFrame(rows, columns=columns)
