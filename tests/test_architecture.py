"""The architecture page and the contributor's guide agree with the source."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bayescorr

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def find_modules() -> dict[str, Path]:
    """Return the modules of the package by name."""
    found = {}
    for folder, package in (
        (ROOT / "bayescorr", "bayescorr"),
        (ROOT / "models", "bayescorr.models"),
    ):
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = find_modules()
FOLDERS = {"models", *(path.parent.name for path in (ROOT / "bayescorr").glob("*/__init__.py"))}
#: Modules of the names that ``import bayescorr`` offers.
PUBLIC = {
    name: f"bayescorr.{module}"
    for module, name in re.findall(
        r"^from \.([\w.]+) import (\w+)", (ROOT / "bayescorr" / "__init__.pyi").read_text(), re.M
    )
}


def imports(module: str, types: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (module, name) of every import from the package, inside functions too.

    Without ``types``, leave out imports that only type checkers see.
    """
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    unseen: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not types:
            unseen.update(node.body)
        elif node in unseen:
            continue
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bayescorr"):
            yield from ((node.module, name.name) for name in node.names)
        elif isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names if name.name in MODULES)
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "bayescorr":
            yield PUBLIC.get(node.attr, "bayescorr"), node.attr


def used_by(module: str, types: bool = True) -> set[str]:
    """Return the modules that a module imports."""
    found = imports(module, types)
    return {f"{m}.{n}" if f"{m}.{n}" in MODULES else m for m, n in found} - {"bayescorr"}


def exceptions() -> set[tuple[str, str]]:
    """Return the imports that the page defends: "`FILE` imports `FILE`"."""
    listed = re.findall(r"^- `([\w/.]+)` imports `([\w/.]+)`", PAGE, re.MULTILINE)
    names = {path.relative_to(ROOT).as_posix(): name for name, path in MODULES.items()}
    return {(names[user], names[used]) for user, used in listed}


GRAPH = {module: used_by(module) for module in MODULES}
AT_RUN_TIME = {module: used_by(module, types=False) for module in MODULES}


def folder_of(module: str) -> str:
    """Return the folder of a module, or "" for a module at the top of the package."""
    name = f"{module}.".split(".")[1]
    return name if name in FOLDERS else ""


