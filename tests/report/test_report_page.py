from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from bayescorr.report.html import embed
from bayescorr.report.page import numbers, page

pytest.importorskip("jinja2")


class Reader(HTMLParser):
    """Collect elements, what they hold and attributes that could load something."""

    def __init__(self):
        super().__init__()
        self.tags, self.loads, self.ids, self.scripts, self.text = [], [], [], [], []
        self.inside = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        self.inside = tag
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.loads += [attrs[name] for name in ("src", "href", "data", "action") if name in attrs]

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts.append(data)
        self.text.append(data)


@pytest.fixture(scope="module")
def html(whole):
    return page(whole)


@pytest.fixture(scope="module")
def read(html):
    reader = Reader()
    reader.feed(html)
    return reader


def test_page_is_one_file(html, read):
    assert read.loads == ["data:,"]
    assert "@import" not in html
    assert not re.search(r"url\(|https?://(?!www\.w3\.org/2000/svg)", html)
    assert "default-src 'none'" in html


def test_names_of_systems_cannot_become_markup(html, read, whole):
    assert read.tags.count("script") == 2
    assert "<script>alert" not in html
    found = json.loads(read.scripts[0])
    assert found["systems"] == whole.fit.systems
    assert "<" not in read.scripts[0]


def test_page_has_every_part(read, whole):
    for part in (
        "sentence", "coefficients", "estimates", "ranking", "ranks", "swaps", "pairs", "groups",
        "topics", "fit", "sensitivity", "data", "cite", "made",
    ):  # fmt: skip
        assert part in read.ids, part
    assert len(read.ids) == len(set(read.ids))
    text = " ".join("".join(read.text).split())
    for words in (
        whole.sentence, str(whole.top), whole.needed.answer, str(whole.predicted), str(whole.loo),
        str(whole.convergence), "Identical systems: ", "Nobody 1999", "bayescorr report", "pymc",
        "tau changes by at most", *(plan.answer for plan in whole.decisions),
    ):  # fmt: skip
        assert words in text, words
    assert "not-converged" not in read.ids
    assert "Not shown" not in text


def test_numbers_are_those_of_the_report(whole):
    found = numbers(whole)
    ranks = np.array(found["ranks"]) / 1e4
    np.testing.assert_allclose(ranks, whole.rank_probabilities, atol=5e-5)
    for i, row in enumerate(found["swaps"]):
        np.testing.assert_allclose(
            np.array(row) / 1e4, whole.discordance.iloc[i, i + 1 :], atol=5e-5
        )
        assert found["unordered"][i] == "".join(str(int(cell)) for cell in whole.unordered.iloc[i])
    marks = {c["name"]: [mark["x"] for mark in c["marks"]] for c in found["coefficients"]}
    expected = whole.estimates.dropna(subset="estimate").groupby("coefficient")["estimate"]
    assert marks["τ_AP"] == expected.get_group("tau_ap").tolist()
    assert found["plan"]["now"] == 20
    expected = whole.fit.predict_agreement(draws=1000, random_seed=1).in_words(whole.level)
    assert expected.split("'")[0] in page(whole)
    assert found["plan"]["estimate"] == pytest.approx(whole.plan.table()["estimate"], abs=1e-5)


def test_failure_comes_first_and_in_red(large):
    html = page(large)
    assert html.index('id="not-converged"') < html.index("<h1>")
    assert str(large.convergence).split("(")[0].strip() in html
    assert large.convergence.remedy in html
    assert html.count("Not shown: ") == 5
    assert len(html.encode()) < 6e6


def test_embedding_leaves_no_markup_and_no_nan():
    value = {"</script>": [np.float64("nan"), np.inf, np.int64(3), "<!--&"], "a": None}
    text = embed(value)
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"</script>": [None, None, 3, "<!--&"], "a": None}
