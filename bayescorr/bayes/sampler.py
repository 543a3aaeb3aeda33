"""The only place that samples: by NUTS, by Laplace or exactly; compiled once per shape."""

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
from bayescorr.bayes import _stack, laplace
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import PACKED, ExactModel, Model, Priors, PyMCModel, get_model, pack
from bayescorr.errors import Argument, ModelError, OptionError, choose, listing

if TYPE_CHECKING:
    import pymc as pm

SAMPLERS = ("nutpie", "pymc", "numpyro", "blackjax")
INFERENCES = ("nuts", "laplace")

#: Options of the samplers that are ignored by exact models, so that studies can set them for all.
ANY_MODEL = frozenset({"cores", "target_accept", "start"})

# Compiled models by model and shape. Few are kept, since each holds machine code and data.
_compiled: OrderedDict[tuple[Any, ...], _stack.Compiled] = OrderedDict()
_MOST_COMPILED = 16

# Calibrated with the default model on tables of 50 x 30, 200 x 30, 50 x 60 and 50 x 97: seconds of
# one gradient per system, system squared and topic, gradients per draw, and to compile the model.
_PER_SYSTEM, _PER_SYSTEM_SQUARED, _PER_TOPIC = 4.8e-6, 5e-9, 1e-7
_GRADIENTS = 15
_COMPILE = 15.0

#: The Laplace approximation keeps matrices of parameters x parameters, and needs twice as many
#: gradients per step as there are parameters.
MOST_PARAMETERS = 2000
#: NUTS samples models with at most this number of parameters in the coordinates of the Laplace
#: approximation, in which the posterior is nearly standard normal.
MOST_WHITENED = 400
#: Points at which the score of an approximation is compared with that of the posterior.
_CHECKED = 256
#: Starting points to try, until the search settles.
_STARTS = 3


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
    inference: str = "nuts"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, least in (("draws", 4), ("tune", 1), ("chains", 1)):
            check_count(getattr(self, name), name, least)
        choose(self.nuts_sampler, SAMPLERS, "sampler")
        choose(self.inference, INFERENCES, "inference")
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
        return {
            "priors": json.dumps(priors),
            "random_seed": str(self.seed),
            "inference": self.inference,
            **self.sizes,
        }

    def refuse_options(self, what: str) -> None:
        """Raise an error for options of the sampler that ``what`` does not have."""
        if unknown := sorted(self.options.keys() - ANY_MODEL):
            message = f"{what} needs no sampler; unsupported: {listing(unknown)}."
            raise OptionError(message, "Remove these options.")

    @property
    def cores(self) -> int:
        """Number of processors to use."""
        return int(self.options.get("cores") or min(self.chains, os.cpu_count() or 1))

    def with_default(self, **options: Any) -> Sampling:
        """Return the same with options that apply unless the user set them."""
        return replace(self, options={**options, **self.options})


def sample(
    model: Model, data: ModelData, priors: Priors, sampling: Sampling
) -> tuple[dict[str, xr.Dataset], FloatArray]:
    """Sample a model: groups of draws, and the true means as chains x draws x distinct systems."""
    rng = np.random.default_rng([sampling.seed, 1])
    if isinstance(model, ExactModel):
        sampling.refuse_options(f"The model {model.name!r}")
        groups = {"posterior": xr.Dataset()}
        draw = model.sample if data.summary is None else model.sample_summary
        means = draw(data, priors, sampling.chains * sampling.draws, rng)
    else:
        assert isinstance(model, PyMCModel)
        # Load all linear algebra first: only threads of loaded libraries can be limited.
        _stack.pymc()
        with threadpool_limits(1):
            groups = sample_parameters(model, data, priors, sampling)
            means = model.true_means(flat_draws(groups["posterior"]), data, priors, rng)
    return groups, means.reshape(sampling.chains, -1, means.shape[-1])


def sample_parameters(
    model: PyMCModel, data: ModelData, priors: Priors, sampling: Sampling
) -> dict[str, xr.Dataset]:
    """Sample the parameters of a model: ``posterior``, and ``sample_stats`` or ``laplace``."""
    values = model.data_values(data, priors)
    any_size = model.any_size and not data.uncertain
    key: tuple[Any, ...] = (type(model), *values)
    if not any_size:
        shapes = tuple(value.shape for value in values.values())
        missing = data.missing.tobytes() if data.missing.any() else b""
        key = (*key, data.n_topics, data.n_systems, shapes, missing)
    return sample_pymc(
        lambda: model.build(data, priors),
        values,
        key,
        data.coords,
        # A parameter for every uncertain cell makes corners that large steps miss.
        sampling.with_default(target_accept=0.95 if data.uncertain else model.target_accept),
        any_size=any_size,
    )


