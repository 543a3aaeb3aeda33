"""What a fit holds: draws of the true means, the scores, and how they were sampled."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import xarray as xr

from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack
from bayescorr.bayes.convergence import Convergence, check_convergence
from bayescorr.bayes.model import Model, get_model
from bayescorr.errors import ModelError
from bayescorr.scores.check import observed_means


class Stored:
    """The contents of a :class:`~bayescorr.Fit`, which its answers are read off."""

    def __init__(
        self, idata: Any, convergence: Convergence | None = None, model: Model | None = None
    ) -> None:
        self.idata = idata
        # A model that is not installed can be asked as long as the fit has not been to disk.
        self._model = model
        if convergence is None:
            convergence = check_convergence(self.posterior, _stack.group(idata, "sample_stats"))
        self.convergence = convergence

    @property
    def posterior(self) -> xr.Dataset:
        """Hyperparameters, true means and coefficients, dims chain and draw first."""
        return self._group("posterior")

    @property
    def true_means(self) -> xr.DataArray:
        """Draws of the true means, dims chain x draw x system."""
        return self.posterior["true_means"]

    @property
    def scores(self) -> pd.DataFrame:
        """The scores, topics x systems."""
        return pd.DataFrame(self._group("observed_data")["scores"].to_pandas())

    @property
    def score_sd(self) -> pd.DataFrame | None:
        """Standard deviations of the measurement error of the scores, where they were given."""
        observed = self._group("observed_data")
        if "score_sd" not in observed:
            return None
        return pd.DataFrame(observed["score_sd"].to_pandas())

    @property
    def higher_is_better(self) -> bool:
        """Whether the highest mean is the best."""
        return bool(self.idata.attrs["higher_is_better"])

    @property
    def model(self) -> Model:
        """The model that was fitted."""
        name = self.idata.attrs["model"]
        if not name:
            raise ModelError(
                "This fit was made from draws, so there is no model to ask.",
                "Use bayescorr.fit for what needs a model.",
            )
        return self._model or get_model(name)

    @property
    def method(self) -> str:
        """Name of the model, for tables."""
        return self.idata.attrs["model"] or "draws"

    @property
    def priors(self) -> dict[str, float]:
        """Numbers of the priors that were used."""
        return dict(json.loads(self.idata.attrs.get("priors", "{}")))

    @property
    def observed_means(self) -> pd.Series:
        """Observed means, the best system first; equal ones by label."""
        means = observed_means(self.scores).sort_index()
        return means.sort_values(ascending=not self.higher_is_better, kind="stable")

    @property
    def systems(self) -> list[Any]:
        """Systems in observed order, the best first."""
        return list(self.observed_means.index)

    def _group(self, name: str) -> xr.Dataset:
        found = _stack.group(self.idata, name)
        assert found is not None
        return found

    def _means(self) -> FloatArray:
        """Draws x systems, systems as in the scores."""
        values = self.true_means.transpose("chain", "draw", "system").to_numpy()
        return values.reshape(-1, values.shape[-1])

    def _ordered(self) -> FloatArray:
        """Draws x systems, systems in observed order."""
        positions = self.posterior.indexes["system"].get_indexer(self.observed_means.index)
        return self._means()[:, positions]


def flat_draws(posterior: xr.Dataset) -> dict[str, FloatArray]:
    """Parameters by name with chains one after the other on the first axis."""
    sizes = posterior.sizes["chain"] * posterior.sizes["draw"]
    return {
        str(name): variable.transpose("chain", "draw", ...)
        .to_numpy()
        .reshape(sizes, *variable.shape[2:])
        for name, variable in posterior.data_vars.items()
    }
