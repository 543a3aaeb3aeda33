"""The report on several conditions: its numbers, tables, figures and files."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import rankdata

import bayescorr
from bayescorr.conditions.fit import agreement_of
from bayescorr.errors import OptionError
from bayescorr.report.agreement_files import agreement_figures, latex, summary, table
from bayescorr.report.agreement_page import agreement_page, numbers
from bayescorr.report.files import save_formats

pytest.importorskip("jinja2")


def test_estimates_are_those_of_the_agreement(agreement_report, agreed):
    found = agreement_report.estimates
    assert list(found["judge"].unique()) == agreed.judges
    names = found.loc[found["judge"] == "gpt_4", "coefficient"].tolist()
    # Without spearman and pearson, which a constant condition leaves undefined.
    assert names == ["tau", "tau_ap", "tau_gap", "tau@3", "overlap@3", "rbo", "max_drop"]
    expected = agreed.estimates(coefficients=["tau", "max_drop"])
    shown = found[found["coefficient"].isin(["tau", "max_drop"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(shown, expected)


def test_a_constant_condition_leaves_out_what_is_undefined(agreement_report):
    notes = agreement_report.notes
    assert [note.split()[0] for note in notes] == ["spearman", "pearson"]
    assert all("left out: " in note and "all systems tie" in note for note in notes)


def test_ranks_against_a_loop(agreement_report, agreed):
    systems = agreement_report.systems
    means = agreed.scores["human"].mean()
    assert systems == list(means.sort_values(ascending=False).index)
    for name in agreed.conditions:
        rows = agreement_report.ranks_of(name)
        assert list(rows["system"]) == systems
        draws = agreed.better_means[name][:, [agreed.systems.index(s) for s in systems]]
        ranks = rankdata(-draws, method="min", axis=1)
        np.testing.assert_allclose(rows["rank"], ranks.mean(axis=0))
        np.testing.assert_allclose(rows["lower"], np.quantile(ranks, 0.025, axis=0))
        observed = rankdata(-agreed.scores[name][systems].mean().round(12), method="min")
        assert rows["observed"].tolist() == observed.tolist()


def test_favoured_systems_come_first(agreement_report):
    rows = agreement_report.shifts_of("gpt_4")
    assert set(rows["system"][:3]) == {"system-6", "system-7", "system-8"}
    assert (rows["p_favoured"][:3] > 0.9).all()


def test_k_must_fit(agreed):
    for k in (1, 10):
        with pytest.raises(OptionError, match=f"k must be between 2 and 9; got {k}"):
            bayescorr.make_agreement_report(agreed, k=k)
    assert bayescorr.make_agreement_report(agreed).k == 3


def test_files(agreement_report, tmp_path):
    files = agreement_report.write(tmp_path, figures=False)
    assert [path.name for path in files] == [
        "agreement.html", "summary.md", "table.tex", "agreement.csv", "judges.csv", "shifts.csv",
        "ranks.csv", "inversions.csv", "inverted.csv", "judgments.csv", "posterior.nc",
    ]  # fmt: skip
    shifts = pd.read_csv(tmp_path / "shifts.csv")
    assert len(shifts) == 3 * 9
    np.testing.assert_allclose(shifts["shift"], agreement_report.shifts["shift"])
    again = bayescorr.load_conditions(tmp_path / "posterior.nc")
    pd.testing.assert_frame_equal(again.estimates(), agreement_report.agreement.estimates())


def test_without_topics_that_the_truth_lacks_nothing_is_said_about_them(agreement_report):
    assert agreement_report.narrowing.empty
    assert agreement_report.narrowing_in_words == []
    assert 'id="narrowing"' not in agreement_page(agreement_report)


@pytest.fixture
def fewer(monkeypatch, agreed):
    """Human judgments on 8 of 20 topics, and wider draws for these alone."""
    tables = {**agreed.scores, "human": agreed.scores["human"].iloc[:8]}
    means = agreed.true_means.to_numpy()
    attributes = {"model": "", "measure": "nDCG@10"}
    found = agreement_of({"posterior": xr.Dataset()}, means, tables, [True] * 4, attributes)
    centre = means[:, :, 0].mean(axis=(0, 1))
    alone = bayescorr.Fit.from_draws(centre + 2 * (means[:, :, 0] - centre), tables["human"])
    monkeypatch.setattr(type(found), "alone", lambda self: alone)
    return found


def test_what_judges_add_is_shown_where_the_truth_has_fewer_topics(fewer, tmp_path):
    report = bayescorr.make_agreement_report(fewer, k=3)
    pd.testing.assert_frame_equal(report.narrowing, fewer.narrowing(without=fewer.alone()))
    (line,) = report.narrowing_in_words
    assert "from the 8 topics of human alone" in line
    assert "of the true means are on average 50% narrower." in line
    report.write(tmp_path, figures=False)
    page = (tmp_path / "agreement.html").read_text("utf-8")
    assert line in page
    assert 'id="narrowing"' in page
    assert line in (tmp_path / "summary.md").read_text("utf-8").replace("\\", "")
    assert len(pd.read_csv(tmp_path / "narrowing.csv")) == 5


def test_a_fit_of_the_truth_alone_that_failed_is_not_shown(fewer):
    object.__setattr__(fewer.alone().convergence, "problems", ("R-hat.",))
    report = bayescorr.make_agreement_report(fewer, k=3)
    assert report.narrowing.empty
    assert any(note.startswith("human alone: ") for note in report.notes)


def test_table_for_a_paper(agreement_report):
    wide = table(agreement_report)
    assert list(wide) == ["judge", "kappa", "observed tau", "tau", "tau_ap", "rbo", "max_drop"]
    assert wide["kappa"].tolist() == ["0.50 [0.40, 0.60]", "-", "-"]
    text = latex(agreement_report)
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 1 + 3
    assert rows[1].startswith(r"gpt\_4 & 0.50 [0.40, 0.60] & ")
    assert {row.count("&") - row.count(r"\&") for row in rows} == {6}
    assert "nDCG@10" in text


def test_summary_has_the_sentences(agreement_report):
    text = summary(agreement_report).replace("\\", "")
    assert list(agreement_report.sentences) == agreement_report.agreement.judges
    for sentence in agreement_report.sentences.values():
        assert sentence in text
    for line in agreement_report.pairs_in_words:
        assert line in text


def test_page_escapes_names_and_holds_all_numbers(agreement_report):
    page = agreement_page(agreement_report)
    assert "<script>alert" not in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    found = numbers(agreement_report)
    (block,) = re.findall(r'id="numbers">(.*?)</script>', page, re.DOTALL)
    assert json.loads(block)["judges"][0]["name"] == "gpt_4"
    assert [len(judge["shifts"]["shift"]) for judge in found["judges"]] == [9, 9, 9]


@pytest.mark.slow
def test_every_figure_is_drawn(agreement_report, tmp_path):
    figures = agreement_figures(agreement_report)
    assert list(figures)[:3] == ["agreement", "ranks_gpt_4", "shifts_gpt_4"]
    assert len(figures) == 1 + 2 * 3
    for name, draw in figures.items():
        (path,) = save_formats(draw(), [tmp_path / f"{name}.png"])
        assert path.stat().st_size > 5000
