"""The only place that samples: models by NUTS or exactly, compiled once per shape."""

from __future__ import annotations

import json
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from bayescorr._numbers import FloatArray, check_count
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes import _stack
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import PACKED, ExactModel, Model, Priors, PyMCModel, get_model, pack
from bayescorr.errors import OptionError, choose, listing

if TYPE_CHECKING:
    import pymc as pm

SAMPLERS = ("nutpie", "pymc", "numpyro", "blackjax")

#: Options of the samplers that are ignored by exact models, so that studies can set them for all.
ANY_MODEL = frozenset({"cores", "target_accept"})

# Compiled models by model and shape. Few are kept, since each holds machine code and data.
_compiled: OrderedDict[tuple[Any, ...], _stack.Compiled] = OrderedDict()
_MOST_COMPILED = 16

# Calibrated with the default model on tables of 50 x 30, 200 x 30, 50 x 60 and 50 x 97: seconds of
# one gradient per system, system squared and topic, gradients per draw, and to compile the model.
_PER_SYSTEM, _PER_SYSTEM_SQUARED, _PER_TOPIC = 4.8e-6, 5e-9, 1e-7
_GRADIENTS = 15
_COMPILE = 15.0


@dataclass(frozen=True)
class Sampling:
    """How to sample: the arguments of :func:`bayescorr.fit` that concern the sampler.

    A seed that is not a whole number is replaced by one, so that it can be stored and used again.
    """

    draws: int = 1000
    tune: int = 500
    chains: int = 4
    random_seed: RandomSeed = None
    nuts_sampler: str = "nutpie"
    progressbar: bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, least in (("draws", 4), ("tune", 0), ("chains", 1)):
            check_count(getattr(self, name), name, least)
        choose(self.nuts_sampler, SAMPLERS, "sampler")
        drawn = generator(self.random_seed)
        if not isinstance(self.random_seed, int | np.integer):
            object.__setattr__(self, "random_seed", int(drawn.integers(2**63 - 1)))

    @property
    def seed(self) -> int:
        """The seed as an integer."""
        return int(self.random_seed)  # type: ignore[arg-type]

    @property
    def sizes(self) -> dict[str, int]:
        """Draws, tuning steps and chains."""
        return {"draws": self.draws, "tune": self.tune, "chains": self.chains}

    def record(self, priors: Priors) -> dict[str, Any]:
        """Return the attributes that are stored with a posterior."""
        return {"priors": json.dumps(priors), "random_seed": str(self.seed), **self.sizes}

    def with_default(self, **options: Any) -> Sampling:
        """Return the same with options that apply unless the user set them."""
        return replace(self, options={**options, **self.options})


def sample(
    model: Model, data: ModelData, priors: Priors, sampling: Sampling
) -> tuple[dict[str, xr.Dataset], FloatArray]:
    """Sample a model: groups of draws, and the true means as chains x draws x distinct systems."""
    rng = np.random.default_rng([sampling.seed, 1])
    if isinstance(model, ExactModel):
        if unknown := sorted(sampling.options.keys() - ANY_MODEL):
            raise OptionError(
                f"The model {model.name!r} needs no sampler; unsupported: {listing(unknown)}.",
                "Remove these options.",
            )
        groups = {"posterior": xr.Dataset()}
        means = model.sample(data, priors, sampling.chains * sampling.draws, rng)
    else:
        assert isinstance(model, PyMCModel)
        groups = sample_parameters(model, data, priors, sampling)
        means = model.true_means(flat_draws(groups["posterior"]), data, priors, rng)
    return groups, means.reshape(sampling.chains, -1, means.shape[-1])


def sample_parameters(
    model: PyMCModel, data: ModelData, priors: Priors, sampling: Sampling
) -> dict[str, xr.Dataset]:
    """Sample the parameters of a model: groups ``posterior`` and ``sample_stats``."""
    values = model.data_values(data, priors)
    shapes = tuple((name, value.shape) for name, value in values.items())
    missing = data.missing.tobytes() if data.missing.any() else b""
    return sample_pymc(
        lambda: model.build(data, priors),
        values,
        (type(model), data.n_topics, data.n_systems, shapes, missing),
        data.coords,
        # A parameter for every uncertain cell makes corners that large steps miss.
        sampling.with_default(target_accept=0.95 if data.uncertain else model.target_accept),
    )


