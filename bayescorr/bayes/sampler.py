"""The only place that samples: PyMC models by NUTS, compiled once per shape."""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from bayescorr.bayes import _stack, packing
from bayescorr.bayes.compilation import compile_model
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Priors, PyMCModel
from bayescorr.errors import choose

if TYPE_CHECKING:
    import pymc as pm

SAMPLERS = ("nutpie", "pymc", "numpyro", "blackjax")

# Compiled models by model and shape: a compilation takes longer than sampling. Few are kept, since
# each holds machine code and data.
_compiled: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_MOST_COMPILED = 16


def sample(
    model: PyMCModel,
    data: ModelData,
    priors: Priors,
    *,
    draws: int,
    tune: int,
    chains: int,
    seed: int,
    nuts_sampler: str,
    progressbar: bool | None,
    **options: Any,
) -> dict[str, xr.Dataset]:
    """Sample the parameters of a model: groups ``posterior`` and ``sample_stats``."""
    # A parameter for every cell that is not known exactly makes corners that large steps miss.
    uncertain = data.score_sd is not None or data.missing.any()
    options.setdefault("target_accept", 0.95 if uncertain else model.target_accept)
    values = model.data_values(data, priors)
    shapes = tuple((name, value.shape) for name, value in values.items())
    missing = data.missing.tobytes() if data.missing.any() else b""
    return sample_pymc(
        lambda: model.build(data, priors),
        values,
        (type(model), data.n_topics, data.n_systems, shapes, missing),
        data.coords,
        draws=draws,
        tune=tune,
        chains=chains,
        seed=seed,
        nuts_sampler=nuts_sampler,
        progressbar=progressbar,
        **options,
    )


def sample_pymc(
    build: Callable[[], pm.Model],
    values: Mapping[str, Any],
    key: tuple[Any, ...],
    coords: Mapping[str, Any],
    *,
    draws: int,
    tune: int,
    chains: int,
    seed: int,
    nuts_sampler: str,
    progressbar: bool | None,
    **options: Any,
) -> dict[str, xr.Dataset]:
    """Sample any PyMC model whose data are declared by ``packing.declare``.

    ``values`` are the values of these, ``key`` says which models share one compilation, and
    ``coords`` are the labels of the dimensions.
    """
    rng = np.random.default_rng([seed, 0])
    choose(nuts_sampler, SAMPLERS, "sampler")
    # First, for what it silences: nutpie loads the same libraries.
    pymc = _stack.pymc()
    arguments = {
        "draws": draws,
        "tune": tune,
        "chains": chains,
        "cores": options.pop("cores", None) or min(chains, os.cpu_count() or 1),
    }
    bar = sys.stderr.isatty() if progressbar is None else progressbar
    sampler_seed = int(rng.integers(2**31))
    # Chains run side by side: threads inside the linear algebra would only get in their way.
    with threadpool_limits(1):
        if nuts_sampler == "nutpie":
            import nutpie

            trace = nutpie.sample(
                _compile(build, values, key),
                seed=sampler_seed,
                progress_bar=bar,
                save_warmup=False,
                **arguments,
                **options,
            )
        else:
            with build():
                trace = pymc.sample(
                    nuts_sampler=nuts_sampler,
                    random_seed=sampler_seed,
                    progressbar=bar,
                    compute_convergence_checks=False,
                    **arguments,
                    **options,
                )
    return _normalised(trace, coords)


def prior_draws(
    model: PyMCModel, data: ModelData, priors: Priors, draws: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Draw the parameters from the prior, by name, draws on the first axis."""
    pm = _stack.pymc()
    built = model.build(data, priors)
    variables = [*built.free_RVs, *built.deterministics]
    names = [variable.name for variable in variables]
    values = pm.draw(variables, draws=draws, random_seed=int(rng.integers(2**31)))
    return {name: np.asarray(value, float) for name, value in zip(names, values, strict=True)}


def _compile(build: Callable[[], pm.Model], values: Mapping[str, Any], key: tuple[Any, ...]) -> Any:
    """Compile a model for nutpie, or take the one compiled for the same key."""
    if key not in _compiled:
        _compiled[key] = compile_model(build())
        if len(_compiled) > _MOST_COMPILED:
            _compiled.popitem(last=False)
    _compiled.move_to_end(key)
    return _compiled[key].with_data(**{packing.NAME: packing.pack(values)})


def _normalised(trace: Any, labels: Mapping[str, Any]) -> dict[str, xr.Dataset]:
    """Keep what is common to all samplers, with the labels of these data."""
    posterior = _stack.group(trace, "posterior")
    stats = _stack.group(trace, "sample_stats")
    assert posterior is not None
    assert stats is not None
    coords = {name: label for name, label in labels.items() if name in posterior.dims}
    posterior = posterior.drop_vars(
        [name for name in posterior.data_vars if _is_internal(str(name))]
    ).assign_coords(coords)
    kept = {"diverging", "energy", "depth", "tree_depth", "n_steps", "step_size"}
    stats = stats[[name for name in stats.data_vars if name in kept]]
    for dataset in (posterior, stats):
        dataset.attrs.clear()
    return {"posterior": posterior, "sample_stats": stats}


def _is_internal(name: str) -> bool:
    return name.endswith("__")