def reachable(module: str) -> set[str]:
    """Return all modules that a module imports, directly or indirectly."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for used in AT_RUN_TIME[waiting.pop()] - found:
            found.add(used)
            waiting.append(used)
    return found


# Who uses whom ----------------------------------------------------------------------------------


def test_every_path_exists():
    diagram = (ROOT / "docs" / "images" / "architecture.svg").read_text("utf-8")
    named = set(re.findall(r"`((?:bayescorr|models)(?:/[\w./-]+)?)`", PAGE))
    drawn = set(re.findall(r"(?<![\w/])(?:bayescorr/[\w./]+|models)(?![\w/])", diagram))
    assert named
    assert drawn
    assert [path for path in named | drawn if not (ROOT / path).exists()] == []


@pytest.fixture(scope="module")
def table() -> dict[str, set[str]]:
    """Which folders each folder uses, in the order of the page."""
    rows = re.findall(r"^\| `([\w/]+)` \| [^|]+ \| ([^|]*)\|$", PAGE, re.MULTILINE)
    folders = [Path(folder).name for folder, _ in rows]
    return {
        folder: set(folders) - {folder} if uses.strip() == "all" else set(re.findall(r"\w+", uses))
        for folder, (_, uses) in zip(folders, rows, strict=True)
    }


def test_page_lists_all_folders(table):
    assert set(table) == FOLDERS


def test_folders_use_what_the_page_says(table):
    for folder, listed in table.items():
        modules = [module for module in MODULES if folder_of(module) == folder]
        pairs = {(module, used) for module in modules for used in GRAPH[module]} - exceptions()
        used = {folder_of(used) for _, used in pairs} - {folder, ""}
        assert used == listed or (folder == "cli" and used <= listed), folder


def test_folders_use_only_folders_above_them(table):
    order = list(table)
    for folder, listed in table.items():
        assert listed <= set(order[: order.index(folder)]), folder


def test_modules_at_the_top_use_no_folder():
    top = [module for module in MODULES if not folder_of(module)]
    assert {
        module: used for module in top if (used := {*map(folder_of, GRAPH[module])} - {""})
    } == {}


def test_exceptions_on_the_page_make_no_cycle():
    for user, used in exceptions():
        assert used in GRAPH[user]
        back = {module for module in reachable(used) if folder_of(module) == folder_of(user)}
        assert back == set(), (user, used)


def test_imports_by_name_stay_in_their_folder():
    """An import by name would hide a cycle."""
    hidden = []
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name.endswith(("import_module", "resolve_name")):
                target = str(getattr(node.args[0], "value", ""))
                if target in MODULES and folder_of(target) != folder_of(module):
                    hidden.append((module, target))
    assert hidden == []


def test_no_module_imports_private_names_of_another():
    private = [
        f"{module}: {name} of {source}"
        for module in MODULES
        for source, name in imports(module)
        if name.startswith("_") and f"{source}.{name}" not in MODULES and name != "__version__"
    ]
    assert private == []


def test_files_have_at_most_400_lines():
    folders = ("bayescorr", "models", "tests", "scripts", "benchmarks", "docs", "notebooks")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 300
    long = [path for path in files if len(path.read_text("utf-8").splitlines()) > 400]
    assert long == []


def test_commands_have_at_most_60_lines_without_their_docstrings():
    lengths = {}
    for path in (ROOT / "bayescorr/cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.endswith("_command"):
                said = len(ast.get_docstring(node, clean=False).splitlines())
                lengths[node.name] = node.end_lineno - node.lineno + 1 - said
    assert len(lengths) > 20
    assert {name: lines for name, lines in lengths.items() if lines > 60} == {}


# The walk of a CSV file -------------------------------------------------------------------------

STEPS = re.findall(r"^\| \d+ \| `([\w.]+)` \|", PAGE, re.MULTILINE)


def module_of(step: str) -> str:
    """Return the module of a function or method."""
    while step not in MODULES:
        step = step.rpartition(".")[0]
    return step


def test_the_walk_has_no_hop_back():
    modules = [module_of(step) for step in STEPS]
    for i, module in enumerate(modules):
        later = {m for m in modules[i + 1 :] if folder_of(m) != folder_of(module)}
        assert reachable(module) & later == set(), module


@pytest.mark.slow
def test_the_walk_is_that_of_a_real_run(tmp_path, monkeypatch, capsys):
    from bayescorr.cli import main

    bayescorr.load_dataset("demo").iloc[:20, :6].to_csv(tmp_path / "scores.csv")
    monkeypatch.chdir(tmp_path)
    words = "report scores.csv --model flat --seed 1 --no-figures --out report"
    monkeypatch.setattr(sys, "argv", ["bayescorr", *words.split()])
    finished: list[str] = []

    def profile(frame, event, _):
        if event == "return":
            name = f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}"
            if name in STEPS and name not in finished:
                finished.append(name)

    sys.setprofile(profile)
    try:
        with pytest.raises(SystemExit) as end:
            main()
    finally:
        sys.setprofile(None)
    assert end.value.code in (0, None), capsys.readouterr().err
    assert finished == STEPS


# The contributor's guide ------------------------------------------------------------------------


def test_small_changes_touch_few_files_and_all_exist():
    rows = re.findall(r"^\| ((?:add|change|support) [^|]+) \| ([^|]+) \|$", GUIDE, re.MULTILINE)
    assert len(rows) == 12
    for change, cell in rows:
        files = re.findall(r"`([\w./]+)`", cell)
        assert [file for file in files if not (ROOT / file).exists()] == [], change
        assert len(files) <= 3 or "PyMC" in change, change


@pytest.fixture(scope="module")
def followed(tmp_path_factory, copy_sources) -> Path:
    """Follow every recipe in a copy of the sources, and install the result into a folder."""
    copy, target = copy_sources(), tmp_path_factory.mktemp("installed")
    files = re.findall(r"^```python\n# (\S+\.py)\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"Add the line `(.+?)` to `(.+?)` in `(.+?)`", GUIDE)
    assert len(files) == len(lines) == 4
    for file, code in files:
        (copy / file).write_text(code, encoding="utf-8")
    for line, place, file in lines:
        text = (copy / file).read_text("utf-8")
        assert text.count(f"\n{place}\n") == 1, (place, file)
        (copy / file).write_text(text.replace(f"\n{place}\n", f"\n{place}\n{line}\n"), "utf-8")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", str(copy)]
    command += ["--no-build-isolation", "--disable-pip-version-check", "--target", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.slow
def test_recipes_of_the_guide_work(followed, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(followed))
    code = f"""
import bayescorr
assert bayescorr.__file__.startswith({str(followed)!r})
scores = bayescorr.load_dataset("demo").iloc[:, :5]
scores.rename_axis("topic").reset_index().to_feather("scores.feather")
assert bayescorr.read_scores("scores.feather").shape == scores.shape
assert "feather" in bayescorr.read_scores.__doc__
estimates = bayescorr.estimate(scores, ["ML", "DIR"], ["tau", "same_winner"], random_seed=1)
assert estimates["method"].tolist() == ["ML", "ML", "DIR", "DIR"], estimates
assert "DIR" in bayescorr.list_estimators()["name"].tolist()
fit = bayescorr.fit(scores, "normal", random_seed=1)
assert 0 < fit.draws("same_winner").mean() < 1
assert "normal" in bayescorr.list_models()["name"].tolist()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
