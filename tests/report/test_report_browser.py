"""The page as a reader meets it, in headless Chromium; one browser for all tests."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from bayescorr.report.page import page

pytest.importorskip("jinja2")

pytestmark = pytest.mark.slow

SYSTEMS = "document.getElementById('systems')"


@pytest.fixture(scope="module")
def files(whole, large, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, report in (("whole", whole), ("large", large)):
        (folder / f"{name}.html").write_text(page(report), encoding="utf-8")
    return {path.stem: path.as_uri() for path in folder.iterdir()}


def requests(browser):
    """Addresses that were asked for since the last look."""
    entries = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [e["params"] for e in entries if e["method"] == "Network.requestWillBeSent"]
    return [one["request"]["url"] for one in sent]


@pytest.mark.parametrize("name", ["whole", "large"])
@pytest.mark.parametrize(("width", "theme"), [(400, "dark"), (1400, "light")])
def test_page_is_drawn_and_nothing_overflows(opened, browser, name, width, theme):
    requests(browser)
    js = opened(name, width, theme)
    assert js("document.documentElement.dataset.ready") == "yes"
    assert js("document.documentElement.scrollWidth") <= width
    # chrome: is the browser's own start page, which may still be loading.
    assert {url.split(":")[0] for url in requests(browser)} <= {"file", "data", "chrome"}
    # Every chart, every row and every heat map has something in it.
    assert js("all('.chart').every((box) => box.querySelectorAll('svg *').length > 10)")
    assert js("all('[data-bar]').every((cell) => cell.querySelector('svg'))")
    painted = (
        "all('canvas').map((c) => new Set(new Uint32Array("
        "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size)"
    )
    assert min(js(painted)) > 10
    dark = js("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
    assert dark == (theme == "dark")


def test_labels_of_charts_stay_inside(opened):
    for width in (400, 1400):
        js = opened("whole", width)
        outside = js(
            "all('.chart text').filter((t) => { const b = t.getBoundingClientRect(); "
            "return b.left < 0 || b.right > innerWidth; }).map((t) => t.textContent)"
        )
        assert outside == []


def test_a_name_full_of_markup_is_only_a_name(opened, whole):
    js = opened("whole")
    names = js("all('#systems .system').map((b) => b.textContent)")
    assert names == whole.fit.systems
    assert js("document.scripts.length") == 2


def test_a_phone_shows_rank_name_interval_and_p_best(opened):
    js = opened("whole", 400)
    rights = js(
        f"[...{SYSTEMS}.tBodies[0].rows].flatMap((row) => [0, 1, 2, 3].map("
        "(k) => row.cells[k].getBoundingClientRect().right))"
    )
    assert max(rights) <= 400
    # The other columns are reached by scrolling, which is said and shown.
    box = f"{SYSTEMS}.parentElement"
    assert js(f"{box}.scrollWidth > {box}.clientWidth")
    assert js("getComputedStyle(document.querySelector('.sideways')).display") == "block"
    js(f"{box}.scrollLeft = 1000")
    left = js(
        f"[...{SYSTEMS}.tBodies[0].rows].map((row) => row.cells[1].getBoundingClientRect().left)"
    )
    assert min(left) >= 0
    names = js("all('#systems .system').every((b) => b.scrollWidth <= b.closest('td').clientWidth)")
    assert names


def column(js, table, k):
    """Texts of a column of a table, from top to bottom."""
    return js(f"[...{table}.tBodies[0].rows].map((row) => row.cells[{k}].textContent)")


def test_a_heading_sorts_and_sorts_back(opened, browser, whole):
    js = opened("whole")
    before = column(js, SYSTEMS, 1)
    headings = browser.find_elements("css selector", "#systems .sort")
    headings[3].click()
    found = [float(text) for text in column(js, SYSTEMS, 3)]
    assert found == sorted(found)
    # The keyboard does as the mouse does.
    headings[3].send_keys("\n")
    assert float(column(js, SYSTEMS, 3)[0]) == round(whole.ranking["p_best"].max(), 3)
    assert js(f"{SYSTEMS}.tHead.rows[0].cells[3].getAttribute('aria-sort')") == "descending"
    headings[0].click()
    assert column(js, SYSTEMS, 1) == before


def test_missing_estimates_stay_last_in_both_orders(opened, browser):
    js = opened("whole")
    for _ in range(2):
        browser.find_elements("css selector", "#estimates .sort")[2].click()
        shown = [
            text[:1].isdigit() for text in column(js, "document.getElementById('estimates')", 2)
        ]
        assert shown == sorted(shown, reverse=True)
        assert shown.count(False) == 2


def test_choosing_a_system_shows_it_everywhere(opened, whole):
    js = opened("whole")
    shot = "all('canvas').map((c) => c.toDataURL())"
    before = js(shot)
    js("document.querySelector('#systems .system[data-system=\"4\"]').click()")
    name = whole.fit.systems[4]
    assert js("document.querySelector('#choose').value") == name
    assert js("document.querySelector('[data-row=\"4\"]').classList.contains('chosen')")
    assert js("all('tr.chosen[data-row]').length") == 1
    assert js("all('circle.chosen[data-system]').length") == 1
    groups = js("all('tr.chosen[data-from]').length")
    assert groups == sum(name in group for group in whole.groups)
    pairs = js("all('[data-chart=sds] .chosen').length")
    assert pairs == len(whole.fit.systems) - 1
    assert all(a != b for a, b in zip(before, js(shot), strict=True))
    others = whole.unordered.loc[name]
    text = js("document.querySelector('#chosen').textContent")
    assert text.startswith("rank 5 of 10, ")
    assert others.index[others.to_numpy()][0] in text
    js("document.querySelector('#clear').click()")
    assert js("all('.chosen').length") == 0
    assert js(shot) == before


def marked(js, kind):
    """Positions of the systems that the ranking marks as worse or better."""
    return {int(row) for row in js(f"all('tr.{kind}[data-row]').map((row) => row.dataset.row)")}


def test_pointing_at_a_system_shows_whom_it_beats(opened, browser, whole):
    from selenium.webdriver.common.action_chains import ActionChains

    better = whole.decided.better.to_numpy()
    pointed, chosen = (int(i) for i in (-better.sum(axis=1)).argsort(kind="stable")[:2])
    assert better[pointed].any()
    worse = {name: set(better[name].nonzero()[0]) for name in (pointed, chosen)}
    js = opened("whole")

    def name(i):
        return browser.find_element("css selector", f"#systems .system[data-system='{i}']")

    assert marked(js, "worse") == marked(js, "better") == set()
    js("arguments[0].scrollIntoView({block: 'center'})", name(pointed))
    ActionChains(browser).move_to_element(name(pointed)).perform()
    assert marked(js, "worse") == worse[pointed]
    js("document.querySelector('h1').scrollIntoView()")
    ActionChains(browser).move_to_element(browser.find_element("css selector", "h1")).perform()
    assert marked(js, "worse") == set()
    # The keyboard shows what the pointer shows; a chosen system stays marked.
    js("arguments[0].focus()", name(pointed))
    assert marked(js, "worse") == worse[pointed]
    last = int(better[pointed].nonzero()[0][-1])
    js("arguments[0].focus()", name(last))
    assert marked(js, "better") == set(better[:, last].nonzero()[0])
    js("document.activeElement.blur()")
    js("arguments[0].click()", name(chosen))
    assert marked(js, "worse") == worse[chosen]
    marks = js("all('.rank.worse').map((mark) => mark.dataset.rank)")
    assert {int(mark) for mark in marks} == worse[chosen]
    text = js("document.querySelector('#chosen').textContent")
    assert f"decided: better than {len(worse[chosen])}, worse than " in text
    js("document.querySelector('#clear').click()")
    assert marked(js, "worse") == set()


def test_the_verdict_is_first_unless_the_fit_failed(opened, whole):
    js = opened("whole")
    assert js("all('#verdict li').map((item) => item.textContent)") == whole.verdict.sentences
    assert js("document.querySelector('h1').nextElementSibling.id") == "verdict"
    js = opened("large")
    assert js("document.querySelector('#verdict')") is None


def test_a_system_can_be_typed(opened, browser, whole):
    js = opened("whole")
    field = browser.find_element("css selector", "#choose")
    field.send_keys("COP", "\n")
    assert field.get_attribute("value") == "copy"
    row = whole.fit.systems.index("copy")
    assert js("all('tr.chosen[data-row]').map((row) => row.dataset.row)") == [str(row)]
    field.send_keys("\ue00c")
    assert js("all('.chosen').length") == 0


def test_a_name_that_is_part_of_others_can_be_typed(opened, browser, large):
    opened("large")
    field = browser.find_element("css selector", "#choose")
    field.send_keys("system-number-1", "\n")
    assert field.get_attribute("value") == "system-number-1"
    row = large.fit.systems.index("system-number-1")
    text = browser.find_element("css selector", "#chosen").text
    assert text.startswith(f"rank {row + 1} of 129, ")


def test_cells_and_points_say_what_they_are(opened, browser, whole):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.ui import WebDriverWait

    js = opened("whole")
    canvas = browser.find_element("css selector", "[data-heatmap=swaps] canvas")
    js("arguments[0].scrollIntoView({block: 'center'})", canvas)
    # A cell above the diagonal, which itself says nothing.
    right, up = canvas.size["width"] // 4, -canvas.size["height"] // 4
    ActionChains(browser).move_to_element_with_offset(canvas, right, up).perform()
    pairs = {
        f"{a} above {b}: P(swapped) = {whole.discordance.loc[a, b]:.3f}"
        for a, b in combinations(whole.fit.systems, 2)
    }
    WebDriverWait(browser, 20).until(lambda _: js("!document.querySelector('#tip').hidden"))
    assert js("tip.textContent").removesuffix(", cannot be told apart") in pairs
    # The arrow keys start at the first cell and move from there.
    canvas.send_keys("\ue014\ue014")
    reading = js("document.querySelector('[data-heatmap=swaps]').nextElementSibling.textContent")
    first, second = whole.fit.systems[:2]
    assert reading.startswith(f"{first} above {second}: P(swapped) = ")
    assert ("cannot be told apart" in reading) == whole.unordered.loc[first, second]
    point = browser.find_element("css selector", "[data-chart=means] circle[data-system='2']")
    js("arguments[0].scrollIntoView({block: 'center'})", point)
    ActionChains(browser).move_to_element(point).perform()
    assert js("tip.textContent").startswith(f"{whole.fit.systems[2]}: observed ")


def test_failure_is_red_and_first(opened):
    js = opened("large")
    assert js("document.querySelector('header').firstElementChild.id") == "not-converged"
    colour = js("getComputedStyle(document.querySelector('#not-converged')).backgroundColor")
    assert colour == "rgb(176, 0, 32)"


def test_paper_is_white_and_unfolded(opened, browser):
    js = opened("whole", theme="dark")
    js("dispatchEvent(new Event('beforeprint'))")
    assert js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert js("all('details:not([open])').length") == 0
    js("dispatchEvent(new Event('afterprint'))")
    assert js("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
    assert len(browser.execute_cdp_cmd("Page.printToPDF", {})["data"]) > 10_000
