import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def small_scores():
    """A small collection of correlated systems."""
    rng = np.random.default_rng(11)
    values = rng.normal(size=(7, 4)) + 1.5 * rng.normal(size=(7, 1)) + np.linspace(0, 1.5, 4)
    return pd.DataFrame(values, columns=list("abcd"), index=[f"t{i}" for i in range(7)])
