"""Rank correlation of true and observed mean scores.

Coefficients are functions of (truth, observed): truth first, systems on the last axis. Leading axes
broadcast, so that 4,000 draws of the true means against one observed vector are one call. Two
labelled arguments are aligned by label, anything else by position. Ties are exact equality: remove
rounding noise from the means first.
"""

from bayescorr.coefficients.ap import tau_ap, tau_ap_a, tau_ap_b
from bayescorr.coefficients.coefficient import Coefficient
from bayescorr.coefficients.drop import max_drop
from bayescorr.coefficients.gaps import tau_gap
from bayescorr.coefficients.kendall import tau, tau_a, tau_b
from bayescorr.coefficients.linear import pearson, spearman
from bayescorr.coefficients.rbo import rbo
from bayescorr.coefficients.registry import COEFFICIENTS, DEFAULT_COEFFICIENTS, correlate, resolve
from bayescorr.coefficients.top import overlap_at_k, tau_at_k

__all__ = [
    "COEFFICIENTS",
    "DEFAULT_COEFFICIENTS",
    "Coefficient",
    "correlate",
    "max_drop",
    "overlap_at_k",
    "pearson",
    "rbo",
    "resolve",
    "spearman",
    "tau",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_at_k",
    "tau_b",
    "tau_gap",
]
