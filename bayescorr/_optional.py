"""Import optional libraries when they are first needed."""

from __future__ import annotations

import importlib
from types import ModuleType

from bayescorr.errors import MissingDependencyError


def require(module: str, extra: str) -> ModuleType:
    """Import an optional module; if it is missing, the error names the extra that installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise MissingDependencyError(
            f"The optional library {module.split('.')[0]!r} is not installed.",
            f"Install it with: pip install 'bayescorr[{extra}]'",
        ) from None
