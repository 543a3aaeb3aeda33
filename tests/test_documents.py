"""Code blocks run and print what the pages show; links, paths and the ledger are correct."""

from __future__ import annotations

import ast
import json
import math
import os
import re
import shlex
import subprocess
import sys
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescorr

ROOT = Path(__file__).resolve().parents[1]
GENERATED = {"_build", "generated", "tutorials"}
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if not GENERATED & set(path.parts)
)
FENCED = re.MULTILINE | re.DOTALL
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", FENCED)


def blocks(page: str) -> list[tuple[str, str]]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return BLOCK.findall(text)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_say_what_they_are(page):
    """A block without a kind would never run. Blocks of text and toml are for reading."""
    kinds = re.findall(r"^```(.*)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)[::2]
    assert all(re.fullmatch(r"python|console|text|toml|\{[\w-]+\}.*", kind) for kind in kinds)


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with the files that pages mention, in which `bayescorr` is on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("PYTHONUTF8", "1")
    human = bayescorr.load_dataset("demo").iloc[:, :8]
    noise = np.random.default_rng(1).normal(0, 0.05, human.shape)
    human.to_csv("human.csv")
    (human + noise).clip(0, 1).to_csv("llm.csv")
    return tmp_path


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayescorr.ScoresWarning")  # notes for the reader
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_code_blocks_run(page, workplace):
    namespace: dict[str, object] = {"__name__": "__main__"}
    for kind, body in blocks(page):
        if kind == "python":
            exec(compile(body, page, "exec"), namespace)
            continue
        for command, shown in commands(body):
            printed = run(command, workplace)
            assert shows(shown, printed), f"{command}\n\nshown:\n{shown}\nprinted:\n{printed}"


def commands(body: str) -> list[tuple[str, str]]:
    """Split a console block into commands and the output shown below each of them."""
    parts = re.split(r"^\$ ", re.sub(r"\\\n", " ", body), flags=re.MULTILINE)[1:]
    return [(line, shown) for line, _, shown in (part.partition("\n") for part in parts)]


def run(line: str, folder: Path) -> str:
    """Run one line of a console block; a comment after it is for the reader."""
    words = shlex.split(line, comments=True)
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=600
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


NUMBER = re.compile(r"\d+(?:\.\d+)?")


def shows(shown: str, printed: str) -> bool:
    """Whether a page shows what a command prints; a line `...` stands for any lines."""
    lines, skip = printed.splitlines(), not shown
    for line in shown.splitlines():
        if line == "...":
            skip = True
            continue
        while skip and lines and not alike(line, lines[0]):
            lines.pop(0)
        if not lines or not alike(line, lines.pop(0)):
            return False
        skip = False
    return skip or not lines


def alike(shown: str, printed: str) -> bool:
    """Compare two lines; decimals may differ by .02, since processors round differently."""
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", printed).split():
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=0, abs_tol=0.02) for a, b in pairs)


def test_shown_output_is_compared_line_by_line():
    printed = "30 systems\ntau 0.8256\nML 0.8333\nConverged.\n"
    assert shows("", printed)
    assert shows("30 systems\ntau 0.8261\n...\n", printed)
    assert shows("...\nML 0.83\nConverged.\n", printed)
    assert not shows("30 systems\n", printed)
    assert not shows("31 systems\n...\n", printed)
    assert not shows("30 systems\nMSQD 0.8333\n...\n", printed)
    assert not shows("...\nML 0.8733\n...\n", printed)


def test_readme_shows_the_commands_of_make_demo():
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.M)[1]
    ran = [line.strip().removeprefix("$(BIN)/") for line in recipe.splitlines()]
    shown = [c for kind, body in blocks("README.md") if kind == "console" for c in commands(body)]
    assert [command for command, _ in shown[: len(ran)]] == ran


# Links ------------------------------------------------------------------------------------------

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")


def links() -> list[tuple[Path, str]]:
    """Return all links between documents, each with its document."""
    documents = [*(ROOT / page for page in PAGES), *NOTEBOOKS]
    return [(path, found) for path in documents for found in LINK.findall(path.read_text("utf-8"))]


