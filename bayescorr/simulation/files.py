"""Save simulators as JSON files, and load them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from bayescorr._files import check_writable
from bayescorr.errors import BayescorrError, ScoresError, choose
from bayescorr.simulation.base import Simulator
from bayescorr.simulation.copula import CopulaSimulator
from bayescorr.simulation.effects import EffectsSimulator
from bayescorr.simulation.resample import ResampleSimulator

KINDS: dict[str, type[Simulator]] = {
    cls.kind: cls for cls in (EffectsSimulator, CopulaSimulator, ResampleSimulator)
}
_FORMAT = "bayescorr simulator"


def save_simulator(simulator: Simulator, path: str | PathLike[str]) -> None:
    """Write a simulator to a JSON file."""
    scores = simulator.scores
    content = {
        "format": _FORMAT,
        "kind": simulator.kind,
        "topics": _plain(scores.index),
        "systems": _plain(scores.columns),
        "scores": scores.to_numpy().tolist(),
        "state": simulator.state(),
    }
    check_writable(path).write_text(json.dumps(content), encoding="utf-8")


def load_simulator(path: str | PathLike[str]) -> Simulator:
    """Load a simulator from a file that its ``save`` method wrote.

    Nothing is fitted again: the same seed draws the same scores as before.

    Parameters
    ----------
    path : path
        A JSON file.

    Returns
    -------
    EffectsSimulator, CopulaSimulator or ResampleSimulator

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> simulator = EffectsSimulator(np.array([[0.1, 0.2], [0.3, 0.5], [0.7, 0.6]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     simulator.save(f"{folder}/simulator.json")
    ...     load_simulator(f"{folder}/simulator.json")
    EffectsSimulator(2 systems, from 3 topics)
    """
    remedy = "Use a file that the save method of a simulator wrote."
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ScoresError(f"File not found: {str(path)!r}.", remedy) from None
    except OSError as problem:
        raise ScoresError(f"Cannot read {str(path)!r}: {problem.strerror}.", remedy) from None
    except TypeError:
        raise ScoresError(f"The path of a simulator must be a path; got {path!r}.") from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ScoresError(f"{str(path)!r} is not a simulator file.", remedy)
    kind = KINDS[choose(content.get("kind"), KINDS, "simulator")]
    try:
        scores = pd.DataFrame(
            content["scores"], index=content["topics"], columns=content["systems"], dtype=float
        )
        return kind.from_state(scores, content["state"])
    except BayescorrError as problem:
        reason = problem.message
    # A damaged state makes simulators raise errors of any kind.
    except Exception as problem:
        reason = f"{type(problem).__name__}: {problem}."
    raise ScoresError(f"{str(path)!r} is damaged: {reason}", remedy)


def _plain(labels: Iterable[Any]) -> list[Any]:
    plain = [label.item() if hasattr(label, "item") else label for label in labels]
    if not all(isinstance(label, (str, int, float)) for label in plain):
        raise ScoresError(
            "Only labels that are strings or numbers can be saved.", "Rename topics and systems."
        )
    return plain
