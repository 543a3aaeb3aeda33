"""The public collections that bayescorr knows by name; ``data/datasets.toml`` lists them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources

BASE_URL = "https://raw.githubusercontent.com/julian-urbano"


@dataclass(frozen=True)
class Dataset:
    """A collection: contents, licence, citation and file.

    ``path`` is relative to BASE_URL and pinned to a commit; it is empty for embedded data.
    """

    name: str
    description: str
    measure: str
    topics: int
    systems: int
    licence: str
    citation: str
    path: str = ""
    sha256: str = ""


_LISTED = tomllib.loads(
    (resources.files(__package__) / "data" / "datasets.toml").read_text(encoding="utf-8")
)
DATASETS = {
    name: Dataset(name=name, **_LISTED["sources"][entry.pop("source")], **entry)
    for name, entry in _LISTED["datasets"].items()
}
