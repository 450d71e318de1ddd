"""The `vjmgp` command: parse arguments, call the package, print, and return an exit code."""

import argparse
import io
import os
import sys
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

from .. import __version__
from ..core.optional import missing
from ..tables.errors import InputError


class Exit(IntEnum):
    """Exit codes of the command."""

    DONE = 0
    FAILED = 1
    WRONG = 2
    NOT_NOW = 3
    STOPPED = 130


EXIT_CODES = """\
exit codes:
  0    done
  1    the work failed: a job, a fit, or a run that verify could not reproduce
  2    the command line, the config or the data are wrong; nothing was started
  3    not now: the study is not complete (status), runs already (run, resume), or has no runs
       or a dataset that cannot be downloaded (verify)
  130  stopped by Ctrl-C; fit has written the model so far, if there was one
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    from . import choose_command as choose
    from . import export_command as export
    from . import fit_command as fit
    from . import predict_command as predict
    from . import study_commands as study
    from . import verify_command as verify

    root = argparse.ArgumentParser(
        prog="vjmgp",
        description="Symbolic regression by vicinal Jensen gap minimisation.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"vjmgp {__version__}")
    commands = root.add_subparsers(metavar="COMMAND", required=True)
    for module in (fit, predict, choose, export, study, verify):
        module.add_to(commands)
    completion = commands.add_parser(
        "completion",
        help="print a script that completes this command in a shell",
        description='For bash, for example: eval "$(vjmgp completion bash)" in ~/.bashrc',
    )
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    completion.set_defaults(run=_print_completion)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # some consoles of Windows lack τ
            stream.reconfigure(errors="replace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    end = words.index("--") if "--" in words else len(words)
    options = parser().parse_args(words[:end] or ["--help"])
    options.more = words[end + 1 :]
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader, for example `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return Exit.DONE
    except KeyboardInterrupt:
        print_error("Stopped.")
        return Exit.STOPPED
    except ModuleNotFoundError as error:
        text = str(missing(error.name or ""))
    except InputError as error:
        known = {*vars(options), "folder"}
        text = error.message(lambda name: as_option(name) if name in known else repr(name))
    except (ValueError, OSError) as error:
        text = str(error)
    print_error(f"vjmgp: {text}")
    return Exit.WRONG


def print_error(line: str) -> None:
    """Print a line to the standard error stream."""
    print(line, file=sys.stderr)


def as_option(setting: str) -> str:
    """Return the option of a setting."""
    name = {"folder": "output", "na_values": "na"}.get(setting, setting)
    return f"--{name.replace('_', '-')}"


def _print_completion(options: argparse.Namespace) -> int:
    import shtab

    root = parser()
    for argument in _arguments(root):
        if argument.type is Path:
            is_folder = argument.metavar == "FOLDER"
            argument.complete = shtab.DIRECTORY if is_folder else shtab.FILE
        elif hasattr(argument, "suggestions"):  # choices would refuse everything else
            argument.choices = argument.suggestions
    print(shtab.complete(root, options.shell))
    return Exit.DONE


def _arguments(command: argparse.ArgumentParser) -> Iterator[Any]:
    for argument in command._actions:
        yield argument
        if isinstance(argument, argparse._SubParsersAction):
            for below in argument.choices.values():
                yield from _arguments(below)
