"""Around a step: its arguments, its log, its threads, the manifest of what it wrote.

A script of the workflow imports and calls its step within `as_job`, after thread counts are set.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.files import DamagedFileError, damaged_in, write_manifest
from . import warm

DISK_FULL = 73
"""Exit code of a job that found no room to write."""
REASONS = {
    DISK_FULL: "No space is left on the disk, or in your quota. Make room, and run again.",
    warm.CRASHED: "The job was killed, probably out of memory. Run fewer at once (--cores 1), or "
    "give its method more memory with mem_mb in the config.",
}
FOR_SNAKEMAKE = ("mark", "kernels", "made", "outdated")
"""Files of a rule that are no arguments of its step."""


@contextlib.contextmanager
def as_job(snakemake: Any) -> Iterator[dict[str, Any]]:
    """Run what is inside as a job: in the warm worker where there is one, else here.

    It is given the named inputs, outputs and parameters of its rule. What it says goes to the log
    file; an error ends the process with one line.
    """
    log = Path(snakemake.log[0])
    try:
        code = warm.run(sys.argv[0], log)
        if code is None:
            os.environ.update(dict.fromkeys(warm.THREAD_VARIABLES, str(snakemake.threads)))
            code = 0
            with _written_to(log):
                parts = snakemake.input, snakemake.output, snakemake.params
                named = {name: value for part in parts for name, value in part.items()}
                made = snakemake.input.get("made", [])
                for manifest in [made] if isinstance(made, str) else made:
                    for path in damaged_in(Path(manifest)):
                        raise DamagedFileError(str(path))
                yield {name: named[name] for name in named if name not in FOR_SNAKEMAKE}
                manifest = snakemake.output.get("made")
                if manifest:
                    write_manifest(Path(manifest), [o for o in snakemake.output if o != manifest])
    except KeyboardInterrupt:
        os._exit(130)  # Snakemake tells what was stopped; another Ctrl-C may be on its way
    except Exception as error:  # noqa: BLE001 (whatever it is, the log tells it)
        code = DISK_FULL if _is_full(error) else 1
    if code:
        why = REASONS.get(code) or (lines_of(log) or [""])[-1]
        with contextlib.suppress(OSError), log.open("a", encoding="utf-8") as file:
            file.write(f"{why}\n" if code in REASONS else "")
        with contextlib.suppress(OSError):  # a worker's child prints to the log, on a full disk
            print(f"{why} (log: {log})", file=sys.stderr, flush=True)
    sys.exit(code)


@contextlib.contextmanager
def _written_to(log: Path) -> Iterator[None]:
    """Write to a log file what is printed, logged and raised."""
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    with log.open("a", encoding="utf-8", buffering=1) as file:
        logging.basicConfig(
            stream=file, level=logging.INFO, format="%(asctime)s %(message)s", force=True
        )
        try:
            with contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
                yield
        except Exception:
            traceback.print_exc(file=file)
            raise
        finally:
            logging.getLogger().handlers.clear()


def _is_full(error: BaseException | None) -> bool:
    """Whether an error comes from a disk or a quota that is full."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False


def lines_of(log: Path) -> list[str]:
    """What a step said. Messages of a library may be in any encoding."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return text.strip().splitlines()
