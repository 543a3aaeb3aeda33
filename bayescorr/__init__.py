"""Say how close the published ranking of systems is to the true one.

bayescorr answers with a distribution: posteriors of Kendall's tau, AP correlation and the
gap-sensitive tau_GAP between the ranking observed on a sample of topics and the true one, beside
the frequentist estimators of the same. Names are listed in ``__init__.pyi`` and imported on first
use, so that ``import bayescorr`` is quick.
"""

import lazy_loader as _lazy

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