def sample_pymc(
    build: Callable[[], pm.Model],
    values: Mapping[str, Any],
    key: tuple[Any, ...],
    coords: Mapping[str, Any],
    sampling: Sampling,
    *,
    any_size: bool = False,
) -> dict[str, xr.Dataset]:
    """Sample any PyMC model; ``coords`` are the labels of its dimensions.

    If ``model.declare`` declares its data, ``values`` are their values, and models with the same
    ``key`` share one compilation: of data of one size, or of any size.
    """
    rng = np.random.default_rng([sampling.seed, 0])

    def compiled() -> _stack.Compiled:
        return compile_once(build, values, key, coords, any_size)

    if sampling.inference == "laplace":
        sampling.refuse_options("The Laplace approximation")
        _stack.pymc()
        with threadpool_limits(1):
            groups = _draw_normal(compiled(), sampling, rng)
        return _normalised(groups, coords)
    own = ("cores", "start")
    options = {name: value for name, value in sampling.options.items() if name not in own}
    arguments = {**sampling.sizes, "cores": sampling.cores}
    bar = sys.stderr.isatty() if sampling.progressbar is None else sampling.progressbar
    # Before the model imports it: users must not see warnings of its dependencies.
    pymc = _stack.pymc()
    seed = int(rng.integers(2**31))
    # Chains run in parallel, so threads inside linear algebra only slow them down.
    with threadpool_limits(1):
        if sampling.nuts_sampler == "nutpie":
            whitened = _whitened(compiled(), sampling, rng)
            trace = whitened.sample(seed=seed, progress_bar=bar, **arguments, **options)
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
    return _normalised(_stack.groups(trace), coords)


def _approximate(
    compiled: _stack.Compiled, sampling: Sampling, rng: np.random.Generator
) -> tuple[laplace.Evaluator, laplace.Normal]:
    """Find the Laplace approximation of a compiled model, from ``start`` if it is an option."""
    evaluate = laplace.Evaluator(compiled.at, sampling.cores)
    known = sampling.options.get("start")
    seeds = [None, *range(_STARTS - 1)]
    starts = map(compiled.initial, seeds) if known is None else (known,)
    for start in starts:
        normal = laplace.approximate(evaluate, start, rng)
        if normal.settled:
            break
    return evaluate, normal


def _draw_normal(
    compiled: _stack.Compiled, sampling: Sampling, rng: np.random.Generator
) -> dict[str, xr.Dataset]:
    """Draw from the Laplace approximation: groups ``posterior`` and ``laplace``, to be judged."""
    if (d := len(compiled.point)) > MOST_PARAMETERS:
        raise ModelError(
            f"The Laplace approximation supports at most {MOST_PARAMETERS:,} parameters; this "
            f"model has {d:,}.",
            ("Use ", Argument("inference", "nuts"), "."),
        )
    evaluate, normal = _approximate(compiled, sampling, rng)
    standard = rng.standard_normal((sampling.chains * sampling.draws, d))
    residual = laplace.residual_score(evaluate, normal, standard[:_CHECKED])
    found = {
        "standard": (("sample", "coordinate"), standard),
        "residual": (("point", "coordinate"), residual),
        "centre": (("coordinate",), normal.centre),
        "factor": (("coordinate", "coordinate_other"), normal.factor),
        "shift": normal.shift,
        "change": normal.change,
        "gradients": evaluate.count,
    }
    posterior = draws_at(compiled, normal.at(standard), (sampling.chains, sampling.draws))
    return {"posterior": posterior, "laplace": xr.Dataset(found)}


def draws_at(compiled: _stack.Compiled, points: FloatArray, shape: tuple[int, ...]) -> xr.Dataset:
    """Return parameters and deterministic variables at points, chains x draws = ``shape``."""
    first = compiled.expand(points[0], **compiled.data)
    found = {name: np.empty((len(points), *value.shape)) for name, value in first.items()}
    for i, x in enumerate(points):
        for name, value in compiled.expand(x, **compiled.data).items():
            found[name][i] = value
    variables = {}
    for name, values in found.items():
        inner = compiled.dims.get(name, [f"{name}_{i}" for i in range(values.ndim - 1)])
        shaped = values.reshape(*shape, *values.shape[1:])
        variables[name] = (("chain", "draw", *inner), shaped)
    return xr.Dataset(variables)


def _whitened(
    compiled: _stack.Compiled, sampling: Sampling, rng: np.random.Generator
) -> _stack.Compiled:
    """Return the model in coordinates in which its Laplace approximation is standard normal."""
    if len(compiled.point) > MOST_WHITENED:
        return compiled
    _, normal = _approximate(compiled, sampling, rng)
    if not normal.settled:
        return compiled
    return compiled.in_coordinates(normal.centre, normal.factor)


def compile_once(
    build: Callable[[], pm.Model],
    values: Mapping[str, Any],
    key: tuple[Any, ...],
    coords: Mapping[str, Any],
    any_size: bool,
) -> _stack.Compiled:
    """Compile a model, or reuse the one compiled for the same key."""
    if key not in _compiled:
        model = build()
        if [variable.name for variable in model.data_vars] != [PACKED]:
            # Some data are constants of this model or its own: they cannot be replaced.
            return _stack.compile_model(model)
        _compiled[key] = _stack.compile_model(model, any_size=any_size)
        if len(_compiled) > _MOST_COMPILED:
            _compiled.popitem(last=False)
    _compiled.move_to_end(key)
    return _compiled[key].on({PACKED: pack(values)}, coords)


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


def _normalised(
    found: Mapping[str, xr.Dataset], labels: Mapping[str, Any]
) -> dict[str, xr.Dataset]:
    """Keep what all samplers have in common, with the labels of these data."""
    posterior = found["posterior"]
    coords = {name: label for name, label in labels.items() if name in posterior.dims}
    internal = [name for name in posterior.data_vars if str(name).endswith("__")]
    posterior = posterior.drop_vars(internal).assign_coords(coords)
    if "laplace" in found:
        return {**found, "posterior": posterior}
    stats = found["sample_stats"]
    kept = {"diverging", "energy", "depth", "tree_depth", "n_steps", "step_size"}
    stats = stats[[name for name in stats.data_vars if name in kept]]
    return {"posterior": posterior.drop_attrs(), "sample_stats": stats.drop_attrs()}
