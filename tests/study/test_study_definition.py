from __future__ import annotations

import re
import tomllib

import pytest

import bayescorr
from bayescorr.errors import OptionError, ScoresError, StudyError
from bayescorr.study import Bayesian, Frequentist, Simulation, Source, Study, load_study
from bayescorr.study._fields import to_toml

BASIC = {
    "name": "mine",
    "sources": ["demo"],
    "simulators": ["effects"],
    "topics": [10],
    "trials": 3,
    "methods": ["ML"],
}


@pytest.mark.parametrize("name", bayescorr.list_studies()["name"])
def test_ready_made_studies_survive_a_round_trip_and_have_a_smoke_size(name, tmp_path):
    study = load_study(name)
    assert study.name == name
    path = tmp_path / "study.toml"
    path.write_text(study.to_toml(), encoding="utf-8")
    assert Study.from_toml(path) == study
    smoke = study.smoke_size()
    assert [source.scores or source.name for source in smoke.sources] == ["demo"]
    assert len(smoke.cells) * smoke.trials <= 10


def test_urbano_marrero_study_is_that_of_the_paper():
    study = load_study("urbano-marrero-2016")
    assert study.topics == tuple(range(10, 101, 10))
    assert study.trials == 1000
    assert [m.name for m in study.methods] == ["ML", "MSQD", "RES", "KD", "SHw", "SHwo"]
    assert [s.drop_worst for s in study.sources] == [0.25] * 3
    assert study.simulators[0].options == {"truth": "original"}
    assert len(study.cells) == 30


def test_options_of_all_kinds_survive_a_round_trip():
    study = Study.from_table(
        BASIC
        | {
            "sources": [{"name": "a", "scores": 'C:\\odd "path"\n.csv', "drop_identical": True}],
            "simulators": [
                {"name": "real", "kind": "effects", "truth": "original", "normal": True},
                {"name": "grid", "kind": "copula", "support": [0.0, 0.5, 1.0], "sources": ["a"]},
            ],
            "methods": [
                {"name": "ML", "pairs": [10, 20]},
                {"name": "SH-normal", "estimator": "SH", "interval": "normal", "draws": 50},
                "bayes:flat",
                {"model": "matrix-t", "priors": {"prior_topics": 5.0}, "point": "median"},
            ],
            "smoke": {"trials": 1},
        }
    )
    assert Study.from_table(tomllib.loads(study.to_toml())) == study
    assert [m.name for m in study.methods] == [
        "ML-10", "ML-20", "SH-normal", "bayes:flat", "bayes:matrix-t",
    ]  # fmt: skip
    assert study.methods[3] == Bayesian("flat")
    assert study.methods[0] == Frequentist("ML-10", estimator="ML", pairs=10)


