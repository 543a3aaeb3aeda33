"""Rank correlation of true and observed mean scores: compiled kernels under labelled functions."""

from bayescorr.coefficients.api import (
    pearson,
    spearman,
    tau,
    tau_a,
    tau_ap,
    tau_ap_a,
    tau_ap_b,
    tau_b,
    tau_gap,
)
from bayescorr.coefficients.registry import (
    COEFFICIENTS,
    DEFAULT_COEFFICIENTS,
    Coefficient,
    correlate,
    resolve,
)

__all__ = [
    "COEFFICIENTS",
    "DEFAULT_COEFFICIENTS",
    "Coefficient",
    "correlate",
    "pearson",
    "resolve",
    "spearman",
    "tau",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "tau_gap",
]
