# The public names, by the module that holds them: one line each keeps changes apart.
from .errors import BayescorrError as BayescorrError
from .errors import BayescorrWarning as BayescorrWarning
from .errors import ConvergenceError as ConvergenceError
from .errors import ConvergenceWarning as ConvergenceWarning
from .errors import ScoresError as ScoresError
from .errors import ScoresWarning as ScoresWarning
from .scores.check import check_scores as check_scores
from .scores.describe import describe_scores as describe_scores
from .scores.select import drop_identical as drop_identical
from .scores.select import drop_worst as drop_worst

__version__: str
