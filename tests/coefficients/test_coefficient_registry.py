"""Names, functions, and several coefficients at once."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bayescorr as bc
from bayescorr.coefficients import (
    COEFFICIENTS,
    DEFAULT_COEFFICIENTS,
    Coefficient,
    correlate,
    resolve,
)
from bayescorr.errors import CoefficientError, OptionError

RNG = np.random.default_rng(1)
TRUTH, OBSERVED = RNG.random((5, 9)), RNG.random(9)


def same_winner(truth, observed):
    """Is the observed winner the true one?

    More words.
    """
    return truth.argmax() == observed.argmax()


# A number stands for the k of names such as tau@k.
NAMES = [name.replace("@k", "@3") for name in COEFFICIENTS]


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_complete_and_computes_what_it_names(name):
    entry = resolve(name)
    assert entry.name == name
    assert entry.label
    assert entry.description.endswith(".")
    assert entry.citation
    assert resolve(name) is resolve(entry) is entry
    if name in COEFFICIENTS:
        assert resolve(entry.function) is entry
    np.testing.assert_array_equal(
        correlate(TRUTH, OBSERVED, name)[name], entry.function(TRUTH, OBSERVED)
    )


def test_the_public_functions_are_those_of_the_registry():
    for name in (*DEFAULT_COEFFICIENTS, "tau_a", "tau_b", "tau_ap_a", "tau_ap_b", "pearson"):
        assert COEFFICIENTS[name].function is getattr(bc, name)
    assert COEFFICIENTS["spearman"].function is bc.spearman
    for name in ("rbo", "max_drop", "tau@k", "overlap@k"):
        assert COEFFICIENTS[name].function is getattr(bc, name.replace("@", "_at_"))


def test_a_number_in_the_name_stands_for_k():
    found = correlate(TRUTH, OBSERVED, ["tau@2", "tau@5", "overlap@1"])
    np.testing.assert_array_equal(found["tau@5"], bc.tau_at_k(TRUTH, OBSERVED, 5))
    np.testing.assert_array_equal(found["overlap@1"], bc.overlap_at_k(TRUTH, OBSERVED, 1))
    assert resolve("tau@5").label == r"$\tau@5$"
    assert resolve("overlap@7").description == "Share of the observed top 7 that is truly in it."


@pytest.mark.parametrize("given", ["tau@k", "tau@1", "tau@", "tau@2.5", "tau@-3", bc.tau_at_k])
def test_a_name_without_a_usable_number_is_refused(given):
    expected = r"k must be a whole number, at least 2, .*tau@k; got tau@.*Example: tau@10"
    with pytest.raises(OptionError, match=expected):
        correlate(TRUTH, OBSERVED, given)
    with pytest.raises(CoefficientError, match="tau@10 needs at least 10 systems; got 9"):
        correlate(TRUTH, OBSERVED, "tau@10")


def test_entries_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        COEFFICIENTS["tau"].name = "other"
    with pytest.raises(TypeError):
        COEFFICIENTS["tau"] = COEFFICIENTS["tau_ap"]


def test_unknown_names_list_the_known():
    with pytest.raises(OptionError, match=r"'kendall'.*pearson, rbo, spearman, tau, tau@k, tau_a"):
        correlate(TRUTH, OBSERVED, ["tau", "kendall"])
    with pytest.raises(OptionError, match="coefficients must be names or functions; got 5"):
        correlate(TRUTH, OBSERVED, 5)


def test_a_function_is_called_with_vectors_and_named():
    found = correlate(TRUTH, OBSERVED, ["tau", same_winner])
    assert list(found) == ["tau", "same_winner"]
    np.testing.assert_array_equal(found["same_winner"], TRUTH.argmax(axis=1) == OBSERVED.argmax())
    assert resolve(same_winner).description == "Is the observed winner the true one?"
    assert correlate(TRUTH[0], OBSERVED, same_winner)["same_winner"].shape == ()


def test_a_function_sees_means_where_higher_is_better():
    found = correlate(TRUTH[0], OBSERVED, same_winner, higher_is_better=False)
    assert found["same_winner"] == (TRUTH[0].argmin() == OBSERVED.argmin())


def test_a_function_that_takes_the_name_of_another_is_not_mistaken_for_it():
    def tau(truth, observed):
        return 7.0

    assert correlate(TRUTH[0], OBSERVED, tau)["tau"] == 7
    with pytest.raises(OptionError, match="must have different names; got tau, tau"):
        correlate(TRUTH[0], OBSERVED, [tau, "tau"])


@pytest.mark.parametrize(
    ("value", "kind"),
    [(TRUTH[0], "ndarray"), (None, "NoneType"), ("good", "str"), (1j, "complex")],
)
def test_a_function_must_give_a_number(value, kind):
    def mine(truth, observed):
        return value

    with pytest.raises(CoefficientError, match=f"mine must return a number; got {kind}"):
        correlate(TRUTH, OBSERVED, [mine])


def test_strict_and_order_reach_the_kernel():
    tied = np.array([2, 2, 1])
    assert correlate([1, 2, 0], tied)["tau"] == pytest.approx(2 / 3)
    assert correlate([1, 2, 0], tied, strict=True)["tau"] == 1
    assert correlate([1, 2, 3], [3, 2, 1], higher_is_better=False)["tau"] == -1


def test_a_coefficient_may_compute_many_pairs_at_once():
    def first_mean(pairs):
        return pairs.shaped(pairs.truth[pairs.truth_row, 0])

    entry = Coefficient("mine", "", "", "", same_winner, of_pairs=first_mean)
    np.testing.assert_array_equal(correlate(TRUTH, OBSERVED, entry)["mine"], TRUTH[:, 0])


@pytest.mark.slow
def test_a_new_coefficient_is_one_file_and_one_line(tmp_path):
    package = tmp_path / "bayescorr"
    shutil.copytree(Path(bc.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "coefficients" / "winner.py").write_text(
        "from bayescorr.coefficients.coefficient import Coefficient\n"
        "def winner(truth, observed):\n"
        "    return float(truth.argmax() == observed.argmax())\n"
        'WINNER = Coefficient("winner", "$w$", "Same winner.", "none", winner)\n',
        encoding="utf-8",
    )
    registry = package / "coefficients" / "registry.py"
    line = '    "linear:SPEARMAN",\n'
    text = registry.read_text("utf-8").replace(line, f'{line}    "winner:WINNER",\n')
    registry.write_text(text, encoding="utf-8")
    code = "import bayescorr as bc; print(bc.correlate([[3, 2], [1, 2]], [4, 1], 'winner'))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "{'winner': array([1., 0.])}"
