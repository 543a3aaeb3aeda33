"""Every sentence of the verdict: collections where it is true, and others where it is absent."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr import Fit
from bayescorr.errors import ConvergenceError


def fit_of(draws, means, **options):
    """A fit with these observed means; systems are a, b, ...; all draws are equally frequent."""
    names = list("abcdefghijklmnop"[: len(means)])
    spread = 0.01 * np.arange(1, len(means) + 1)
    scores = pd.DataFrame([means - spread, means + spread], columns=names, index=["t1", "t2"])
    rng = np.random.default_rng(1)
    repeated = np.tile(np.asarray(draws, float), (-(-200 // len(draws)), 1))
    chains = np.stack([rng.permutation(repeated) for _ in range(4)])
    # Noise that changes no order, so that the draws are not constant.
    repeated = chains * (1 + 1e-6 * rng.standard_normal((*chains.shape[:2], 1)))
    with warnings.catch_warnings():
        # Equal means are wanted here.
        warnings.simplefilter("ignore", bayescorr.ScoresWarning)
        return Fit.from_draws(repeated, scores, **options)


#: a > b > c in every draw.
CLEAR = fit_of([[0.5, 0.4, 0.1]] * 10, np.array([0.5, 0.4, 0.1]))
#: a and b change places in 3 of 10 draws, c is always the last.
LEADS = fit_of([[0.5, 0.4, 0.1]] * 7 + [[0.4, 0.5, 0.1]] * 3, np.array([0.5, 0.4, 0.1]))
#: b, which is observed second, is the best in 6 of 10 draws.
OTHER = fit_of([[0.5, 0.4, 0.1]] * 4 + [[0.4, 0.5, 0.1]] * 6, np.array([0.5, 0.4, 0.1]))
#: b, which is observed second, is always the best.
SURPRISE = fit_of([[0.4, 0.5, 0.1]] * 10, np.array([0.5, 0.4, 0.1]))
#: All orders are equally probable.
OPEN = fit_of(
    [[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.2, 0.1, 0.3], [0.2, 0.3, 0.1], [0.3, 0.1, 0.2],
     [0.3, 0.2, 0.1]],
    np.array([0.5, 0.4, 0.3]),
)  # fmt: skip
#: a and b have the same observed mean, a is the best in 7 of 10 draws.
TIED = fit_of([[0.5, 0.4, 0.1]] * 7 + [[0.4, 0.5, 0.1]] * 3, np.array([0.5, 0.5, 0.1]))
#: a and b have the same observed mean, but c is always the best.
TIED_SURPRISE = fit_of([[0.4, 0.3, 0.5]] * 10, np.array([0.5, 0.5, 0.1]))
#: The same, but c is the best in 6 of 10 draws.
TIED_OTHER = fit_of([[0.4, 0.3, 0.5]] * 6 + [[0.5, 0.3, 0.4]] * 4, np.array([0.5, 0.5, 0.1]))
#: b and c are identical, and the best in 7 of 10 draws.
TWINS = fit_of([[0.5, 0.4, 0.4]] * 3 + [[0.4, 0.5, 0.5]] * 7, np.array([0.5, 0.4, 0.4]))
ALL = {
    "clear": CLEAR, "leads": LEADS, "other": OTHER, "surprise": SURPRISE, "open": OPEN,
    "tied": TIED, "tied surprise": TIED_SURPRISE, "tied other": TIED_OTHER, "twins": TWINS,
}  # fmt: skip

#: Each sentence, and the only collections that have it.
SENTENCES = [
    ("The winner is decided: a is truly the best with probability 1.000.", {"clear"}),
    (
        "The winner is decided, although a leads: b is truly the best with probability 1.000.",
        {"surprise"},
    ),
    (
        "The winner is not decided: a leads, but is truly the best with probability only 0.700.",
        {"leads"},
    ),
    (
        "The winner is not decided: a leads, but is truly the best with probability only 0.333.",
        {"open"},
    ),
    (
        "The winner is not decided: a leads, but b is the likeliest best, with probability 0.600.",
        {"other"},
    ),
    (
        "The winner is not decided: a and b have the same observed mean, and a is truly the best "
        "with probability only 0.700.",
        {"tied"},
    ),
    (
        "The best system is one of 2 with probability 1.000: a, b.",
        {"leads", "other", "tied"},
    ),
    ("No system can be excluded as the best at 95%.", {"open", "twins"}),
    ("No two systems can be told apart at 95%.", {"open", "twins"}),
    (
        "The winner is decided, although a and b lead: c is truly the best with probability 1.000.",
        {"tied surprise"},
    ),
    (
        "The winner is not decided: a and b have the same observed mean, and c is truly the best "
        "with probability only 0.600.",
        {"tied other"},
    ),
    (
        "The winner is not decided: a leads, but b and c are the likeliest best, with probability "
        "0.700.",
        {"twins"},
    ),
    ("The best system is one of 2 with probability 1.000: a, c.", {"tied other"}),
    ("All 3 systems can be told apart: a > b > c, with probability 1.000.", {"clear"}),
    ("All 3 systems can be told apart: b > a > c, with probability 1.000.", {"surprise"}),
    ("All 3 systems can be told apart: c > a > b, with probability 1.000.", {"tied surprise"}),
    (
        "2 of 3 pairs are decided, all together with probability 1.000.",
        {"leads", "other", "tied", "tied other"},
    ),
    ("The longest chain of decided pairs has 2 systems: a > b.", {"tied other"}),
    ("The longest chain of decided pairs has 2 systems: a > c.", {"leads", "other", "tied"}),
]


@pytest.mark.parametrize(("sentence", "where"), SENTENCES)
def test_a_sentence_appears_where_it_is_true_and_nowhere_else(sentence, where):
    assert {name for name, fit in ALL.items() if sentence in fit.verdict().sentences} == where


def test_these_are_all_sentences_of_these_collections():
    known = {sentence for sentence, _ in SENTENCES}
    assert {s for fit in ALL.values() for s in fit.verdict().sentences} == known


def test_identical_systems_win_together():
    fit = fit_of([[0.5, 0.5, 0.1]], np.array([0.5, 0.5, 0.1]))
    assert fit.verdict().sentences[0] == (
        "The winner is decided: a and b are truly the best with probability 1.000."
    )
    undecided = fit_of([[0.5, 0.5, 0.1]] * 8 + [[0.1, 0.1, 0.5]] * 2, np.array([0.5, 0.5, 0.1]))
    assert undecided.verdict().sentences[0] == (
        "The winner is not decided: a and b lead, but are truly the best with probability only "
        "0.800."
    )


def test_one_pair_none_and_two_systems():
    alone = fit_of([[0.5, 0.4]], np.array([0.5, 0.4])).verdict()
    assert alone.sentences[1] == ("Both systems can be told apart: a > b, with probability 1.000.")
    one = fit_of([[3, 2, 1], [3, 1, 2], [2, 3, 1], [2, 1, 0.5]], np.array([0.5, 0.4, 0.3]))
    pairs = one.decided_pairs()
    assert str(pairs) == "1 of 3 pairs is decided, with probability 1.000."
    assert str(pairs) in one.verdict().sentences
    assert str(OPEN.decided_pairs()) == "None of 3 pairs is decided."


def test_the_level_decides():
    assert not LEADS.verdict(0.95).decided
    assert LEADS.verdict(0.7).decided
    assert LEADS.verdict(0.7).best.systems == ["a"]


def test_lower_is_better_turns_the_verdict():
    fit = fit_of([[0.1, 0.4, 0.5]] * 10, np.array([0.1, 0.4, 0.5]), higher_is_better=False)
    assert fit.verdict().sentences == CLEAR.verdict().sentences


def test_long_lists_are_counted():
    rng = np.random.default_rng(1)
    fit = fit_of(rng.standard_normal((400, 16)), np.linspace(0.6, 0.5, 16))
    wide = fit.verdict(0.7).sentences[1]
    assert wide.count(",") == 9
    assert wide.endswith(" and 1 more.") or wide.endswith(" and 2 more.")
    steps = fit_of([np.linspace(1, 0.1, 16)], np.linspace(1, 0.1, 16))
    turned = [*np.linspace(1, 0.1, 16)[:14], 0.1, 0.16]
    long = fit_of([np.linspace(1, 0.1, 16), turned], np.linspace(1, 0.1, 16))
    assert "The longest chain of decided pairs has 15 systems." in long.verdict().sentences
    assert steps.verdict().sentences[1:] == [
        "All 16 systems can be told apart: their order is decided with probability 1.000."
    ]


def test_plans_close_the_verdict_and_numbers_are_given():
    found = LEADS.verdict(plans=["About 300 topics would decide it."])
    assert found.sentences[-1] == "About 300 topics would decide it."
    numbers = found.to_dict()
    assert numbers["winner_decided"] is False
    assert numbers["best_set"] == ["a", "b"]
    assert numbers["decided_pairs"] == 2
    assert numbers["longest_chain"] == ["a", "c"]
    assert str(found).splitlines() == numbers["sentences"] == found.sentences


def test_a_fit_that_failed_has_no_verdict():
    rng = np.random.default_rng(1)
    chains = rng.standard_normal((4, 200, 3)) + np.arange(4)[:, None, None] * [1.0, 2.0, -1.0]
    scores = pd.DataFrame(rng.random((5, 3)), columns=list("abc"))
    fit = bayescorr.Fit.from_draws(chains, scores)
    assert not fit.convergence.passed
    with pytest.raises(ConvergenceError):
        fit.verdict()
    with pytest.raises(ConvergenceError):
        fit.in_words(coefficient="tau_ap")
