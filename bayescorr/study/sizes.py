"""The size of a study: refuse what fits neither in memory nor in a lifetime, with the estimate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bayescorr._memory import check_memory
from bayescorr.errors import OptionError
from bayescorr.simulation.base import check_sample

if TYPE_CHECKING:
    from bayescorr.study.definition import Study

#: Bytes per row of the results: in a table, and once more while it is sorted.
_ROW = 400.0
#: Seconds that one method takes for one collection at least, and those of a year.
_LEAST_SECONDS, _YEAR = 0.001, 3.2e7
#: Most years of work of one processor.
_MOST_YEARS = 1000.0


def check_sizes(study: Study, systems: Mapping[str, int] | None = None) -> None:
    """Raise an error if the results, a collection or the draws of a method do not fit in memory.

    ``systems`` are the numbers of systems of the sources; before they are known, two each.
    """
    collections = len(study.cells) * study.trials
    rows = collections * len(study.methods) * len(study.coefficients)
    remedy = "Use fewer trials, topics, methods, coefficients or sources."
    what = f"The study has {_words(collections)} collections; their {_words(rows)} rows of results"
    check_memory(rows * _ROW, what, remedy)
    years = collections * len(study.methods) * _LEAST_SECONDS / _YEAR
    if years > _MOST_YEARS:
        raise OptionError(
            f"The study has {_words(collections)} collections, which would take one processor at "
            f"least {_words(int(years))} years.",
            remedy,
        )
    for source in study.sources:
        number = 2 if systems is None else systems[source.name]
        check_sample(max(study.topics), number)
        for method in study.methods:
            draws = method.draws * getattr(method, "chains", 1)
            what = f"{_words(draws)} draws of {method.name} for {number} systems"
            check_memory(draws * number * 16.0, what, "Use fewer draws.")


def _words(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"{number:.1e}"
