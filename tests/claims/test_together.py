"""Labelled statements about all systems at once: they name what the kernels found."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescorr import Fit
from bayescorr.claims.partial_order import in_ranges
from bayescorr.errors import OptionError


@pytest.fixture(scope="module")
def fit():
    """Six systems, the first two and the next two of which are close."""
    rng = np.random.default_rng(4)
    means = np.array([0.3, 0.5, 0.49, 0.1, 0.29, 0.31])
    scores = pd.DataFrame(means + 0.01 * rng.standard_normal((8, 6)), columns=list("dabfec"))
    return Fit.from_draws(means + 0.07 * rng.standard_normal((1000, 6)), scores)


@pytest.fixture(scope="module")
def ranks(fit):
    return (-fit.ordered_means).argsort(axis=1).argsort(axis=1) + 1


def test_joint_ranks_hold_together(fit, ranks):
    found = fit.joint_ranks(0.9)
    low, high = (found.table[name].to_numpy() for name in ("rank_lower", "rank_upper"))
    share = ((ranks >= low) & (ranks <= high)).all(axis=1).mean()
    assert share >= found.probability >= 0.9
    assert found.table["system"].tolist() == fit.systems
    assert str(found) == (
        f"All 6 true ranks lie in their intervals with probability {found.probability:.3f} "
        f"together (each "
        f"alone: {100 * found.marginal_level:.4g}%)."
    )


def test_the_ranking_has_both_intervals_and_the_decided_pairs(fit):
    table, joint, pairs = fit.ranking(0.9), fit.joint_ranks(0.9).table, fit.decided_pairs(0.9)
    assert table["joint_rank_lower"].tolist() == joint["rank_lower"].tolist()
    assert (table["joint_rank_lower"] <= table["rank_lower"]).all()
    assert (table["joint_rank_upper"] >= table["rank_upper"]).all()
    for i, (system, text) in enumerate(zip(fit.systems, table["better_than"], strict=True)):
        worse = [fit.systems.index(other) + 1 for other in pairs.worse_than(system)]
        assert set(worse) == expand(text)
        assert (i + 1) not in worse


def expand(text):
    """Numbers of a text such as 2,4-6."""
    found = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize("positions", [[], [0], [0, 1], [0, 1, 2], [0, 2, 3, 5, 6, 7, 9]])
def test_ranges_hold_exactly_the_positions(positions):
    text = in_ranges(positions, [str(i) for i in range(10)])
    assert expand(text) == set(positions)


def test_top_sets_name_systems_in_observed_order(fit, ranks):
    found = fit.top_set(2, level=0.9)
    members = [fit.systems.index(system) for system in found.systems]
    outside = [j for j in range(6) if j not in members]
    assert found.probability == (ranks[:, outside] > 2).all(axis=1).mean()
    assert members == sorted(members)
    assert str(found).startswith(f"These {len(members)} systems contain the whole true top 2 with")
    single = Fit.from_draws(
        [[0.5, 0.1]] * 5, pd.DataFrame([[0.5, 0.1], [0.6, 0.2]], columns=["a", "b"])
    )
    assert str(single.top_set()) == "a is the truly best system with probability 1.000."
    possible = [s for j, s in enumerate(fit.systems) if (ranks[:, j] > 2).mean() < 0.9]
    assert fit.could_be_top(2, 0.9) == possible
    with pytest.raises(OptionError, match="k must be between 1 and 6; got 7"):
        fit.top_set(7)


def test_decided_pairs_are_listed_in_full_and_reduced(fit):
    found = fit.decided_pairs(0.7)
    means = fit.ordered_means
    held = np.ones(len(means), dtype=bool)
    for better, worse in found.pairs.itertuples(index=False):
        held &= means[:, fit.systems.index(better)] > means[:, fit.systems.index(worse)]
    assert held.mean() >= found.probability >= 0.7
    assert set(map(tuple, found.direct.to_numpy())) < set(map(tuple, found.pairs.to_numpy()))
    chain = found.chain
    assert len(chain) == found.tiers.max() == 3
    for i, system in enumerate(chain):
        assert set(chain[i + 1 :]) <= set(found.worse_than(system))
    with pytest.raises(OptionError, match="Unknown system 'z'"):
        found.worse_than("z")


def test_pairs_one_by_one_say_their_joint_probability(fit):
    alone, together = (fit.decided_pairs(0.9, together=flag) for flag in (False, True))
    assert len(alone.pairs) > len(together.pairs)
    assert alone.probability < 0.9
    assert f"decided at 90% each; together they hold with probability {alone.probability:.3f}" in (
        str(alone)
    )
    with pytest.raises(OptionError, match="need not be transitive"):
        _ = alone.tiers


def test_the_order_of_columns_changes_nothing(fit):
    order = fit.scores.columns[::-1]
    positions = [list(fit.posterior["system"].to_numpy()).index(name) for name in order]
    turned = Fit.from_draws(fit.true_means.to_numpy()[:, :, positions], fit.scores[order])
    pd.testing.assert_frame_equal(turned.ranking(), fit.ranking())
    assert turned.verdict().to_dict() == fit.verdict().to_dict()
    assert turned.top_set(3).systems == fit.top_set(3).systems


def test_the_lead_of_the_winner(fit):
    found, table = fit.winner(), fit.winner().table(0.9)
    means, observed = fit.ordered_means, fit.observed_means.to_numpy()
    assert (found.system, found.runner_up) == tuple(fit.systems[:2])
    assert table["observed"].tolist() == pytest.approx(
        [observed[0] - observed[1], observed[0] - np.median(observed)]
    )
    leads = [means[:, 0] - means[:, 1], means[:, 0] - np.median(means, axis=1)]
    assert table["posterior"].tolist() == pytest.approx([lead.mean() for lead in leads])
    assert table["p_positive"].tolist() == [(lead > 0).mean() for lead in leads]
    assert table["lower"][0] == pytest.approx(np.quantile(leads[0], 0.05))
    words = found.in_words(0.9)
    assert words.startswith(f"Lead of {found.system} over the runner-up {found.runner_up}: ")
    assert f"{table['observed'][1]:.4f} observed, {table['posterior'][1]:.4f} in the" in words


def test_leads_turn_for_measures_where_lower_is_better(fit):
    turned = Fit.from_draws(-fit.true_means.to_numpy()[0], -fit.scores, higher_is_better=False)
    pd.testing.assert_frame_equal(turned.winner().table(), fit.winner().table())


@pytest.mark.parametrize(
    ("coefficient", "start"),
    [
        ("tau", "Ranked by mean score on 8 topics, the 6 systems correlate with"),
        ("tau_ap", "The ranking of 6 systems by mean score on 8 topics and their ranking over all"),
        (lambda truth, observed: float(truth.argmax() == observed.argmax()), "The ranking of 6"),
    ],
)
def test_any_coefficient_in_words(fit, coefficient, start):
    row = fit.estimates(0.8, coefficients=[coefficient]).iloc[0]
    words = fit.in_words(0.8, coefficient)
    assert words.startswith(start)
    assert words.endswith(
        f" = {row['estimate']:.2f} (80% credible interval {row['lower']:.2f} to "
        f"{row['upper']:.2f})."
    )
