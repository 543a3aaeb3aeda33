"""What a study is: a small table, in TOML or as a frozen dataclass."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from bayescorr.errors import OptionError, StudyError, choose
from bayescorr.study._fields import (
    check_distinct,
    check_keys,
    check_name,
    check_whole,
    make,
    to_toml,
)
from bayescorr.study.methods import Method, method_to_entry, methods_from
from bayescorr.study.sources import Simulation, Source


@dataclass(frozen=True)
class Study:
    """How well methods estimate the correlation with a truth that is known by simulation.

    Every source is simulated by every simulator that is for it, ``trials`` collections of each
    number of topics; every method sees the same collections.

    Attributes
    ----------
    name : str
        Name of the study.
    sources : tuple of Source
        What is simulated from: data sets or files; names alone will do.
    simulators : tuple of Simulation
        Simulators with their options; names alone will do: effects, copula, resample.
    topics : tuple of int
        Topic-set sizes n.
    trials : int
        Collections per source, simulator and topic-set size.
    methods : tuple of Frequentist or Bayesian
        Names of estimators, ``bayes:`` and the name of a model, or tables with options.
    coefficients : tuple of str
        What is estimated.
    levels : tuple of float
        Levels of the intervals.
    seed : int
        Where all random numbers start.
    batch : int
        Collections worked on and stored at a time: what is lost when a run is killed.
    description : str
        One line.
    smoke : mapping
        Keys to replace for a run of a few seconds, see :meth:`smoke_size`.

    Examples
    --------
    >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, ["ML", "bayes:flat"])
    >>> study.cells
    (('demo', 'effects', 10), ('demo', 'effects', 50))
    >>> Study.from_table(study.to_table()) == study
    True
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
        from bayescorr.coefficients import COEFFICIENTS

        def store(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        lists = ("sources", "simulators", "topics", "methods", "coefficients", "levels")
        for name in lists:
            if isinstance(getattr(self, name), (str, Mapping)):
                raise OptionError(
                    f"{name} is {getattr(self, name)!r}.", f"Give {name} as a list, even of one."
                )
        check_name(self.name, "study")
        store("sources", tuple(Source.from_table(source) for source in self.sources))
        store("simulators", tuple(Simulation.from_table(table) for table in self.simulators))
        store("methods", tuple(m for entry in self.methods for m in methods_from(entry)))
        store("topics", tuple(check_whole(n, 2, "a topic-set size") for n in self.topics))
        named = (choose(name, COEFFICIENTS, "coefficient") for name in self.coefficients)
        store("coefficients", tuple(named))
        store("levels", tuple(_check_level(level) for level in self.levels))
        store("smoke", dict(self.smoke))
        for name, least in (("trials", 1), ("seed", 0), ("batch", 1)):
            check_whole(getattr(self, name), least, name)
        names = [source.name for source in self.sources]
        for simulation in self.simulators:
            for name in simulation.sources:
                choose(name, names, f"source of the simulator {simulation.name}")
        check_distinct(names, "sources")
        check_distinct([f"{a}/{b}" for a, b in self.populations], "simulators of a source")
        check_distinct([method.name for method in self.methods], "methods")
        for what in ("topics", "coefficients"):
            check_distinct(list(getattr(self, what)), what)
        if self.levels:
            check_distinct(list(self.levels), "levels")
        check_keys(self.smoke, sorted(set(self.__dataclass_fields__) - {"smoke"}), "smoke size")

    @property
    def populations(self) -> tuple[tuple[str, str], ...]:
        """Source and simulator, by name, of every population of topics."""
        return tuple(
            (source.name, simulation.name)
            for source in self.sources
            for simulation in self.simulators
            if not simulation.sources or source.name in simulation.sources
        )

    @property
    def cells(self) -> tuple[tuple[str, str, int], ...]:
        """Source, simulator and number of topics of every cell."""
        return tuple((*pair, n) for pair in self.populations for n in self.topics)

    def source(self, name: str) -> Source:
        """Return the source of this name.

        Examples
        --------
        >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, ["ML", "bayes:flat"])
        >>> study.source("demo").load().shape
        (50, 30)
        """
        return next(source for source in self.sources if source.name == name)

    def simulation(self, source: str, name: str) -> Simulation:
        """Return the simulator of this name that is for the source.

        Parameters
        ----------
        source, name : str
            Names of the source and of the simulator.

        Returns
        -------
        Simulation
            The simulator with its options.

        Examples
        --------
        >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, ["ML", "bayes:flat"])
        >>> study.simulation("demo", "effects").name
        'effects'
        """
        return next(
            s for s in self.simulators if s.name == name and (not s.sources or source in s.sources)
        )

    def with_trials(self, trials: int) -> Study:
        """Return the same study with another number of trials.

        Examples
        --------
        >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, ["ML", "bayes:flat"])
        >>> study.with_trials(5).trials
        5
        """
        return replace(self, trials=trials)

    def smoke_size(self) -> Study:
        """Return the study at the size of its ``smoke`` table: seconds, to see that it runs.

        Examples
        --------
        >>> smoke = {"topics": [10], "trials": 2}
        >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, ["ML"], smoke=smoke)
        >>> study.smoke_size().cells, study.smoke_size().trials
        ((('demo', 'effects', 10),), 2)
        """
        if not self.smoke:
            raise StudyError(
                f"The study {self.name} has no smoke size.", "Add a table [smoke], or use --trials."
            )
        return Study.from_table({**self.to_table(), "smoke": {}, **self.smoke})

    def to_table(self) -> dict[str, Any]:
        """Return plain lists and tables, as in a study file.

        Returns
        -------
        dict
            What :meth:`from_table` makes the same study of.

        Examples
        --------
        >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, ["ML", "bayes:flat"])
        >>> study.to_table()["methods"], study.to_table()["sources"]
        (['ML', 'bayes:flat'], [{'name': 'demo'}])
        """
        return dict(self._entries())

    def _entries(self) -> Iterator[tuple[str, Any]]:
        yield "name", self.name
        yield "description", self.description
        yield "seed", self.seed
        yield "topics", list(self.topics)
        yield "trials", self.trials
        yield "batch", self.batch
        yield "coefficients", list(self.coefficients)
        yield "levels", list(self.levels)
        yield "methods", [method_to_entry(method) for method in self.methods]
        yield "sources", [source.to_table() for source in self.sources]
        yield "simulators", [simulation.to_table() for simulation in self.simulators]
        if self.smoke:
            yield "smoke", dict(self.smoke)

    def to_toml(self) -> str:
        """Write the study as TOML.

        Returns
        -------
        str
            The text of a study file, which :meth:`from_toml` reads.

        Examples
        --------
        >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, ["ML", "bayes:flat"])
        >>> print(study.to_toml())
        name = "mine"
        ...
        topics = [10, 50]
        trials = 100
        ...
        """
        return to_toml(self.to_table())

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Study:
        """Make a study of lists and tables; unknown keys are errors that list the valid ones.

        Parameters
        ----------
        table : mapping
            The attributes of a study by name, as in a study file.

        Examples
        --------
        >>> table = {"name": "mine", "sources": ["demo"], "simulators": ["effects"],
        ...          "topics": [10], "trials": 5, "methods": ["ML"]}
        >>> Study.from_table(table).cells
        (('demo', 'effects', 10),)
        """
        return make(cls, table, "study")

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Study:
        """Read a study file; paths of scores in it are relative to its folder.

        Parameters
        ----------
        path : path
            A TOML file.

        Raises
        ------
        StudyError
            When the file cannot be read, or is not TOML.

        Examples
        --------
        >>> import tempfile
        >>> study = Study("mine", ["demo"], ["effects"], [10, 50], 100, ["ML", "bayes:flat"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "mine.toml")
        ...     _ = path.write_text(study.to_toml())
        ...     Study.from_toml(path) == study
        True
        """
        path = Path(path)
        try:
            study = cls.from_table(tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as problem:
            raise StudyError(
                f"{path}: cannot be read: {problem.strerror or problem}.", "Check the path."
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise StudyError(f"{path} is not TOML: {problem}.", "Correct that line.") from None
        located = tuple(Source.from_table(source.located(path.parent)) for source in study.sources)
        return replace(study, sources=located)


def _check_level(level: Any) -> float:
    if isinstance(level, (int, float)) and not isinstance(level, bool) and 0 < level < 1:
        return float(level)
    raise OptionError(f"A level is {level!r}.", "Give levels between 0 and 1, such as 0.95.")
