"""Suggest names that resemble an unknown one."""

import difflib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

MOST = 30
"""Number of known names that are listed if none is similar."""


def did_you_mean(name: Any, known: Iterable[Any]) -> str:
    """Return "; did you mean 'a'?" with up to three similar names, "" if there are none.

    Capitals and surrounding blanks do not count.
    """
    words: defaultdict[str, list[str]] = defaultdict(list)
    for word in dict.fromkeys(map(str, known)):
        words[word.strip().casefold()].append(word)
    close = difflib.get_close_matches(str(name).strip().casefold(), words, n=3, cutoff=0.6)
    names = [repr(word) for key in close for word in words[key]]
    return f"; did you mean {' or '.join(names[:3])}?" if names else ""


def alternatives(name: Any, known: Iterable[Any], introduction: str = "known are") -> str:
    """Return similar names as a question; if there are none, the first known ones."""
    names = list(dict.fromkeys(map(str, known)))
    more = f", … ({len(names):,} in all)" if len(names) > MOST else ""
    listed = f"; {introduction} {', '.join(map(repr, names[:MOST]))}{more}." if names else "."
    return did_you_mean(name, names) or listed
