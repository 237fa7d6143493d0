"""Open models of strangers in a process of its own and ask them something: `python opening.py FOLDER...`.

Prints a line for each folder: its name before it is opened, then whether it was refused in words or gave answers.
Whatever else happens, such as an error without words or the end of the process, shows in the exit code.
"""

from __future__ import annotations

import sys

from faan.base import InputError
from faan.complete import Completer

FIVE = [(f"land{i}", f"town{i}a") for i in range(5)]


def outcome(folder: str) -> str:
    """What becomes of a question."""
    try:
        completer = Completer.load(folder)
    except InputError:
        return "refused"
    try:
        found = list(completer.suggest(FIVE, top=3))
        completer.explain("land9", found[0].tail if found else "town9a", FIVE)
        list(completer.suggest("next_to", tails=["land3"]))
    except InputError:
        return "answered"  # in words, such as a name that it does not know
    return "answered"


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(path, end=" ", flush=True)
        print(outcome(path), flush=True)
