"""Studies: error, bias and coverage of methods on simulated collections with known truth."""

from bayescorr.study.compare import compare_published
from bayescorr.study.definition import Study
from bayescorr.study.library import list_studies, load_study
from bayescorr.study.methods import Bayesian, Frequentist
from bayescorr.study.run import run_study, study_status
from bayescorr.study.sources import Simulation, Source
from bayescorr.study.store import read_results
from bayescorr.study.summary import (
    paired_differences,
    summarise,
    summarise_intervals,
    summarise_pit,
)

__all__ = [
    "Bayesian",
    "Frequentist",
    "Simulation",
    "Source",
    "Study",
    "compare_published",
    "list_studies",
    "load_study",
    "paired_differences",
    "read_results",
    "run_study",
    "study_status",
    "summarise",
    "summarise_intervals",
    "summarise_pit",
]
