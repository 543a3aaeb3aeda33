"""Simulate collections with known true means, and split the topics of real ones."""

from bayescorr.simulation.base import Simulator
from bayescorr.simulation.copula import CopulaSimulator
from bayescorr.simulation.effects import EffectsSimulator
from bayescorr.simulation.files import load_simulator
from bayescorr.simulation.fitting import fit_margins, select_margin
from bayescorr.simulation.margins import BetaMargin, Margin, NormalMargin, PointMargin
from bayescorr.simulation.margins_discrete import (
    BetaBinomialMargin,
    DiscreteKernelMargin,
    DiscreteMargin,
    score_support,
)
from bayescorr.simulation.margins_kernel import BetaKernelMargin, NormalKernelMargin
from bayescorr.simulation.real_topics import RealTopics
from bayescorr.simulation.resample import ResampleSimulator

__all__ = [
    "BetaBinomialMargin",
    "BetaKernelMargin",
    "BetaMargin",
    "CopulaSimulator",
    "DiscreteKernelMargin",
    "DiscreteMargin",
    "EffectsSimulator",
    "Margin",
    "NormalKernelMargin",
    "NormalMargin",
    "PointMargin",
    "RealTopics",
    "ResampleSimulator",
    "Simulator",
    "fit_margins",
    "load_simulator",
    "score_support",
    "select_margin",
]
