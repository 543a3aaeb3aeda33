"""The definition of a study: a frozen dataclass, or a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from bayescorr._numbers import check_count, check_level
from bayescorr.errors import Argument, BayescorrError, OptionError, StudyError, choose
from bayescorr.study._fields import (
    ABSENT,
    Mistakes,
    check_distinct,
    check_keys,
    check_name,
    make,
    to_table,
    to_toml,
)
from bayescorr.study.methods import Method, method_to_entry, methods_from
from bayescorr.study.sizes import check_sizes
from bayescorr.study.sources import Simulation, Source


@dataclass(frozen=True)
class Study:
    """A study of how well methods estimate correlations with a known, simulated truth.

    Each simulator draws ``trials`` collections of each number of topics from each of its sources.
    All methods see the same collections.

    Attributes
    ----------
    name : str
        Name of the study.
    sources : tuple of Source
        Data sets or files to simulate from; a name is enough.
    simulators : tuple of Simulation
        Simulators with their options; a name is enough: effects, copula, resample.
    topics : tuple of int
        Numbers of topics.
    trials : int
        Collections per source, simulator and number of topics.
    methods : tuple of Frequentist or Bayesian
        Names of estimators, ``bayes:`` and the name of a model, or tables with options.
    coefficients : tuple of str
        Coefficients to estimate.
    levels : tuple of float
        Levels of the intervals.
    seed : int
        Seed of all random numbers.
    batch : int
        Number of collections to run and store at a time. A killed run loses at most one batch per
        worker.
    description : str
        One line.
    smoke : mapping
        Attributes to replace for a run of a few seconds, see :meth:`smoke_size`.

    Examples
    --------
    >>> smoke = {"topics": [10], "trials": 2}
    >>> methods = ["ML", "bayes:flat"]
    >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, methods, smoke=smoke)
    >>> study.cells
    (('demo', 'effects', 10), ('demo', 'effects', 50))
    >>> study.with_trials(5).trials, study.smoke_size().trials
    (5, 2)
    >>> study.to_table()["methods"], study.to_table()["sources"]
    (['ML', 'bayes:flat'], [{'name': 'demo'}])
    >>> Study.from_table(study.to_table()) == study
    True
    >>> print(study.to_toml())
    name = "mine"
    ...
    topics = [10, 50]
    trials = 100
    ...
    """

    name: str
    sources: tuple[Source, ...]
    simulators: tuple[Simulation, ...]
    topics: tuple[int, ...]
    trials: int
    methods: tuple[Method, ...]
    coefficients: tuple[str, ...] = ("tau", "tau_ap")
    levels: tuple[float, ...] = (0.95,)
    seed: int = 0
    batch: int = 10
    description: str = ""
    smoke: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from bayescorr.coefficients import resolve

        mistakes = Mistakes()
        complete = not any(getattr(self, name) is ABSENT for name in self.__dataclass_fields__)
        if self.name is not ABSENT:
            with mistakes.noted():
                check_name(self.name, "study")
        converters: dict[str, Callable[[Any], Any]] = {
            "sources": lambda source: make(Source, source, "source"),
            "simulators": Simulation.from_table,
            "topics": lambda n: check_count(n, "number of topics", 2),
            "methods": methods_from,
            "coefficients": lambda name: resolve(str(name)).name,
            "levels": check_level,
        }
        right = {
            name for name, convert in converters.items() if self._convert(name, convert, mistakes)
        }
        for name, least in (("trials", 1), ("seed", 0), ("batch", 1)):
            if getattr(self, name) is not ABSENT:
                with mistakes.noted():
                    self._store(name, check_count(getattr(self, name), name, least))
        description: Any = self.description
        if not isinstance(description, str):
            mistakes.note(OptionError(f"description must be text; got {description!r}."))
        with mistakes.noted():
            self._check_smoke()
        if {"sources", "simulators"} <= right:
            self._check_populations(mistakes)
            self._check_real_topics(mistakes)
        for name in right - {"sources", "simulators"} - ({"levels"} if not self.levels else set()):
            with mistakes.noted():
                names = [getattr(entry, "name", entry) for entry in getattr(self, name)]
                check_distinct(names, name)
        if self.methods and all(method.share < 1 for method in self.methods):
            mistakes.note(OptionError("One of the methods must have share = 1."))
        if complete and not mistakes.found:
            with mistakes.noted():
                check_sizes(self)
        if complete and self.smoke and not mistakes.found:
            with mistakes.noted("smoke: "):
                self.smoke_size()
        mistakes.report()

    def _store(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _convert(self, name: str, convert: Callable[[Any], Any], mistakes: Mistakes) -> bool:
        """Convert the entries of a list, and return whether all of them are valid."""
        given, before = getattr(self, name), len(mistakes.found)
        self._store(name, ())
        if given is ABSENT:
            return False
        if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
            mistakes.note(OptionError(f"{name} must be a list; got {given!r}."))
            return False
        made: list[Any] = []
        for entry in given:
            with mistakes.noted():
                one = convert(entry)
                made += one if name == "methods" else [one]
        self._store(name, tuple(made))
        return len(mistakes.found) == before

    def _check_smoke(self) -> None:
        given = self.smoke
        self._store("smoke", {})
        if not isinstance(given, Mapping):
            raise OptionError(f"smoke must be a table; got {given!r}.")
        check_keys(given, sorted(set(self.__dataclass_fields__) - {"smoke"}), "smoke size")
        self._store("smoke", dict(given))

    def _check_populations(self, mistakes: Mistakes) -> None:
        names = [source.name for source in self.sources]
        for simulation in self.simulators:
            for name in simulation.sources:
                with mistakes.noted():
                    choose(name, names, f"source of the simulator {simulation.name}")
        with mistakes.noted():
            check_distinct(names, "sources")
            pairs = [f"{a.name}/{b.name}" for a, b in self.populations]
            check_distinct(pairs, "simulators of a source")

    def _check_real_topics(self, mistakes: Mistakes) -> None:
        for source, simulation in self.populations:
            if simulation.of_real_topics and (source.drop_worst or source.drop_identical):
                text = f"The source {source.name} drops systems by all its topics"
                remedy = f"Set drop_worst and drop_identical of {simulation.name} instead."
                mistakes.note(OptionError(f"{text}, those to be predicted included.", remedy))
        if any(simulation.of_real_topics for simulation in self.simulators):
            unable = [method.name for method in self.methods if not method.predicts]
            if unable:
                text = "With real topics, these methods predict nothing"
                remedy = "Use methods with draws, without pairs: models, ML, MSQD, RES or KD."
                mistakes.note(OptionError(f"{text}: {', '.join(unable)}.", remedy))

    @property
    def populations(self) -> tuple[tuple[Source, Simulation], ...]:
        """Source and simulator of each population of topics."""
        return tuple(
            (source, simulation)
            for source in self.sources
            for simulation in self.simulators
            if not simulation.sources or source.name in simulation.sources
        )

    @property
    def cells(self) -> tuple[tuple[str, str, int], ...]:
        """Source, simulator and number of topics of each cell, by name."""
        return tuple((a.name, b.name, n) for a, b in self.populations for n in self.topics)

    def with_trials(self, trials: int) -> Study:
        """Return the study with another number of trials."""
        return replace(self, trials=trials)

    def smoke_size(self) -> Study:
        """Return a small version of the study, given by ``smoke``, to test it in seconds."""
        if not self.smoke:
            raise StudyError(
                f"The study {self.name} has no smoke size.",
                ("Add a table [smoke], or use ", Argument("trials", 2), "."),
            )
        return Study.from_table({**self.to_table(), "smoke": {}, **self.smoke})

    def to_table(self) -> dict[str, Any]:
        """Return the study as plain lists and tables, for :meth:`from_table`."""
        table = {
            "name": self.name,
            "description": self.description,
            "seed": self.seed,
            "topics": list(self.topics),
            "trials": self.trials,
            "batch": self.batch,
            "coefficients": list(self.coefficients),
            "levels": list(self.levels),
            "methods": [method_to_entry(method) for method in self.methods],
            "sources": [to_table(source) for source in self.sources],
            "simulators": [simulation.to_table() for simulation in self.simulators],
        }
        return table | ({"smoke": dict(self.smoke)} if self.smoke else {})

    def to_toml(self) -> str:
        """Return the text of a study file, for :meth:`from_toml`."""
        return to_toml(self.to_table())

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Study:
        """Return the study with these attributes, as in a study file; unknown keys are errors."""
        return make(cls, table, "study", partial=True)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Study:
        """Read a study file.

        Parameters
        ----------
        path : path
            A TOML file. Paths of scores in it are relative to its folder.

        Raises
        ------
        StudyError
            If the file cannot be read, is not TOML, or contains mistakes; all of them are listed.

        Examples
        --------
        >>> import tempfile
        >>> study = Study("mine", ["demo"], ["effects"], [10], 100, ["ML"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "mine.toml")
        ...     _ = path.write_text(study.to_toml())
        ...     Study.from_toml(path) == study
        True
        """
        path = Path(path)
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as problem:
            raise StudyError(
                f"Cannot read {path}: {problem.strerror or problem}.", "Check the path."
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise StudyError(f"{path} is not TOML: {problem}.", "Correct that line.") from None
        try:
            study = cls.from_table(table)
        except BayescorrError as problem:
            raise StudyError(f"{path}: {problem.message}", problem.remedy) from None
        return replace(study, sources=tuple(s.located(path.parent) for s in study.sources))
