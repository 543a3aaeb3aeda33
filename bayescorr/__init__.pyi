# The public names, by the module that holds them: one line each keeps changes apart.
from .bayes.fit import fit as fit
from .bayes.model import list_models as list_models
from .bayes.result import Fit as Fit
from .bayes.result import load_fit as load_fit
from .coefficients.api import pearson as pearson
from .coefficients.api import spearman as spearman
from .coefficients.api import tau as tau
from .coefficients.api import tau_a as tau_a
from .coefficients.api import tau_ap as tau_ap
from .coefficients.api import tau_ap_a as tau_ap_a
from .coefficients.api import tau_ap_b as tau_ap_b
from .coefficients.api import tau_b as tau_b
from .coefficients.api import tau_gap as tau_gap
from .coefficients.registry import correlate as correlate
from .coefficients.swaps import significance_matrix as significance_matrix
from .coefficients.swaps import swap_experiment as swap_experiment
from .coefficients.swaps import swap_weights as swap_weights
from .errors import BayescorrError as BayescorrError
from .errors import BayescorrWarning as BayescorrWarning
from .errors import ConvergenceError as ConvergenceError
from .errors import ConvergenceWarning as ConvergenceWarning
from .errors import ScoresError as ScoresError
from .errors import ScoresWarning as ScoresWarning
from .scores.check import check_scores as check_scores
from .scores.datasets import list_datasets as list_datasets
from .scores.datasets import load_dataset as load_dataset
from .scores.describe import describe_scores as describe_scores
from .scores.read import read_scores as read_scores
from .scores.runs import score_runs as score_runs
from .scores.select import drop_identical as drop_identical
from .scores.select import drop_worst as drop_worst
from .simulation.copula import CopulaSimulator as CopulaSimulator
from .simulation.effects import EffectsSimulator as EffectsSimulator
from .simulation.files import load_simulator as load_simulator

__version__: str