def test_toml_writer_agrees_with_the_standard_reader():
    table = {
        "text": 'quote " backslash \\ tab \t',
        "flag": True,
        "numbers": [1, 2.5, 1e-9],
        "mixed": ["ML", {"name": "x", "deep": {"a key": 1}}],
        "nothing": [],
        "tables": [{"a": 1}, {"b": [2]}],
        "table": {"c": {"d": "e"}},
    }
    assert tomllib.loads(to_toml(table)) == table


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trial": 3}, "Unknown key in study: trial. Valid keys: batch, coefficients, descri"),
        (
            {"sources": [{"name": "a", "drop": 1}]},
            "Unknown key in source: drop. Valid keys: as_is, drop",
        ),
        ({"simulators": [{"name": "effects", "support": "p10"}]}, "Valid keys: homoscedastic"),
        ({"simulators": ["copulas"]}, "Unknown simulator 'copulas'. Choose one of: copula"),
        ({"simulators": [{"name": "effects", "sources": ["x"]}]}, "Unknown source of the simul"),
        ({"methods": ["MLE"]}, "Unknown method 'MLE'"),
        ({"methods": ["bayes:nothing"]}, "Unknown model 'nothing'"),
        ({"methods": [{"name": "ML", "levels": [1]}]}, "Unknown key in frequentist method: lev"),
        ({"methods": [{"model": "flat", "cores": 2}]}, "Unknown key in Bayesian method: cores"),
        ({"methods": [{"model": "flat", "priors": {"x": 1}}]}, "has no prior 'x'"),
        ({"methods": [{"model": "flat", "target_accept": 2}]}, "bayes:flat: target_accept must"),
        (
            {"methods": [{"name": "KD", "pairs": 10}]},
            "KD does not support pairs. Use pairs with ML",
        ),
        ({"methods": ["ML", "ML"]}, "Duplicate methods: ML"),
        ({"methods": [{"name": "ML", "draws": 1}]}, "draws of ML must be a whole number, at lea"),
        ({"methods": "ML"}, "methods must be a list; got 'ML'"),
        ({"topics": 10}, "topics must be a list; got 10"),
        ({"methods": []}, "The study has no methods"),
        ({"coefficients": ["taus"]}, "Unknown coefficient 'taus'"),
        ({"levels": [95]}, "level must be between 0 and 1; got 95"),
        ({"topics": [1]}, "number of topics must be a whole number, at least 2; got 1"),
        ({"trials": 0}, "trials must be a whole number, at least 1; got 0"),
        ({"trials": 2.5}, "trials must be a whole number, at least 1; got 2.5"),
        ({"seed": -1}, "seed must be a whole number, at least 0; got -1"),
        ({"name": "a/b"}, "Invalid name of a study: 'a/b'"),
        ({"sources": ["a--b"]}, "Invalid name of a source: 'a--b'"),
        ({"sources": ["a", "a"]}, "Duplicate sources: a"),
        ({"simulators": ["effects", "effects"]}, "Duplicate simulators of a source: demo/effects"),
        ({"smoke": {"sizes": 3}}, "Unknown key in smoke size: sizes"),
        ({"smoke": 3}, "smoke must be a table; got 3"),
        ({"smoke": {"trials": 0}}, "smoke: trials must be a whole number"),
        ({"description": 3}, "description must be text; got 3"),
        ({"methods": 5}, "methods must be a list; got 5"),
        ({"methods": [5]}, "A frequentist method must be a table; got 5"),
        ({"methods": [{"name": "ML", "draws": "9"}]}, "draws of the method ML must be a whole num"),
        (
            {"methods": [{"model": "flat", "target_accept": "0.9"}]},
            "target_accept of the method bayes:flat must be a number; got '0.9'",
        ),
        ({"methods": [{"model": "flat", "priors": 3}]}, "must be a table; got 3"),
        (
            {"methods": [{"model": "matrix-t", "priors": {"prior_topics": "a"}}]},
            "The prior 'prior_topics' must be a number; got 'a'",
        ),
        ({"methods": [{"name": "ML", "pairs": []}]}, "pairs of the method ML is empty"),
        ({"sources": [{"name": "demo", "drop_worst": "0.5"}]}, "must be a number; got '0.5'"),
        ({"sources": [{"name": "demo", "drop_worst": 2}]}, "must be at least 0 and below 1; got 2"),
        ({"sources": [{"name": "demo", "drop_identical": 1}]}, "must be true or false; got 1"),
        ({"simulators": [{"name": "effects", "sources": "demo"}]}, "must be a list; got 'demo'"),
        ({"trials": True}, "trials must be a whole number, at least 1; got True"),
        ({"trials": 10**12}, "1.0e+12 collections; their 2.0e+12 rows of results would take abou"),
        ({"topics": [10**13]}, "Simulating 10,000,000,000,000 topics of 2 systems would take abo"),
        ({"methods": [{"name": "ML", "draws": 10**13}]}, "1.0e+13 draws of ML for 2 systems would"),
    ],
)
def test_mistakes_are_named_with_what_is_valid(change, message):
    with pytest.raises(OptionError, match=re.escape(message)) as caught:
        Study.from_table(BASIC | change)
    # A study file has keys, not options of the shell.
    assert not any(isinstance(text, tuple) for text in caught.value.texts)


