"""Generate the reference of the `vjmgp` command from its parser."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from vjmgp.cli import parser

HEAD = """# Command line

The options of each command, as `--help` prints them. Examples: `docs/command.md`."""


def page() -> str:
    """Return the page: a section for each command."""
    os.environ["COLUMNS"] = "100"  # the width of argparse's lines
    parts = [HEAD]
    for command in _commands(parser()):
        parts += [f"## `{command.prog}`", f"```text\n{command.format_help().strip()}\n```"]
    return "\n\n".join(parts)


def _commands(command: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a command and all its subcommands."""
    yield command
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _commands(below)
