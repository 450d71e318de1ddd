"""The reference of the `vjmgp` command, from its parser."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from vjmgp.cli import parser

HEAD = """# Command line

What each command takes, as `--help` prints it. How they are used: `docs/command.md`."""


def page() -> str:
    """The page: a section for each command."""
    os.environ["COLUMNS"] = "100"  # argparse breaks lines by it
    parts = [HEAD]
    for command in _commands(parser()):
        parts += [f"## `{command.prog}`", f"```text\n{command.format_help().strip()}\n```"]
    return "\n\n".join(parts)


def _commands(command: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A command and all below it."""
    yield command
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _commands(below)
