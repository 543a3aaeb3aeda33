"""Cells whose score is not known exactly: missing, measured with error, or beyond a bound.

Each such cell is a parameter, so that the closed forms of the complete scores hold given it.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Draws


def uncertain(data: ModelData) -> dict[str, FloatArray]:
    """Return a guess for every cell and the sd of its error, if some scores are uncertain."""
    if not data.uncertain:
        return {}
    topic = np.nanmean(data.standard - data.means, axis=1, keepdims=True)
    cells = {"guess": np.where(data.missing, data.means + topic, data.standard)}
    if data.score_sd is not None:
        cells["error"] = np.where(data.missing, 0.0, data.score_sd / data.scale)
    return cells


def latent(x: SimpleNamespace, data: ModelData) -> Any:
    """Scores with a parameter for every cell that is missing or measured with error."""
    import pymc as pm
    import pytensor.tensor as pt

    scores = x.guess
    if data.score_sd is not None:
        scores = scores + x.error * pm.Normal("noise", 0, 1, dims=("topic", "system"))
    if data.missing.any():
        missing = pm.Flat("missing", shape=int(data.missing.sum()))
        cells = np.nonzero(data.missing)
        scores = pt.set_subtensor(scores[cells], x.guess[cells] + missing)
    return scores


def complete(draws: Draws, data: ModelData) -> FloatArray:
    """Return the scores that ``latent`` stands for, per draw if cells are parameters."""
    cells = uncertain(data)
    if not cells:
        return data.standard
    scores = np.repeat(cells["guess"][None], len(draws["c"]), axis=0)
    if "noise" in draws:
        scores += cells["error"] * draws["noise"]
    if "missing" in draws:
        scores[:, data.missing] = cells["guess"][data.missing] + draws["missing"]
    return scores


def censored(values: FloatArray, low: float) -> dict[str, FloatArray]:
    """Return positions and sides (-1 below, 1 above) of the cells at the bounds low and -low.

    Cells of side 0 fill the arrays up to a power of two, so that data of one shape mostly share one
    compilation.
    """
    with np.errstate(invalid="ignore"):
        side = np.where(values <= low, -1.0, np.where(values >= -low, 1.0, 0.0)).ravel()
    position = np.flatnonzero(side)
    size = min(values.size, max(64, 2 ** int(np.ceil(np.log2(max(len(position), 1))))))
    # Position values.size stands for no cell.
    spare = np.full(size - len(position), values.size)
    sides = np.r_[side[position], np.zeros(len(spare))]
    return {"position": np.r_[position, spare].astype(float), "side": sides}


def beyond(x: SimpleNamespace, scores: Any) -> Any:
    """Move the censored cells beyond their bounds by a parameter each."""
    import pymc as pm
    import pytensor.tensor as pt

    # The prior beyond a bound is flat; spare parameters keep their prior and move nothing.
    by = pm.Exponential("beyond", 1, shape=x.side.shape[0])
    pm.Potential("beyond_flat", (by * x.side**2).sum())
    flat = pt.concatenate([scores.ravel(), pt.zeros(1)])
    flat = pt.inc_subtensor(flat[x.position.astype("int64")], by * x.side)
    return flat[:-1].reshape(scores.shape)
