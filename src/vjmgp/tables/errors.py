"""Errors about tables and settings, with fields in place of finished text."""

import re
from collections.abc import Callable, Sequence


class InputError(ValueError):
    """A problem of a given kind with a table, one of its columns, or a setting.

    The message is `text` and `advice`; names in braces in the latter are settings.
    """

    def __init__(self, kind: str, text: str, advice: str = "", column: str | None = None) -> None:
        super().__init__(kind, text, advice, column)
        self.kind, self.text, self.advice, self.column = kind, text, advice, column

    def __str__(self) -> str:
        return self.message()

    def message(self, show_setting: Callable[[str], str] = repr) -> str:
        """Return the message; `show_setting` writes the name of a setting."""
        return self.text + re.sub(r"{(\w+)}", lambda found: show_setting(found[1]), self.advice)

    def followed_by(self, text: str) -> "InputError":
        """Return the same problem with more text."""
        return InputError(self.kind, self.text, self.advice + text, self.column)


class TableError(InputError):
    """All problems of one table; kind and column are those of the first."""

    def __init__(self, where: str, problems: Sequence[InputError]) -> None:
        super().__init__(problems[0].kind, where, column=problems[0].column)
        self.problems, self.args = tuple(problems), (where, problems)

    def message(self, show_setting: Callable[[str], str] = repr) -> str:
        """Return one line, or a line for each of several problems."""
        lines = [problem.message(show_setting) for problem in self.problems]
        if len(lines) == 1:
            return f"{self.text}: {lines[0]}"
        return "\n- ".join([f"{self.text}: {len(lines)} things are wrong:", *lines])
