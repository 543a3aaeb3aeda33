"""The contract of a model, and how models are found by name.

A model is any ``pm.Model`` plus a rule that computes the true means from its parameters. Built-in
and third-party models are found the same way, through the entry-point group ``bayescorr.models``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.random import Generator

from bayescorr._memory import check_memory
from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack
from bayescorr.bayes.data import ModelData
from bayescorr.errors import Argument, ModelError, OptionError, choose

if TYPE_CHECKING:
    import pymc as pm

#: The model that ``fit`` uses by default.
DEFAULT = "matrix-t"

#: Name of the ``pm.Data`` that holds everything that ``declare`` declares.
PACKED = "_bayescorr_data"

# Number of covariance matrices, m x m each, in memory at a time.
_BLOCK = 50

#: Draws of the parameters by name, draws on the first axis.
Draws = Mapping[str, FloatArray]
Priors = Mapping[str, float]


class Model(ABC):  # noqa: B024 - its two subclasses have the abstract methods
    """A model of the scores. Subclass :class:`PyMCModel` or :class:`ExactModel`, not this class."""

    #: Name for ``fit`` and tables; the name of the class by default.
    name: ClassVar[str] = ""
    #: One line each, for ``list_models`` and the documentation.
    description: ClassVar[str] = ""
    citation: ClassVar[str] = ""
    good_for: ClassVar[str] = ""
    bad_for: ClassVar[str] = ""
    #: Numbers of the priors by name. ``fit(..., priors={...})`` overrides any of them.
    priors: ClassVar[Priors] = {}
    takes_missing: ClassVar[bool] = False
    takes_score_sd: ClassVar[bool] = False
    #: Whether it has draws of other summaries than the mean (``ModelData.summary``).
    takes_summaries: ClassVar[bool] = False
    #: What ``log_likelihood`` is a density of. Only models of the same kind can be compared.
    density_of: ClassVar[str] = "scores"
    #: Whether ``fit`` and ``list_models`` offer it: False for models of several tables at once.
    of_one_table: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.name = cls.name or cls.__name__

    def check(self, data: ModelData) -> None:  # noqa: B027 - most models support any scores
        """Raise an error if the model does not support these scores."""

    def full_priors(self, priors: Mapping[str, float] | None) -> dict[str, float]:
        """Return the model's priors, with the user's values instead of the defaults."""
        return merge_priors(self.priors, priors, f"model {self.name!r}")

    def cannot(self, what: str) -> ModelError:
        """Return the error for something that this model does not support."""
        remedy = "Use another model, such as the default model."
        return ModelError(f"The model {self.name!r} cannot {what}.", remedy)

    def covariance(
        self, draws: Draws, true_means: FloatArray, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Draw the covariance of a topic's scores given the true means, draws x m x m."""
        raise self.cannot("draw the covariance of the scores")

    def new_topics(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        n_topics: int,
        rng: Generator,
    ) -> FloatArray:
        """Draw scores on new topics, draws x topics x systems: the posterior predictive."""
        factor = np.linalg.cholesky(self.covariance(draws, true_means, data, priors, rng))
        noise = rng.standard_normal((len(true_means), n_topics, true_means.shape[1]))
        return true_means[:, None, :] + noise @ factor.transpose(0, 2, 1)

    def new_means(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        n_topics: int,
        rng: Generator,
    ) -> FloatArray:
        """Draw the means over ``n_topics`` new topics, draws x systems: the posterior predictive.

        A model that has them in closed form may ignore the given true means.
        """
        if type(self).covariance is not Model.covariance:
            noise = [
                correlated_noise(self.covariance(*part, data, priors, rng), rng)
                for part in _blocks(draws, true_means, _BLOCK)
            ]
            return np.asarray(true_means + np.concatenate(noise) / np.sqrt(n_topics))
        cells = n_topics * data.n_systems
        check_memory(24.0 * cells, f"{n_topics:,} topics", "Use fewer topics.")
        parts = [
            self.new_topics(*part, data, priors, n_topics, rng).mean(axis=1)
            for part in _blocks(draws, true_means, max(1, 2_000_000 // cells))
        ]
        return np.concatenate(parts)

    def log_likelihood(self, draws: Draws, data: ModelData, priors: Priors) -> FloatArray:
        """Return the log density of each topic's scores given the draw, draws x topics.

        A model that integrates parameters out returns the density given the draw and all *other*
        topics, which is what leave-one-topic-out needs.
        """
        raise self.cannot("compute the density of a topic's scores")


class PyMCModel(Model):
    """A model that PyMC samples.

    ``build`` returns an ordinary ``pm.Model``, with or without ``pm.Data``. Give its variables dims
    from ``data.coords`` (``topic``, ``system``) to label their draws.
    """

    #: Acceptance rate that the sampler aims for: the higher, the smaller its steps.
    target_accept: ClassVar[float] = 0.8
    #: Whether the numbers of topics and systems matter to ``build`` only through ``data.coords``
    #: and what it declares. Tables of all sizes then share a compiled model, unless some of their
    #: cells are uncertain. Its parameters are numbers and vectors.
    any_size: ClassVar[bool] = False

    @abstractmethod
    def build(self, data: ModelData, priors: Priors) -> pm.Model:
        """Build the PyMC model."""

    @abstractmethod
    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Return draws of the true means on the scale of the scores, draws x systems."""

    def log_likelihood(self, draws: Draws, data: ModelData, priors: Priors) -> FloatArray:
        """Return the log density of each topic under the observed variables of the PyMC model."""
        _stack.pymc()
        built = self.build(data, priors)
        if not built.observed_RVs:
            return super().log_likelihood(draws, data, priors)
        return _stack.pointwise_log_likelihood(built, draws)

    def simulate(
        self, draw: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw true means and scores of a collection, given one draw of the parameters.

        Of ``data``, only the numbers of topics and systems are used.
        """
        raise self.cannot("simulate collections from its prior")

    # One compilation for all data sets of one shape: used by the models of this package.

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Return the arrays that ``declare`` declares, by name."""
        return {}

    def declare(self, data: ModelData, priors: Priors) -> tuple[SimpleNamespace, SimpleNamespace]:
        """Declare inputs and priors as data of the model, inside ``with pm.Model()``.

        Nothing that differs between data sets of one shape is then a constant of the model.
        """
        declared = declare(self.data_values(data, priors))
        inputs = {name: declared[name] for name in self.inputs(data)}
        prior = {name: declared[f"prior_{name}"] for name in priors}
        return SimpleNamespace(**inputs), SimpleNamespace(**prior)

    def data_values(self, data: ModelData, priors: Priors) -> dict[str, FloatArray]:
        """Return the values of everything that ``declare`` declares."""
        values = {**self.inputs(data), **{f"prior_{name}": priors[name] for name in priors}}
        return {name: np.asarray(value, dtype=float) for name, value in values.items()}


class ExactModel(Model):
    """A model with independent posterior draws, without MCMC."""

    @abstractmethod
    def sample(self, data: ModelData, priors: Priors, draws: int, rng: Generator) -> FloatArray:
        """Draw the true means on the scale of the scores, draws x systems."""

    def sample_summary(
        self, data: ModelData, priors: Priors, draws: int, rng: Generator
    ) -> FloatArray:
        """Draw other true summaries than means, those of ``data.summary``, draws x systems."""
        raise self.cannot("draw other summaries than the mean")


def correlated_noise(covariance: FloatArray, rng: Generator) -> FloatArray:
    """Return one draw of N(0, Sigma) for each covariance matrix, T x m x m."""
    normal = rng.standard_normal(covariance.shape[:2])
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        # Singular up to rounding.
        values, vectors = np.linalg.eigh(covariance)
        factor = vectors * np.sqrt(np.maximum(values, 0))[:, None, :]
    return np.asarray(np.einsum("dij,dj->di", factor, normal))


def _blocks(
    draws: Draws, true_means: FloatArray, size: int
) -> Iterator[tuple[dict[str, FloatArray], FloatArray]]:
    """Yield draws of the parameters and of the true means, ``size`` of them at a time."""
    for start in range(0, len(true_means), size):
        block = slice(start, start + size)
        yield {name: values[block] for name, values in draws.items()}, true_means[block]


def merge_priors(
    defaults: Priors,
    priors: Mapping[str, float] | None,
    owner: str,
    *,
    real: Collection[str] = (),
) -> dict[str, float]:
    """Return ``defaults`` updated by ``priors``: positive numbers, except those in ``real``."""
    if not isinstance(priors, Mapping | None):
        raise OptionError(
            (Argument("priors"), f" must map names to numbers; got {priors!r}."),
            f"The {owner} has the priors: {', '.join(sorted(defaults)) or 'none'}.",
        )
    given = dict(priors or {})
    if unknown := sorted(set(given) - set(defaults)):
        raise OptionError(
            f"The {owner} has no prior {', '.join(map(repr, unknown))}.",
            f"Its priors are: {', '.join(sorted(defaults)) or 'none'}.",
        )
    for name, value in given.items():
        if not isinstance(value, int | float | np.number) or isinstance(value, bool):
            raise OptionError(f"The prior {name!r} must be a number; got {value!r}.")
    full = {name: float(value) for name, value in {**defaults, **given}.items()}
    for name, value in full.items():
        if not np.isfinite(value) or (name not in real and value <= 0):
            kind = "finite" if name in real else "positive"
            raise OptionError(
                f"The prior {name!r} must be {kind}; got {value:g}.",
                f"The default is {defaults[name]:g}.",
            )
    return full


def pack(values: Mapping[str, Any]) -> FloatArray:
    """Concatenate the shapes of arrays and numbers, and then all their values, to one vector."""
    arrays = [np.asarray(value, dtype=float) for value in values.values()]
    shapes = [length for array in arrays for length in array.shape]
    return np.concatenate([shapes, *(array.ravel() for array in arrays)])


def declare(values: Mapping[str, Any]) -> dict[str, Any]:
    """Declare values as one ``pm.Data`` vector, and return its parts by name.

    Each ``pm.Data`` adds a second or two to a compilation, so there is only one. The shapes are
    data, too: the graph is the same for values of other shapes.
    """
    import pymc as pm

    vector = pm.Data(PACKED, pack(values))
    dims = {name: np.ndim(value) for name, value in values.items()}
    start: Any = sum(dims.values())
    lengths = iter([vector[i].astype("int64") for i in range(start)])
    parts = {}
    for name, ndim in dims.items():
        shape = [next(lengths) for _ in range(ndim)]
        end = start + math.prod(shape)
        parts[name] = vector[start:end].reshape(shape) if ndim else vector[start]
        start = end
    return parts


@cache
def _entry_points() -> dict[str, Any]:
    return {entry.name: entry for entry in entry_points(group="bayescorr.models")}


def get_model(model: str | Model | None = None) -> Model:
    """Return the model of this name.

    Parameters
    ----------
    model : str or Model, optional
        A name from :func:`list_models`, or a model, which is returned unchanged. By default the
        default model.

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
            f"The entry point {name!r} is a {type(instance).__name__}, not a model.",
            "Register a subclass of bayescorr.bayes.model.PyMCModel or ExactModel.",
        )
    return instance


def list_models() -> pd.DataFrame:
    """List the models: the built-in ones and those of installed packages.

    Returns
    -------
    DataFrame
        Columns name, description, good_for, bad_for, citation; the default model first.

    Examples
    --------
    >>> list_models()["name"].iloc[0]
    'matrix-t'
    """
    names = sorted(_entry_points(), key=lambda name: (name != DEFAULT, name))
    models = [model for model in map(get_model, names) if model.of_one_table]
    columns = ["name", "description", "good_for", "bad_for", "citation"]
    return pd.DataFrame({column: [getattr(m, column) for m in models] for column in columns})