def target_of(document: Path, link: str) -> Path:
    """Return the file that a link points to; for a built tutorial, its notebook."""
    file = link.partition("#")[0]
    target = (document.parent / file).resolve() if file else document
    if target.parent == ROOT / "docs" / "tutorials":
        return ROOT / "notebooks" / target.name
    return target


def anchors(text: str) -> set[str]:
    """Return the anchors of a page: its headings as MyST names them, and explicit targets."""
    headings = re.findall(r"^#{1,3} (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}
    return slugs | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


def test_links_between_documents_lead_somewhere():
    broken = []
    made = {"command-line", "coefficients", "estimators", "models", "replication-ledger"}
    for document, link in links():
        target = target_of(document, link)
        known = target.parent.name == "generated" and target.stem in made
        if not known and not target.exists():
            broken.append(f"{document.relative_to(ROOT)}: {link}")
    assert not broken


def test_links_into_pages_have_their_anchor():
    broken = []
    for document, link in links():
        file, _, anchor = link.partition("#")
        target = target_of(document, link)
        if anchor and target.suffix == ".md" and anchor not in anchors(target.read_text("utf-8")):
            broken.append(f"{document.relative_to(ROOT)}: {file}#{anchor}")
    assert not broken


def test_anchors_follow_the_rules_of_myst():
    assert anchors("# One two\n\n(here)=\n## What's (in) it\n") == {
        "one-two",
        "here",
        "whats-in-it",
    }


def test_every_page_is_in_a_table_of_contents():
    listed = []
    for page in PAGES:
        for table in re.findall(
            r"^```{toctree}\n(.*?)^```", (ROOT / page).read_text("utf-8"), FENCED
        ):
            entries = [line for line in table.splitlines() if line and not line.startswith(":")]
            listed += [os.path.normpath(Path(page).parent / entry) for entry in entries]
    pages = [Path(page).with_suffix("") for page in PAGES if page.startswith("docs/")]
    pages += [Path("docs", "tutorials", notebook.stem) for notebook in NOTEBOOKS]
    missing = [
        page.as_posix()
        for page in pages
        if page != Path("docs/index") and not any(fnmatch(str(page), entry) for entry in listed)
    ]
    assert not missing


# The how-to for models --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed_model(tmp_path_factory):
    """Follow "Write my own model": install its file and its pyproject.toml into a folder."""
    page = (ROOT / "docs" / "howto" / "write-a-model.md").read_text("utf-8")
    folder, target = tmp_path_factory.mktemp("my_models"), tmp_path_factory.mktemp("installed")
    code = re.search(r"^```python\n(# my_models\.py\n.*?)^```", page, FENCED)
    setup = re.search(r"^```toml\n(.*?)^```", page, FENCED)
    (folder / "my_models.py").write_text(code[1], encoding="utf-8")
    (folder / "pyproject.toml").write_text(setup[1], encoding="utf-8")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--disable-pip-version-check", "--target", str(target)]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return target


def in_python(code: str, installed: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_installed_model_is_listed(installed_model):
    code = "import sys; sys.argv = ['bayescorr', 'models', '--json']\n"
    listed = in_python(code + "from bayescorr.cli import main; main()", installed_model)
    assert "independent" in {row["name"] for row in json.loads(listed)}


@pytest.mark.slow
def test_installed_model_fits_by_name(installed_model):
    code = """
import bayescorr
scores = bayescorr.load_dataset("demo").iloc[:, :5]
fits = [bayescorr.fit(scores, name, random_seed=1) for name in ("independent", "flat")]
print([fit.true_means.std(("chain", "draw")).mean().item() for fit in fits])
"""
    independent, flat = ast.literal_eval(in_python(code, installed_model))
    assert independent == pytest.approx(flat, rel=0.05)


# The ledger -------------------------------------------------------------------------------------


@pytest.fixture
def ledger(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import _ledger

    return _ledger


@pytest.fixture
def validation(tmp_path):
    """A folder that contains the published values and no summaries."""
    text = (ROOT / "docs" / "validation" / "published.csv").read_text("utf-8")
    (tmp_path / "published.csv").write_text(text, encoding="utf-8")
    return tmp_path


def test_ledger_leaves_out_what_was_not_run(ledger, validation):
    assert ledger.ledger(validation).empty


def test_ledger_of_urbano_marrero(ledger, validation):
    folder = validation / "studies" / "urbano-marrero-2016"
    folder.mkdir(parents=True)
    rows = []
    for method, gap in (("ML", 0.001), ("RES", 0.05)):
        for n in (10, 20):
            rows.append(
                {
                    "source": "adhoc6",
                    "n_topics": n,
                    "method": method,
                    "coefficient": "tau",
                    "error": 0.07 + gap,
                    "error_published": 0.07,
                    "error_z": gap / 0.002,
                    "bias": 0.0,
                    "bias_published": 0.001,
                    "bias_z": -0.5,
                    "agrees": gap < 0.008,
                }
            )
    pd.DataFrame(rows).to_csv(folder / "comparison.csv", index=False)
    table = ledger.ledger(validation).set_index("quantity")
    assert table.loc["mean error of ML over 2 cells", "agree"] == "yes"
    assert table.loc["mean error of RES over 2 cells", "agree"] == "no"
    assert table.loc["mean error of ML over 2 cells", "standard error"] == "0.0014"
    assert table.loc["mean bias of RES over 2 cells", "agree"] == "yes"
    assert table.loc["share of cells whose error and bias both agree", "agree"] == "no"


def test_ledger_of_gao_and_oard(ledger, validation):
    published = pd.read_csv(validation / "published.csv")
    found = published[["key", "value"]].assign(sd=0.1, se=0.001)
    found.loc[found["key"] == "significant-tau_ap", "value"] += 0.07
    found.loc[found["key"] == "significant-share", ["value", "sd", "se"]] = 0.639, 0.0, 0.0
    found.to_csv(validation / "gao-oard-2015.csv", index=False)
    table = ledger.ledger(validation)
    agree = dict(zip(table["quantity"], table["agree"], strict=True))
    # Four standard errors of a mean of 50 draws with sd .1 are .057, and rounding allows .005 more.
    assert agree.pop("tau_ap after swaps of 5 significant pairs") == "no"
    assert agree.pop("share of the cells of the matrix with p < .05, TREC 5") == "no"
    assert set(agree.values()) == {"yes"}


def test_ledger_of_bavdaz(ledger, validation):
    folder = validation / "studies" / "bavdaz-2018"
    folder.mkdir(parents=True)
    cells, summary = [], []
    for method, coverage in (("ML", 0.95), ("MSQD", 0.85), ("RES", 0.93), ("SH", 0.2)):
        for n in (40, 60):
            key = {"source": "web", "n_topics": n, "coefficient": "tau"}
            key["method"] = f"{method}-thesis"
            shown = {"level": 0.9, "coverage": coverage - n / 1e4, "coverage_se": 0.005}
            cells.append({**key, **shown})
            bias = -0.1 if method == "SH" else 0.01
            summary.append({**key, "error": 0.025, "error_se": 0.001, "bias": bias})
    extra = {"bias_se": 0.001, "variance": 1.0, "actual_variance": 1.0, "actual_variance_se": 0.1}
    pd.DataFrame(cells).to_csv(folder / "intervals.csv", index=False)
    pd.DataFrame(summary).assign(**extra).to_csv(folder / "summary.csv", index=False)
    table = ledger.ledger(validation)
    agree = dict(zip(table["quantity"], table["agree"], strict=True))
    assert agree["coverage of ML less nominal, levels below .99"] == "yes"
    assert agree["coverage of MSQD less nominal, levels below .99"] == "no"
    assert agree["coverage of split-half below nominal, by cell"] == "yes"
    assert agree["error of ML, MSQD and RES for tau at 50 topics"] == "yes"
    assert agree["coverage of ML for tau as topics grow"] == "yes"


def test_ledger_page_has_the_rows_of_the_repository(ledger):
    page = "\n".join(ledger.page())
    table = ledger.ledger(ROOT / "docs" / "validation")
    assert not table.empty
    assert page.count("\n| ") == len(table) + 1
    assert all(line in page for run in table["command"] for line in run.split("\n"))
    assert not table.isin(["nan", "nan (se nan)", np.nan]).any().any()


def test_rows_of_the_command_line_reference_have_three_cells(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    lines = "\n".join(import_module("_generate").command_line()).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) > 100
    assert [row for row in rows if len(re.split(r"(?<!\\)\|", row)) != 5] == []
