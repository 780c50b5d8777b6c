"""What becomes of an input: accepted, refused on purpose, or a fault of one of five sorts."""

import ast
import functools
import traceback
from pathlib import Path

import sklearn

import aucmax

SORTS = ("signal", "hang", "memory", "untyped", "wrong")
OURS, THEIRS = (str(Path(module.__file__).parent) for module in (aucmax, sklearn))


class WrongResultError(Exception):
    """An input was accepted, and what came of it is no number or no answer."""


def judged(error):
    """None for an error that was raised on purpose; else the sort of fault and its words."""
    if isinstance(error, WrongResultError):
        return "wrong", str(error)
    if isinstance(error, MemoryError):
        return "memory", place(error)
    return None if typed(error) else ("untyped", f"{type(error).__name__}: {str(error)[:120]} at {place(error)}")


def typed(error):
    """Whether an error is a refusal: of a class for that, with a message, from a check of this library or scikit-learn.

    A check of this library is a ``raise`` in its source. What scikit-learn says of an input is taken as it is, even
    where it passes on what numpy said. An error of numpy, scipy, Arrow or the standard library that gets through is
    no refusal.
    """
    kinds = [each for each in type(error).__mro__ if each in (ValueError, TypeError, FloatingPointError)]
    home = type(error).__module__
    if not kinds or not str(error) or not (home == "builtins" or home.startswith(("aucmax.", "sklearn."))):
        return False
    if isinstance(error, UnicodeError):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    known = [frame for frame in frames if frame.filename.startswith((OURS, THEIRS))]
    if known and known[-1].filename.startswith(THEIRS):
        return True
    return bool(known) and known[-1] is frames[-1] and frames[-1].lineno in raising(frames[-1].filename)


@functools.cache
def raising(filename):
    """The lines of a file's ``raise`` statements."""
    nodes = ast.walk(ast.parse(Path(filename).read_text()))
    spans = [range(each.lineno, each.end_lineno + 1) for each in nodes if isinstance(each, ast.Raise)]
    return frozenset(line for span in spans for line in span)


def place(error):
    """Where in this library an error came from, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(OURS)]
    shown = dict.fromkeys(f"{Path(frame.filename).name}:{frame.lineno}" for frame in (*ours[-1:], *frames[-1:]))
    return " < ".join(shown)
