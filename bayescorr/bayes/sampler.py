"""The only place that samples: PyMC models by NUTS, compiled once per shape."""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from typing import Any

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from bayescorr.bayes import _stack
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Priors, PyMCModel
from bayescorr.errors import choose

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
    rng = np.random.default_rng([seed, 0])
    choose(nuts_sampler, SAMPLERS, "sampler")
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

            compiled = _compile(model, data, priors)
            trace = nutpie.sample(
                compiled,
                seed=sampler_seed,
                progress_bar=bar,
                save_warmup=False,
                **arguments,
                **options,
            )
        else:
            pm = _stack.pymc()
            with model.build(data, priors):
                trace = pm.sample(
                    nuts_sampler=nuts_sampler,
                    random_seed=sampler_seed,
                    progressbar=bar,
                    compute_convergence_checks=False,
                    **arguments,
                    **options,
                )
    return _normalised(trace, data)


def prior_draws(
    model: PyMCModel, data: ModelData, priors: Priors, draws: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Draw the parameters from the prior, by name, draws on the first axis."""
    pm = _stack.pymc()
    built = model.build(data, priors)
    names = [variable.name for variable in built.free_RVs]
    values = pm.draw(built.free_RVs, draws=draws, random_seed=int(rng.integers(2**31)))
    return {name: np.asarray(value, float) for name, value in zip(names, values, strict=True)}


def _compile(model: PyMCModel, data: ModelData, priors: Priors) -> Any:
    """Compile a model for nutpie, or take the one compiled for the same shape."""
    import nutpie

    values = model.data_values(data, priors)
    shapes = tuple((name, value.shape) for name, value in values.items())
    missing = data.missing.tobytes() if data.missing.any() else b""
    key = (type(model), data.n_topics, data.n_systems, shapes, missing)
    if key not in _compiled:
        _stack.pymc()
        _compiled[key] = nutpie.compile_pymc_model(model.build(data, priors))
        if len(_compiled) > _MOST_COMPILED:
            _compiled.popitem(last=False)
    _compiled.move_to_end(key)
    return _compiled[key].with_data(**values)


def _normalised(trace: Any, data: ModelData) -> dict[str, xr.Dataset]:
    """Keep what is common to all samplers, with the labels of these data."""
    posterior = _stack.group(trace, "posterior")
    stats = _stack.group(trace, "sample_stats")
    assert posterior is not None
    assert stats is not None
    coords = {name: labels for name, labels in data.coords.items() if name in posterior.dims}
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
