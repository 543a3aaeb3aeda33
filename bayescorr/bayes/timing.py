"""How long a fit will take, roughly, before it starts."""

from __future__ import annotations

import os

from bayescorr.bayes.model import ExactModel, Model, get_model

# Calibrated with the default model on tables of 50 x 30, 200 x 30, 50 x 60 and 50 x 97: seconds of
# one gradient per system, system squared and topic, gradients per draw, and to compile the model.
_PER_SYSTEM, _PER_SYSTEM_SQUARED, _PER_TOPIC = 4.8e-6, 5e-9, 1e-7
_GRADIENTS = 15
_COMPILE = 15.0


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
