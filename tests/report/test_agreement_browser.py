"""The page on several conditions as a reader meets it, in headless Chromium."""

from __future__ import annotations

import pytest

from bayescorr.report.agreement_page import agreement_page

pytest.importorskip("jinja2")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def files(agreement_report, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "agreement.html"
    path.write_text(agreement_page(agreement_report), encoding="utf-8")
    return {"agreement": path.as_uri()}


@pytest.mark.parametrize(("width", "theme"), [(400, "dark"), (1400, "light")])
def test_page_is_drawn_and_nothing_overflows(opened, width, theme):
    js = opened("agreement", width, theme)
    assert js("document.documentElement.dataset.ready") == "yes"
    assert js("document.documentElement.scrollWidth") <= width
    assert js("all('.chart').length") == 1 + 3
    assert js("all('.chart').every((box) => box.querySelectorAll('svg *').length > 10)")
    assert js("all('[data-bar]').length") == 3 * 9
    assert js("all('[data-bar]').every((cell) => cell.querySelector('svg'))")
    outside = js(
        "all('.chart text').filter((t) => { const b = t.getBoundingClientRect(); "
        "return b.left < 0 || b.right > innerWidth; }).map((t) => t.textContent)"
    )
    assert outside == []


def test_choosing_a_system_shows_it_everywhere(opened, agreement_report):
    js = opened("agreement")
    name = agreement_report.systems[4]
    js(f"choose(systems.indexOf({name!r}))")
    assert js("all('tr.chosen[data-row]').length") == 3
    assert js("all('circle.chosen[data-system]').length") == 3
    text = js("document.querySelector('#chosen').textContent")
    assert text.startswith("observed rank 5 of 9 by human; shift by gpt_4 ")
    js("document.querySelector('#clear').click()")
    assert js("all('.chosen').length") == 0


def test_names_full_of_markup_are_only_names(opened, agreement_report):
    js = opened("agreement")
    shown = js("all('#ranks h3').map((h) => h.textContent)")
    assert shown == agreement_report.agreement.judges
    assert js("document.scripts.length") == 2


def test_a_heading_sorts(opened, browser, agreement_report):
    js = opened("agreement")
    browser.find_elements("css selector", ".shifts .sort")[1].click()
    table = "document.querySelector('.shifts').tBodies[0]"
    found = [float(text) for text in js(f"[...{table}.rows].map((r) => r.cells[1].textContent)")]
    assert found == sorted(found)
