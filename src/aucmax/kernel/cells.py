r"""Cells of CSV text that are numbers, for tables of very many columns.

    line  = cell {delimiter cell} end
    cell  = blanks [number or word] blanks, perhaps in quotes; or anything else, which is noted
    end   = "\n" or "\r\n"

Lines without a character are passed over. Words stand for missing and infinite numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.numerals import FINE, HARD, number

NEWLINE, RETURN, SPACE, TAB, QUOTE = 10, 13, 32, 9, 34
NUMBER, HARD_NUMBER, OTHER, OPEN = 0, 1, 2, 3

# what stops the reading of a line
TOO_FEW, TOO_MANY, UNCLOSED = 1, 2, 3


class Words(NamedTuple):
    """What stands for a number without being one: the letters, how many, and the number."""

    letters: np.ndarray
    lengths: np.ndarray
    values: np.ndarray


class Cells(NamedTuple):
    """Room for the rows of a block, and what was found there."""

    places: np.ndarray  # of each column: where its numbers go, or -1 - k for the k-th of those that are kept as text
    numbers: np.ndarray  # (rows, columns of numbers)
    spans: np.ndarray  # (rows, columns of text, 2): first and last byte
    strange: np.ndarray  # of each column: how many cells were no number
    hard: np.ndarray  # numbers left to Python: row, place, first and last byte
    state: np.ndarray  # rows, lines, hard numbers, fault, its line, cells there, first strange line, its column


@inlined
def word(text: Any, at: Any, end: Any, words: Any) -> Any:
    """The number that a word stands for, or -1 and False."""
    for k in range(len(words.lengths)):
        if words.lengths[k] == end - at:
            same = True
            for j in range(end - at):
                same = same and text[at + j] == words.letters[k, j]
            if same:
                return words.values[k], True
    return 0.0, False


@inlined
def cell_end(text: Any, at: Any, delimiter: Any) -> Any:
    """Where a cell ends, and whether that is in the midst of quotes."""
    if text[at] == QUOTE:
        at += 1
        while text[at] != NEWLINE:
            if text[at] == QUOTE:
                if text[at + 1] != QUOTE:
                    break
                at += 1
            at += 1
        if text[at] == NEWLINE:
            return at, True
    while text[at] != delimiter and text[at] != NEWLINE:
        at += 1
    return at, False


@inlined
def content(text: Any, at: Any, end: Any) -> Any:
    """A cell without blanks, quotes and the line's end around it."""
    if end > at and text[end - 1] == RETURN and text[end] == NEWLINE:
        end -= 1
    if end > at + 1 and text[at] == QUOTE and text[end - 1] == QUOTE:
        at += 1
        end -= 1
    while at < end and (text[at] == SPACE or text[at] == TAB):
        at += 1
    while end > at and (text[end - 1] == SPACE or text[end - 1] == TAB):
        end -= 1
    return at, end


@inlined
def cell(text: Any, at: Any, words: Any, delimiter: Any) -> Any:
    """The number in a cell, what became of it, where the cell ends, and the bytes of the number."""
    value, end, state = number(text, at)  # mostly this is all there is
    if state == FINE and (text[end] == delimiter or text[end] == NEWLINE):
        return value, NUMBER, end, at, end
    end, is_open = cell_end(text, at, delimiter)
    if is_open:
        return 0.0, OPEN, end, at, end
    first, last = content(text, at, end)
    value, known = word(text, first, last, words)
    if known:
        return value, NUMBER, end, first, last
    value, stop, state = number(text, first)
    if stop == last and last > first and state in (FINE, HARD):
        return value, HARD_NUMBER if state == HARD else NUMBER, end, first, last
    return np.nan, OTHER, end, first, last


@inlined
def note(out: Any, row: Any, line: Any, column: Any, value: Any, kind: Any, span: Any) -> None:
    """Keep what was found in a cell."""
    place = out.places[column]
    if kind == OTHER:
        out.strange[column] += 1
        if place >= 0 and out.state[6] < 0:
            out.state[6], out.state[7] = line, column
    if place < 0:
        out.spans[row, -1 - place, 0], out.spans[row, -1 - place, 1] = span[0], span[1]
        return
    out.numbers[row, place] = value
    if kind == HARD_NUMBER:
        k = out.state[2]
        out.state[2] = k + 1
        out.hard[k, 0], out.hard[k, 1], out.hard[k, 2], out.hard[k, 3] = row, place, span[2], span[3]


@inlined
def a_line(text: Any, at: Any, words: Any, delimiter: Any, out: Any, row: Any, line: Any) -> Any:
    """Read one line: where it ends, how many cells it has, and a fault."""
    columns = len(out.places)
    column = 0
    while True:
        value, kind, end, first, last = cell(text, at, words, delimiter)
        if kind == OPEN:
            return end, column, UNCLOSED
        if column == columns:
            return end, column + 1, TOO_MANY
        note(out, row, line, column, value, kind, (at, end, first, last))
        column += 1
        if text[end] == NEWLINE:
            return end, column, FINE if column == columns else TOO_FEW
        at = end + 1


@kernel
def read_cells(text: Any, stop: Any, words: Any, delimiter: Any, out: Any) -> None:
    """Read the lines of a text up to a position just after a newline."""
    at = np.intp(0)
    row = 0
    line = 0
    fault = FINE
    count = 0
    out.state[2] = 0
    out.state[6] = -1
    while at < stop and fault == FINE:
        if text[at] == NEWLINE:
            at += 1
        elif text[at] == RETURN and text[at + 1] == NEWLINE:
            at += 2
        else:
            at, count, fault = a_line(text, at, words, delimiter, out, row, line)
            at += 1
            row += 1
        line += 1
    out.state[0], out.state[1], out.state[3], out.state[4], out.state[5] = row, line, fault, line - 1, count
