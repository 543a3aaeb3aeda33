"""How many topics: predictions for new and extended topic sets, and generalizability theory."""

from bayescorr.planning.extrapolation import extrapolate
from bayescorr.planning.generalizability import Generalizability, generalizability
from bayescorr.planning.predictive import (
    ExpectedCoefficient,
    TopicsNeeded,
    expected_coefficient,
    topics_needed,
)

__all__ = [
    "ExpectedCoefficient",
    "Generalizability",
    "TopicsNeeded",
    "expected_coefficient",
    "extrapolate",
    "generalizability",
    "topics_needed",
]
