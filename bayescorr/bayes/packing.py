"""Data of a PyMC model as one vector.

What differs between data sets of one shape must be ``pm.Data``, so that one compilation serves them
all; and each ``pm.Data`` adds a second or two to a compilation. So there is one of them, and what
the model is written with are parts of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayescorr._numbers import FloatArray

#: Name of the vector in the model.
NAME = "data"


def pack(values: Mapping[str, Any]) -> FloatArray:
    """Put arrays and numbers into one vector.

    Examples
    --------
    >>> pack({"means": [0.2, 0.4], "n": 50})
    array([ 0.2,  0.4, 50. ])
    """
    return np.concatenate([np.ravel(np.asarray(value, dtype=float)) for value in values.values()])


def declare(values: Mapping[str, Any]) -> dict[str, Any]:
    """Declare the vector as ``pm.Data`` and give its parts by name, inside ``with pm.Model()``."""
    import pymc as pm

    vector = pm.Data(NAME, pack(values))
    parts, start = {}, 0
    for name, value in values.items():
        shape = np.shape(value)
        if shape:
            size = int(np.prod(shape))
            parts[name] = vector[start : start + size].reshape(shape)
        else:
            size = 1
            parts[name] = vector[start]
        start += size
    return parts