def test_a_study_needs_its_main_keys():
    with pytest.raises(OptionError, match="A study has no 'topics'"):
        Study.from_table({key: value for key, value in BASIC.items() if key != "topics"})


def test_all_mistakes_are_listed_at_once(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "a/b"\ntopics = 10\nmethods = [5, {model = "flat", draws = "x", chains = 0.5}]\n'
        'trials = 1e12\nsource = 3\nsimulators = ["effects"]\n'
    )
    with pytest.raises(StudyError) as caught:
        load_study(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: 8 mistakes: (1) Unknown key in study: source.")
    for part in (
        "A study has no 'sources'",
        "Invalid name of a study: 'a/b'",
        "topics must be a list; got 10",
        "must be a table; got 5",
        "draws of the method bayes:flat must be a whole number; got 'x'",
        "chains of the method bayes:flat must be a whole number; got 0.5",
        "trials must be a whole number, at least 1; got 1000000000000.0",
    ):
        assert part in said


def test_unknown_names_and_broken_files_are_refused(tmp_path):
    with pytest.raises(StudyError, match="Ready-made studies: bavdaz-2018"):
        load_study("urbano")
    with pytest.raises(StudyError, match="Cannot read"):
        load_study(tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    with pytest.raises(StudyError, match="is not TOML"):
        load_study(broken)
    broken.write_bytes(b'name = "\xff"')
    with pytest.raises(StudyError, match="is not TOML"):
        load_study(broken)
    with pytest.raises(OptionError, match="study must be a Study, the name of one, or a path"):
        load_study(None)
    with pytest.raises(StudyError, match="has no smoke size"):
        Study.from_table(BASIC).smoke_size()


def test_paths_are_relative_to_the_study_file(tmp_path, monkeypatch):
    scores = bayescorr.load_dataset("demo")
    scores.rename_axis("topic").to_csv(tmp_path / "mine.csv")
    study = Study.from_table(BASIC | {"sources": [{"name": "mine", "scores": "mine.csv"}]})
    (tmp_path / "study.toml").write_text(study.to_toml())
    monkeypatch.chdir("/")
    read = load_study(tmp_path / "study.toml")
    assert read.sources[0].load().shape == scores.shape


def test_simulators_can_be_for_some_sources_only():
    study = Study.from_table(
        BASIC
        | {
            "sources": ["a", "b"],
            "simulators": [
                {"name": "copula", "sources": ["a"]},
                {"name": "copula", "sources": ["b"], "support": "p10"},
                "effects",
            ],
        }
    )
    a, b = Source("a"), Source("b")
    effects, on_a = Simulation("effects"), Simulation("copula", sources=("a",))
    on_b = Simulation("copula", sources=("b",), options={"support": "p10"})
    assert study.populations == ((a, on_a), (a, effects), (b, on_b), (b, effects))
    assert [cell[:2] for cell in study.cells] == [
        ("a", "copula"), ("a", "effects"), ("b", "copula"), ("b", "effects"),
    ]  # fmt: skip


def test_sources_with_models_as_rows_are_questioned_and_transposed(tmp_path):
    scores = bayescorr.load_dataset("demo").iloc[:, :4]
    scores.T.rename_axis("model").to_csv(tmp_path / "models.csv")
    path = str(tmp_path / "models.csv")
    with pytest.raises(ScoresError, match=r"transpose = true if the rows are systems, or as_is"):
        Source("models", path).load()
    found = Source("models", path, transpose=True).load()
    assert found.shape == (50, 4)
    assert Source("models", path, as_is=True).load().shape == (4, 50)
    source = {"name": "models", "scores": path, "transpose": True}
    text = Study.from_table(BASIC | {"sources": [source]}).to_toml()
    assert "transpose = true" in text
    assert "as_is" not in text
