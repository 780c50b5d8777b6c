r"""LIBSVM text, strictly: every row as ``label [qid:number] index:value ...``, and nothing that is not that.

    line     = [blanks] [row] [comment] end
    row      = number {blanks entry}, the first entry perhaps a qid
    comment  = "#" to the end of the line
    end      = "\n" or "\r\n"

Indices rise. Lines without a row are passed over. The kernel stops at the first fault and says where it lies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel.jit import inlined, kernel
from aucmax.kernel.numerals import FINE, HARD, NO_NUMBER, number

NEWLINE, RETURN, SPACE, TAB, HASH, COLON, COMMA = 10, 13, 32, 9, 35, 58, 44
ZERO, NINE = 48, 57
QID = (113, 105, 100, 58)  # "qid:"

# faults beyond those of a number
NO_LABEL, SEVERAL_LABELS, NO_INDEX, NO_COLON = 4, 5, 6, 7
TOO_LOW, TOO_HIGH, REPEATED, FALLING = 8, 9, 10, 11
NO_VALUE, OVERFLOW, NO_BLANK, STRAY_RETURN, NO_QUERY = 12, 13, 14, 15, 16

NO_QUERY_ID = -1
SHORTEST_ROW, SHORTEST_ENTRY, SHORTEST_HARD = 2, 4, 20  # bytes: "1\n", " 1:2", twenty digits


class Rules(NamedTuple):
    """The first and the last index there may be, and the largest size of a value."""

    first: int
    last: int
    largest: float


class Parsed(NamedTuple):
    """Room for the rows of a block, and what was found there."""

    labels: np.ndarray
    ends: np.ndarray  # of the rows, in entries
    queries: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    hard: np.ndarray  # numbers left to Python: entry (or -1 - row of a label), first byte, last byte
    state: np.ndarray  # rows, entries, hard numbers, largest index, fault, its position, lines before it

    @classmethod
    def room(cls, size: int) -> Parsed:
        """Room for any block of so many bytes."""
        rows, entries = size // SHORTEST_ROW + 1, size // SHORTEST_ENTRY + 1
        hard = np.empty((size // SHORTEST_HARD + 1, 3), dtype=np.int64)
        values, state = np.empty(entries), np.zeros(7, dtype=np.int64)
        ends, queries = np.empty((2, rows), dtype=np.int64)
        return cls(np.empty(rows), ends, queries, np.empty(entries, dtype=np.int32), values, hard, state)


@inlined
def past_blanks(text: Any, at: Any) -> Any:
    """The next byte that is neither a space nor a tab."""
    while text[at] == SPACE or text[at] == TAB:
        at += 1
    return at


@inlined
def ends(c: Any) -> Any:
    """Whether a byte ends a row."""
    return c <= HASH and c in (NEWLINE, RETURN, HASH)


@inlined
def whole(text: Any, at: Any) -> Any:
    """The whole number that begins here, if it has at most 18 digits, and where it ends."""
    begun = at
    value = np.int64(0)
    while ZERO <= text[at] <= NINE and at - begun < 19:
        value = 10 * value + (np.int64(text[at]) - ZERO)
        at += 1
    return value, at


@inlined
def checked(text: Any, at: Any, out: Any, largest: Any, entry: Any) -> Any:
    """A number, where it ends (or begins, if bad) and its fault; a hard one is noted."""
    value, end, state = number(text, at)
    if state == HARD:
        k = out.state[2]
        out.state[2] = k + 1
        out.hard[k, 0], out.hard[k, 1], out.hard[k, 2] = entry, at, end
        state = FINE
    if not abs(value) <= largest:
        return value, at, OVERFLOW
    return value, end, state


@inlined
def query(text: Any, at: Any, out: Any, row: Any) -> Any:
    """Read the query id, if there is one here; where it ends, and its fault."""
    out.queries[row] = NO_QUERY_ID
    begun = past_blanks(text, at)
    if begun == at or text[begun] != QID[0]:
        return at, FINE
    for k in range(1, 4):
        if text[begun + k] != QID[k]:
            return begun, NO_QUERY
    value, end = whole(text, begun + 4)
    if end == begun + 4 or end - begun > 4 + 18:
        return begun, NO_QUERY
    out.queries[row] = value
    return end, FINE


@inlined
def index_fault(index: Any, last: Any, width: Any, rules: Any) -> Any:
    """What is wrong with an index of so many digits after another."""
    if width == 0:
        return NO_INDEX
    if index > rules.last or width > 18:
        return TOO_HIGH
    if index < rules.first:
        return TOO_LOW
    if index <= last:
        return REPEATED if index == last else FALLING
    return FINE


@inlined
def entries(text: Any, at: Any, rules: Any, out: Any, e: Any) -> Any:
    """Read the entries of a row from number e on: where they end, how many there are then, and a fault."""
    last = np.int64(rules.first - 1)
    while True:
        begun = past_blanks(text, at)
        if ends(text[begun]):
            break
        if begun == at:
            return at, e, NO_BLANK
        index, at = whole(text, begun)
        fault = index_fault(index, last, at - begun, rules)
        if fault != FINE:
            return begun, e, fault
        if text[at] != COLON:
            return at, e, NO_COLON
        value, at, fault = checked(text, at + 1, out, rules.largest, e)
        if fault != FINE:
            return at, e, NO_VALUE if fault == NO_NUMBER else fault
        out.indices[e] = index - rules.first
        out.values[e] = value
        last = index
        e += 1
    out.state[3] = max(out.state[3], last - rules.first)
    return begun, e, FINE


@inlined
def a_row(text: Any, at: Any, rules: Any, out: Any, row: Any, e: Any) -> Any:
    """Read one row: where it ends, the entries then, and a fault."""
    value, at, fault = checked(text, at, out, np.finfo(np.float64).max, -1 - row)
    if fault != FINE:
        return at, e, NO_LABEL if fault == NO_NUMBER else fault
    out.labels[row] = value
    if text[at] == COMMA:
        return at, e, SEVERAL_LABELS
    at, fault = query(text, at, out, row)
    if fault != FINE:
        return at, e, fault
    return entries(text, at, rules, out, e)


@inlined
def line_end(text: Any, at: Any) -> Any:
    """Pass over a comment and the end of the line: the next line, and a fault."""
    if text[at] == HASH:
        while text[at] != NEWLINE:
            at += 1
    if text[at] == RETURN:
        if text[at + 1] != NEWLINE:
            return at, STRAY_RETURN
        at += 1
    return at + 1, FINE


@kernel
def parse(text: Any, stop: Any, rules: Any, out: Any) -> None:
    """Read the lines of a text up to a position just after a newline."""
    at = np.intp(0)
    row = 0
    e = 0
    line = 0
    out.state[2] = 0
    out.state[3] = -1
    fault = FINE
    while at < stop and fault == FINE:
        at = past_blanks(text, at)
        if not ends(text[at]):
            at, e, fault = a_row(text, at, rules, out, row, e)
            out.ends[row] = e
            row += 1
        if fault == FINE:
            at, fault = line_end(text, at)
            line += fault == FINE
    out.state[0], out.state[1], out.state[4], out.state[5], out.state[6] = row, e, fault, at, line
