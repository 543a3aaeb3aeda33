# The public names, by the module that holds them: one line each keeps changes apart.
from .errors import BayescorrError as BayescorrError
from .errors import BayescorrWarning as BayescorrWarning
from .errors import ConvergenceError as ConvergenceError
from .errors import ConvergenceWarning as ConvergenceWarning
from .errors import ScoresError as ScoresError
from .errors import ScoresWarning as ScoresWarning

__version__: str
