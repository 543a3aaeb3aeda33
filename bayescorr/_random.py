"""Randomness enters through one argument, ``random_seed``, and is made a generator here."""

from __future__ import annotations

import numpy as np

from bayescorr.errors import OptionError

RandomSeed = int | np.random.Generator | None


def generator(random_seed: RandomSeed) -> np.random.Generator:
    """Return the numpy generator that ``random_seed`` stands for.

    An integer gives a new generator that always starts alike; a generator is used as it is, so that
    a caller can go on with one stream; None gives fresh randomness.

    Examples
    --------
    >>> generator(1).integers(100) == generator(1).integers(100)
    np.True_
    """
    try:
        return np.random.default_rng(random_seed)
    except (TypeError, ValueError):
        raise OptionError(
            f"The seed is {random_seed!r}.", "Give a whole number of 0 or more, or a Generator."
        ) from None
