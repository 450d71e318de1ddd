"""Run a step as a job of the workflow: its arguments, log, threads, exit code and manifest."""

import contextlib
import errno
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from ..core.files import DamagedFileError, damaged_in, write_manifest
from ..study import steps
from . import warm

DISK_FULL = 73
"""Exit code of a job that found the disk full."""
REASONS = {
    DISK_FULL: "No space is left on the disk, or in your quota. Make room, and run again.",
    warm.CRASHED: "The job was killed, probably out of memory. Run fewer at once (--cores 1), or "
    "give its method more memory with mem_mb in the config.",
}
REMEDY = "To repair it: vjmgp study repair CONFIG"
NOT_ARGUMENTS = ("mark", "kernels", "made", "outdated", "step")
"""Names in a rule that are not arguments of its step."""


def run_step(snakemake: Any, function: str) -> NoReturn:
    """Run the step of a rule, in the warm worker if there is one, and end the process.

    The function, an import path, is called with the named inputs, outputs and parameters of the
    rule, after thread counts are set. Its output goes to the log file; an error is one line.
    """
    log = Path(snakemake.log[0])
    try:
        code = warm.run(sys.argv[0], log)
        if code is None:
            os.environ.update(dict.fromkeys(warm.THREAD_VARIABLES, str(snakemake.threads)))
            with _written_to(log):
                _call(snakemake, function)
            code = 0
    except KeyboardInterrupt:
        os._exit(130)  # Snakemake reports what was stopped; another Ctrl-C may follow
    except Exception as error:  # noqa: BLE001 (the log has it, whatever it is)
        code = DISK_FULL if _is_full(error) else 1
    if code:
        reason = REASONS.get(code) or (lines_of(log) or [""])[-1]
        with contextlib.suppress(OSError), log.open("a", encoding="utf-8") as file:
            file.write(f"{reason}\n" if code in REASONS else "")
        with contextlib.suppress(OSError):  # a worker's child prints to the log, on a full disk
            print(f"{reason} (log: {log})", file=sys.stderr, flush=True)
    sys.exit(code)


def _call(snakemake: Any, function: str) -> None:
    """Check the files that earlier steps made, call the step, and write its manifest."""
    parts = snakemake.input, snakemake.output, snakemake.params
    named = {name: value for part in parts for name, value in part.items()}
    made = snakemake.input.get("made", [])
    for manifest in [made] if isinstance(made, str) else made:
        for path in damaged_in(Path(manifest)):
            raise DamagedFileError(str(path))
    steps.load(function)(**{name: named[name] for name in named if name not in NOT_ARGUMENTS})
    manifest = snakemake.output.get("made")
    if manifest:
        write_manifest(Path(manifest), [path for path in snakemake.output if path != manifest])


@contextlib.contextmanager
def _written_to(log: Path) -> Iterator[None]:
    """Send everything that is printed, logged and raised to a log file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    with log.open("a", encoding="utf-8", buffering=1) as file:
        logging.basicConfig(
            stream=file, level=logging.INFO, format="%(asctime)s %(message)s", force=True
        )
        try:
            with contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
                yield
        except Exception as error:
            traceback.print_exc(file=file)
            if isinstance(error, DamagedFileError):
                file.write(f"{error}{'' if error.remedy else f' {REMEDY}'}\n")
            raise
        finally:
            logging.getLogger().handlers.clear()


def _is_full(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False


def lines_of(log: Path) -> list[str]:
    """Return the lines of a log, in which libraries may have written in any encoding."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return text.strip().splitlines()
