"""Fit a model to a table and write a folder about it; choose another model of such a folder."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..core.files import checksum
from ..models.symbolic import SymbolicModel
from .about import about_fit, ending, summary
from .cross_validation import cross_validate
from .fit_settings import FitSettings
from .fits import Rows, Versions, make_fits, split_rows, versions_of
from .folder import check_folder, files_of, read_about, read_versions, write_files
from .page import page_of, without_plots
from .training_table import TrainingTable, read_training_table


@dataclass(frozen=True)
class FitReport:
    """The result of `vjmgp.fit_report`."""

    folder: Path
    """The folder, whose page is report.html."""
    model: SymbolicModel
    """The chosen model."""
    summary: str
    """How good it is, in two sentences."""
    cautions: list[str]
    """Reasons to be careful with it."""
    notes: list[str]
    """Remarks on the table and on the fit, such as an early end."""
    interrupted: bool
    """Whether Ctrl-C ended the fit."""
    validation: dict[str, Any] | None
    """Results of the cross-validation, as in about.json; None if one split tested the model."""

    @property
    def page(self) -> Path:
        """The page about the model."""
        return (self.folder / "report.html").resolve()


def fit_report(
    table: str | os.PathLike[str] | pd.DataFrame,
    target: str,
    folder: str | os.PathLike[str],
    *,
    progress: bool = False,
    **settings: Any,
) -> FitReport:
    """Fit a model to a table and write it, its formulas and a page about it into a folder.

    The model is fitted to all rows. Up to some thousand rows, cross-validation tests how it was
    found, and a shorter formula is written if it is as good; else a share of the rows tests a first
    fit. Ctrl-C ends the fit, and what there is is written. The command `vjmgp fit` does the same.

    Parameters
    ----------
    table : path or DataFrame
        A CSV, TSV, Excel or Parquet file, or the table itself.
    target : str
        The column to predict.
    folder : path
        The folder to write to. One with the model of another table or target is refused.
    progress : bool
        Whether to show a progress bar.
    **settings
        The other parameters below.

    Returns
    -------
    FitReport
        The folder, the model, a summary, cautions and the results of the cross-validation.

    Other Parameters
    ----------------
    separator, decimal, thousands, encoding, sheet : str, optional
        How the file is written; detected by default.
    na_values : list of str
        Texts that mean a missing cell, beside those that pandas knows, such as "k.A.".
    nominal, ignore : list of str
        Columns of numbers that stand for categories, and columns to leave out.
    weights : str, optional
        The column with the weight of each row.
    missing : {'error', 'median', 'indicator', 'drop'}
        What to do about missing cells: refuse the table, fill in the median, fill it in and add an
        input that says where, or leave such rows out.
    dates : {'refuse', 'elapsed'}
        Whether dates are refused, or converted to days since the first one.
    row_labels : {'drop', 'keep'}
        Whether columns that name or count the rows are left out, other than those in `nominal`.
    method : str
        A method of the paper, or the import path of a regulariser; 'VJM' by default.
    population, generations, restarts, max_trees : int
        As in `VJMRegressor`: 200, 100, 1 and 10 by default.
    functions : list of str
        Functions that formulas may use.
    seconds : float, optional
        Time limit, shared by all fits.
    max_size : int, optional
        Largest size of the formula: numbers, inputs and operations as written.
    clip : bool
        Whether predictions stay within the range of the training target; a law may leave it.
    seed : int
        Seed of all random numbers.
    holdout : float or str, optional
        Share of the rows to test on instead of cross-validation, 0 for none; "last", or such as
        "last 20%", tests on the last rows, by date if there are dates. By default 0.25 if there are
        too many rows for cross-validation.
    folds, repeats : int, optional
        Parts of the rows for cross-validation, 5 by default, and how often they are drawn: by
        default twice up to 60 rows, once up to 2000, if a fit takes no more than usual.
    final_fit : bool
        Whether to fit to all rows after a test on a share of them; without it, there is no
        cross-validation.
    interval : float
        Share of new targets that the page's intervals should contain, 0.9 by default.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from vjmgp import fit_report
    >>> table = pd.DataFrame({"heat": range(40)}).assign(rate=lambda t: 3.0 * t["heat"] + 2.0)
    >>> with TemporaryDirectory() as folder:
    ...     report = fit_report(table, "rate", folder, population=20, generations=2)
    ...     report.page.exists()
    True
    >>> str(report.model)
    '3*heat + 2'

    """
    wanted = FitSettings(target=target, **settings)
    wanted.find_regularizer()  # an error comes before the table is read
    read = read_training_table(table, wanted)
    report = write_report(read, wanted, Path(folder), progress)
    return replace(report, notes=[*read.notes, *report.notes])


def write_report(
    table: TrainingTable,
    settings: FitSettings,
    folder: Path,
    progress: bool = False,
    announce: Callable[[str], None] = lambda line: None,
) -> FitReport:
    """Fit and write; `announce` is called with a line before each of several fits."""
    rows = split_rows(table, settings)
    if len(rows.train) < 2:
        raise ValueError(
            f"{table.path or 'the table'}: {len(rows.train)} rows are too few to train on."
        )
    sha256 = _checksum(table)
    check_folder(folder, table.path, sha256, settings.target)
    fits = make_fits(settings, rows, progress, announce)
    validation = cross_validate(settings, rows, fits.final, progress)
    if validation is not None and validation.interrupted:
        fits = replace(fits, stopped_by="interrupt of the cross-validation")
    validation = validation if validation is not None and validation.fits else None
    versions = versions_of(fits, settings.max_size, validation)
    described = None if validation is None else validation.describe(versions)
    about = about_fit(settings, table, sha256, fits, described)
    return _write(folder, versions, about, rows)


def _checksum(table: TrainingTable) -> str:
    if table.path is not None:
        return checksum(table.path)
    whole = table.data.inputs.assign(**{"": table.data.target})
    return hashlib.sha256(whole.to_csv(index=False).encode()).hexdigest()


def _write(folder: Path, versions: Versions, about: dict[str, Any], rows: Rows | None) -> FitReport:
    files = files_of(versions, about)
    write_files(folder, files | {"report.html": page_of(folder, versions, about, rows)})
    notes = [without_plots(folder, versions.chosen), ending(about)]
    return FitReport(
        folder,
        versions.model,
        "\n".join(summary(about, versions)),
        about["cautions"],
        [note for note in notes if note],
        about["stopped_by"].startswith("interrupt"),
        about.get("validation"),
    )


def choose_model(folder: Path, row: int) -> tuple[FitReport, bool]:
    """Put the model of a row of front.csv in place of the chosen one.

    Return the report, and whether the table of the fit is still available, without which the page
    has no plots of its rows.
    """
    before, about = read_versions(folder), read_about(folder)
    if not 0 <= row < len(before.models):
        last = len(before.models) - 1
        raise ValueError(f"{folder}: there is no row {row}; the last one is {last}.")
    after = replace(before, table=before.table.assign(chosen=before.table["row"] == row))
    rows = _rows_again(about)
    return _write(folder, after, about, rows), rows is not None


def _rows_again(about: dict[str, Any]) -> Rows | None:
    """Read the table of the fit again, if it is still available and the same."""
    path = Path(about["table"] or "")
    if not path.is_file() or checksum(path) != about["sha256"]:
        return None
    settings = FitSettings.from_dict(about["options"] | about["reading"])
    table = read_training_table(path, settings)
    return split_rows(table, settings)