def sample_pymc(
    build: Callable[[], pm.Model],
    values: Mapping[str, Any],
    key: tuple[Any, ...],
    coords: Mapping[str, Any],
    sampling: Sampling,
) -> dict[str, xr.Dataset]:
    """Sample any PyMC model; ``coords`` are the labels of its dimensions.

    If ``model.declare`` declares its data, ``values`` are their values, and models with the same
    ``key`` share one compilation.
    """
    rng = np.random.default_rng([sampling.seed, 0])
    options = dict(sampling.options)
    arguments = {
        **sampling.sizes,
        "cores": options.pop("cores", None) or min(sampling.chains, os.cpu_count() or 1),
    }
    bar = sys.stderr.isatty() if sampling.progressbar is None else sampling.progressbar
    # Before the model imports it: users must not see warnings of its dependencies.
    pymc = _stack.pymc()
    seed = int(rng.integers(2**31))
    # Chains run in parallel, so threads inside linear algebra only slow them down.
    with threadpool_limits(1):
        if sampling.nuts_sampler == "nutpie":
            compiled = compile_once(build, values, key)
            trace = compiled.sample(seed=seed, progress_bar=bar, **arguments, **options)
        else:
            with build():
                trace = pymc.sample(
                    nuts_sampler=sampling.nuts_sampler,
                    random_seed=seed,
                    progressbar=bar,
                    compute_convergence_checks=False,
                    **arguments,
                    **options,
                )
    return _normalised(trace, coords)


def compile_once(
    build: Callable[[], pm.Model], values: Mapping[str, Any], key: tuple[Any, ...]
) -> _stack.Compiled:
    """Compile a model, or reuse the one compiled for the same key."""
    if key not in _compiled:
        compiled = _stack.compile_model(build())
        if list(compiled.data) != [PACKED]:
            # Some data are constants of this model or its own: they cannot be replaced.
            return compiled
        _compiled[key] = compiled
        if len(_compiled) > _MOST_COMPILED:
            _compiled.popitem(last=False)
    _compiled.move_to_end(key)
    return replace(_compiled[key], data={PACKED: pack(values)})


def expected_seconds(
    topics: int,
    systems: int,
    model: str | Model | None = None,
    *,
    draws: int = 1000,
    tune: int = 500,
    chains: int = 4,
) -> float:
    """Return a rough estimate of the seconds that a fit takes on this machine; 0 if not sampled.

    The rule is that of the default model: (draws + tune) x chains x gradients per draw x seconds
    per gradient, divided by the processors in use, plus the time to compile. Expect it to be right
    within a factor of two or three.

    Examples
    --------
    >>> expected_seconds(50, 30, "flat")
    0.0
    >>> expected_seconds(50, 300) > expected_seconds(50, 30) > 10
    True
    """
    if isinstance(get_model(model), ExactModel):
        return 0.0
    gradient = _PER_SYSTEM * systems + _PER_SYSTEM_SQUARED * systems**2 + _PER_TOPIC * topics
    work = (draws + tune) * chains * _GRADIENTS * gradient
    return _COMPILE + work / min(chains, os.cpu_count() or 1)


def prior_draws(
    model: PyMCModel, data: ModelData, priors: Priors, draws: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Draw the parameters from the prior, by name, draws on the first axis."""
    pm = _stack.pymc()
    built = model.build(data, priors)
    variables = [*built.free_RVs, *built.deterministics]
    values = pm.draw(variables, draws=draws, random_seed=int(rng.integers(2**31)))
    return {v.name: np.asarray(x, float) for v, x in zip(variables, values, strict=True)}


def flat_draws(posterior: xr.Dataset) -> dict[str, FloatArray]:
    """Return parameters by name, the draws of all chains on the first axis."""
    values = {
        str(name): variable.transpose("chain", "draw", ...).to_numpy()
        for name, variable in posterior.data_vars.items()
    }
    return {name: x.reshape(-1, *x.shape[2:]) for name, x in values.items()}


def _normalised(trace: Any, labels: Mapping[str, Any]) -> dict[str, xr.Dataset]:
    """Keep what all samplers have in common, with the labels of these data."""
    found = _stack.groups(trace)
    posterior, stats = found["posterior"], found["sample_stats"]
    coords = {name: label for name, label in labels.items() if name in posterior.dims}
    internal = [name for name in posterior.data_vars if str(name).endswith("__")]
    posterior = posterior.drop_vars(internal).assign_coords(coords)
    kept = {"diverging", "energy", "depth", "tree_depth", "n_steps", "step_size"}
    stats = stats[[name for name in stats.data_vars if name in kept]]
    return {"posterior": posterior.drop_attrs(), "sample_stats": stats.drop_attrs()}
