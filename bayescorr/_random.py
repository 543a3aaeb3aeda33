"""Random numbers: the one place where ``random_seed`` becomes a generator."""

from __future__ import annotations

import numpy as np

from bayescorr.errors import OptionError

RandomSeed = int | np.random.Generator | None


def generator(random_seed: RandomSeed) -> np.random.Generator:
    """Return a numpy generator: new from an integer or None, or the given generator itself."""
    try:
        return np.random.default_rng(random_seed)
    except (TypeError, ValueError):
        raise OptionError(
            "The random seed must be a whole number, at least 0, or a numpy Generator; "
            f"got {random_seed!r}."
        ) from None
