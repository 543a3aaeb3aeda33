"""Frequentist estimators of the correlation with the true ranking, one file each."""

from bayescorr.frequentist.api import discordance, estimate, list_estimators
from bayescorr.frequentist.estimator import Differences, Estimator, Splits
from bayescorr.frequentist.pairs_of_pairs import variance
from bayescorr.frequentist.registry import ESTIMATORS
from bayescorr.frequentist.sample import Sample

__all__ = [
    "ESTIMATORS",
    "Differences",
    "Estimator",
    "Sample",
    "Splits",
    "discordance",
    "estimate",
    "list_estimators",
    "variance",
]
