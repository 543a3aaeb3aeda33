from __future__ import annotations

import pytest

from bayescorr import ScoresError
from bayescorr.scores.measures import canonical, choose_measure, display, is_measure, suggest


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG_10", "nDCG@10"),
        ("nDCG@10", "nDCG@10"),
        ("map", "AP"),
        ("MAP", "AP"),
        ("map_cut_100", "AP@100"),
        ("P_10", "P@10"),
        ("P10", "P@10"),
        ("p@10", "P@10"),
        ("recip_rank", "RR"),
        ("MRR", "RR"),
        ("Rprec", "Rprec"),
        ("recall_100", "R@100"),
        ("success_5", "Success@5"),
        ("iprec_at_recall_0.10", "IPrec@0.10"),
        ("num_rel_ret", "NumRet(rel=1)"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
    ],
)
def test_one_name_for_all_spellings(name, expected):
    assert canonical(name) == expected
    assert display(f" {name} ") == expected


@pytest.mark.parametrize(
    "name", ["bm25", "401", "q1", "r1", "R_2", "p_1", "P1", "gm_map", "11pt_avg"]
)
def test_names_of_other_things(name):
    assert canonical(name) is None
    assert not is_measure(name)
    assert display(name) == name


def test_measures_of_other_fields_keep_their_names():
    assert is_measure("Exact-Match")
    assert display("accuracy") == "accuracy"


@pytest.mark.parametrize(
    ("name", "expected"), [("ndgc@10", "nDCG@10"), ("mapp", "AP"), ("p10", "P@10"), ("xyz", None)]
)
def test_suggestions(name, expected):
    assert suggest(name) == expected


class TestChoice:
    FOUND = ("map", "P_10", "P_100", "ndcg_cut_10")

    @pytest.mark.parametrize(
        ("asked", "chosen"),
        [("map", "map"), ("AP", "map"), ("P@10", "P_10"), ("nDCG@10", "ndcg_cut_10")],
    )
    def test_any_spelling(self, asked, chosen):
        assert choose_measure(asked, self.FOUND, "s.eval") == chosen

    def test_the_only_one(self):
        assert choose_measure(None, ["map"], "s.eval") == "map"

    def test_the_exact_name_wins(self):
        assert choose_measure("AP", ["map", "AP"], "s.csv") == "AP"

    @pytest.mark.parametrize(
        ("asked", "found", "message"),
        [
            (None, FOUND, r"s\.eval: scores of 4 measures: 'P_10', .* Choose one with measure"),
            ("mapp", FOUND, r"no scores of measure 'mapp'\. Did you mean 'map'\? Available"),
            ("nDCG@1", FOUND, r"Did you mean 'ndcg_cut_10'\?"),
            ("RR", FOUND, r"no scores of measure 'RR'\. Available measures: 'P_10'"),
            ("AP", ("map", "MAP"), r"'AP' could be 'map' or 'MAP'"),
        ],
    )
    def test_errors_list_the_measures(self, asked, found, message):
        with pytest.raises(ScoresError, match=message):
            choose_measure(asked, found, "s.eval")
