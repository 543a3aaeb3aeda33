"""Reports that need no compiled model: one with all parts, one of many systems."""

from __future__ import annotations

import shutil
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import multivariate_normal

import bayescorr
from bayescorr.bayes.model import ExactModel
from bayescorr.conditions.fit import agreement_of

#: Chromium draws pages without a screen, and asks nobody for anything.
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

#: Names that would be markup if they were not escaped.
NASTY = "<script>alert('x')</script>&\"|a_b*"


class Known(ExactModel):
    """Normal scores whose covariance is taken as known: it can do all that a report asks for."""

    name = "known"
    description = good_for = bad_for = "for tests"
    citation = "Nobody 1999"
    priors: ClassVar = {"prior_topics": 2.0}

    @staticmethod
    def sigma(data):
        return np.cov(data.values, rowvar=False) + 1e-6 * np.eye(data.n_systems)

    def sample(self, data, priors, draws, rng):
        n = data.n_topics
        shrink = n / (n + priors["prior_topics"])
        noise = rng.multivariate_normal(np.zeros(data.n_systems), self.sigma(data) / n, draws)
        level = data.values.mean()
        return level + shrink * (data.values.mean(axis=0) - level) + noise * np.sqrt(shrink)

    def covariance(self, draws, true_means, data, priors, rng):
        return np.broadcast_to(self.sigma(data), (len(true_means), *[data.n_systems] * 2))

    def log_likelihood(self, draws, data, priors):
        normal = multivariate_normal(data.values.mean(axis=0), self.sigma(data))
        return np.broadcast_to(normal.logpdf(data.values), (len(draws["tau"]), data.n_topics))


@pytest.fixture(scope="session")
def scores():
    """Nine systems: two identical, two with equal means, one with a name full of markup."""
    table = bayescorr.load_dataset("demo").iloc[:20, :8].copy()
    table.columns = [NASTY, *table.columns[1:]]
    table["copy"] = table.iloc[:, 3]
    table["turned"] = table.iloc[:, 5].to_numpy()[::-1]
    return table


@pytest.fixture(scope="session")
def whole(scores):
    """A report with all parts."""
    return bayescorr.make_report(
        scores, Known(), k=3, target=0.8, random_seed=1, source="x.csv", command="bayescorr report"
    )


@pytest.fixture(scope="session")
def large():
    """A report of 129 systems, from draws that did not converge; SHw has no interval."""
    rng = np.random.default_rng(1)
    level = np.sort(rng.random(129))
    values = level + 0.3 * rng.standard_normal((50, 129))
    table = pd.DataFrame(values).add_prefix("system-number-")
    table["system-number-7"] = table["system-number-6"]
    steps = rng.standard_normal((4, 300, 129))
    steps[0] += 1.5
    steps[:, :, 7] = steps[:, :, 6]
    with pytest.warns(bayescorr.ScoresWarning, match="Identical"):
        fit = bayescorr.Fit.from_draws(table.mean().to_numpy() + 0.04 * steps, table)
    return bayescorr.make_report(table, fit, methods=["ML", "SHw"], random_seed=1)


@pytest.fixture(scope="session")
def agreed():
    """Draws under four conditions: one favours the last systems, one is constant."""
    rng = np.random.default_rng(2)
    systems = [NASTY, *(f"system-{i}" for i in range(1, 9))]
    level = np.linspace(0.7, 0.3, 9)
    favour = np.r_[np.zeros(6), 0.25 * np.ones(3)]
    true = {"human": level, "gpt_4": level + favour, NASTY: level[::-1], "flat": np.full(9, 0.5)}
    tables, draws = {}, []
    for name, means in true.items():
        noise = 0.0 if name == "flat" else 0.1
        scores = means + noise * rng.standard_normal((20, 9))
        tables[name] = pd.DataFrame(scores, columns=systems)
        error = noise / np.sqrt(20) * rng.standard_normal((4, 250, 9))
        draws.append(tables[name].mean().to_numpy() + error)
    groups = {"posterior": xr.Dataset()}
    attributes = {"model": "", "measure": "nDCG@10"}
    return agreement_of(groups, np.stack(draws, axis=2), tables, [True] * 4, attributes)


@pytest.fixture(scope="session")
def agreement_report(agreed):
    """A report on these conditions, with judgments of one judge."""
    kappa = {"judge": "gpt_4", "estimate": 0.5, "lower": 0.4, "upper": 0.6, "level": 0.95}
    counts = {"documents": 90, "topics": 20, "by_one": 7}
    rows = [{**kappa, "coefficient": name, **counts} for name in ("kappa", "alpha")]
    return bayescorr.make_agreement_report(
        agreed, k=3, judgments=pd.DataFrame(rows), source="x.csv", command="bayescorr agree"
    )


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("Chromium is not installed: install chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(driver)
    with webdriver.Chrome(options=options, service=service) as chrome:
        yield chrome


@pytest.fixture
def opened(browser, files):
    """Open a page at a width: opened("whole", 400, "dark"); returns a function that runs JS."""

    def open_page(name, width=1400, theme="light"):
        command = browser.execute_cdp_cmd
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        command("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": theme}
        command("Emulation.setEmulatedMedia", {"features": [scheme]})
        browser.get(files[name])
        return lambda code, *given: browser.execute_script(f"return {code}", *given)

    yield open_page
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
