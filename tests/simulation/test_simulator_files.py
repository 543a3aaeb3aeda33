from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest

from bayescorr import CopulaSimulator, EffectsSimulator, load_simulator
from bayescorr.errors import OptionError, ScoresError
from bayescorr.simulation import BetaMargin


class Mine(BetaMargin):
    pass


def check_round_trip(simulator, path):
    simulator.save(path)
    again = load_simulator(path)
    assert type(again) is type(simulator)
    assert repr(again) == repr(simulator)
    pd.testing.assert_frame_equal(again.sample(7, 1), simulator.sample(7, 1))
    pd.testing.assert_series_equal(again.true_means, simulator.true_means)
    return again


def test_effects_simulators_are_saved(continuous, tmp_path):
    check_round_trip(EffectsSimulator(continuous), tmp_path / "a.json")
    again = check_round_trip(
        EffectsSimulator(
            continuous, normal=True, homoscedastic=True, random_topics=False, truth="original"
        ),
        tmp_path / "b.json",
    )
    assert (again.normal, again.uncorrelated, again.truth) == (True, False, "original")


def test_copula_simulators_are_saved(continuous, discrete, tmp_path):
    check_round_trip(CopulaSimulator(continuous).with_means(), tmp_path / "a.json")
    check_round_trip(
        CopulaSimulator(discrete, support="p10", random_seed=5).with_means({"a": 0.4}),
        tmp_path / "b.json",
    )
    changed = CopulaSimulator(discrete, support="p10").with_margin("b", BetaMargin(2.0, 3.0))
    check_round_trip(changed, tmp_path / "c.json")


def test_vines_are_saved(continuous, tmp_path):
    pytest.importorskip("pyvinecopulib")
    check_round_trip(CopulaSimulator(continuous, family="vine", truncation=2), tmp_path / "a.json")


def test_simulators_can_go_to_other_processes(continuous, discrete):
    simulators = [
        EffectsSimulator(continuous),
        CopulaSimulator(continuous).with_means(),
        CopulaSimulator(discrete, support="p10"),
    ]
    for simulator in simulators:
        drawn = simulator.sample(5, 1)
        pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(simulator)).sample(5, 1), drawn)


def test_vines_can_go_to_other_processes(continuous):
    pytest.importorskip("pyvinecopulib")
    simulator = CopulaSimulator(continuous, truncation=1)
    again = pickle.loads(pickle.dumps(simulator))
    pd.testing.assert_frame_equal(again.sample(5, 1), simulator.sample(5, 1))


def test_labels_keep_their_types(tmp_path):
    scores = pd.DataFrame(
        np.random.default_rng(1).random((5, 3)), index=np.arange(301, 306), columns=["b", 7, "a"]
    )
    again = check_round_trip(EffectsSimulator(scores), tmp_path / "a.json")
    assert again.systems.tolist() == ["b", 7, "a"]
    assert again.scores.index.tolist() == [301, 302, 303, 304, 305]


def test_labels_that_json_does_not_know_are_refused(continuous, tmp_path):
    scores = continuous.set_axis([("x", i) for i in range(6)], axis=1)
    scores.columns = pd.Index([frozenset([i]) for i in range(6)])
    with pytest.raises(ScoresError, match="strings or numbers"):
        EffectsSimulator(scores).save(tmp_path / "a.json")


def test_margins_of_others_are_not_saved(continuous, tmp_path):
    simulator = CopulaSimulator(continuous).with_margin("a", Mine(1.0, 2.0))
    for unknown in (simulator, simulator.with_means({"a": 0.4})):
        with pytest.raises(OptionError, match="class Mine cannot be saved"):
            unknown.save(tmp_path / "a.json")


@pytest.mark.parametrize("content", ["", "[]", '{"format": "else"}', "topic,a,b\n1,2,3\n"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(ScoresError, match="is not a simulator file"):
        load_simulator(path)


def test_absent_files_and_unknown_kinds_are_refused(continuous, tmp_path):
    path = tmp_path / "a.json"
    with pytest.raises(ScoresError, match="File not found"):
        load_simulator(path)
    EffectsSimulator(continuous).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"kind": "magic"}))
    with pytest.raises(OptionError, match="Choose one of: copula, effects"):
        load_simulator(path)
