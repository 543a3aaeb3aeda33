"""Every command ends its help with examples, and the examples can be typed."""

from __future__ import annotations

import shlex

import pytest
from typer.main import get_command

from bayescorr.cli import app


def commands(command, path=()):
    children = getattr(command, "commands", {})
    for name, child in children.items():
        yield from commands(child, (*path, name))
    if not children:
        yield path, command


COMMANDS = dict(commands(get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_examples_use_options_that_exist(path):
    command = COMMANDS[path]
    title, *examples = command.epilog.split("\n\n")
    assert title == "Examples:"
    assert examples
    names = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    for example in examples:
        dollar, program, *words = shlex.split(example)
        assert (dollar, program) == ("$", "bayescorr")
        assert tuple(words[: len(path)]) == path
        given = {word for word in words if word.startswith("--")}
        assert given <= names, given - names


def groups(command, path=()):
    children = getattr(command, "commands", {})
    if children:
        yield path, command
    for name, child in children.items():
        yield from groups(child, (*path, name))


GROUPS = dict(groups(get_command(app)))


@pytest.mark.parametrize("path", GROUPS, ids=" ".join)
def test_groups_end_their_help_with_examples_too(path):
    title, *examples = GROUPS[path].epilog.split("\n\n")
    assert title == "Examples:"
    assert len(examples) == 2
    for example in examples:
        dollar, program, *words = shlex.split(example)
        assert (dollar, program) == ("$", "bayescorr")
        assert tuple(words[: len(path)]) == path
        assert any(tuple(words[:i]) in (*COMMANDS, ("datasets",)) for i in (1, 2))
