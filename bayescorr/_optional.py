"""Optional libraries: imported when first needed, with the remedy when they are not there."""

from __future__ import annotations

import importlib
from types import ModuleType

from bayescorr.errors import MissingDependencyError


def require(module: str, extra: str) -> ModuleType:
    """Import an optional ``module`` that the ``extra`` of the same distribution installs.

    Examples
    --------
    >>> require("math", extra="report").pi > 3
    True
    >>> require("no_such_module", extra="report")
    Traceback (most recent call last):
    ...
    bayescorr.errors.MissingDependencyError: This needs the library 'no_such_module', which is not
    installed. Install it with: pip install 'bayescorr[report]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise MissingDependencyError(
            f"This needs the library {module.split('.')[0]!r}, which is not installed.",
            f"Install it with: pip install 'bayescorr[{extra}]'",
        ) from None
