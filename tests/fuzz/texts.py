"""Mutations of text that know its structure, so that most of them get far into a reader."""

import bz2
import gzip
import lzma

PLAIN = ["0", "-0", "1", "-1", "+1", "1.", ".5", "1e5", "1e-5", "1e-400", "9007199254740993", "0.1" * 30, "2147483646"]
LARGE = [
    "1e309",
    "-1e309",
    "2147483647",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "9" * 30,
    "1" * 2000,
]
ODD = [
    ".",
    "nan",
    "inf",
    "-inf",
    "0x1p3",
    "1_0",
    "1,5",
    "1e",
    "1e+",
    "--1",
    "+-1",
    "",
    "1:1",
    ":",
    "::",
    "qid:1",
    "qid:",
]
SIGNS = ["qid:x", "#", "#x", "\x00", "\xff", "\r", "\t", "1\r", "true", "None", "é", "'", '"', "\n"]
NUMBERS = [*PLAIN, *PLAIN, *LARGE, *ODD, *SIGNS]


def lines(rng):
    """Some lines of LIBSVM text."""
    found = []
    with_queries = rng.random() < 0.1
    for _ in range(rng.randint(1, 12)):
        columns = sorted(rng.sample(range(1, 60), rng.randint(0, 6)))
        query = [f"qid:{rng.randint(0, 9)}"] if with_queries else []
        found.append(
            [str(rng.choice([1, -1])), *query, *(f"{j}:{rng.uniform(-9, 9):.{rng.randint(0, 20)}g}" for j in columns)]
        )
    return found


def tokens_changed(rng, rows, separator):
    """Replace, drop, repeat, swap and split tokens."""
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        row = rng.choice(rows)
        if not row:
            continue
        k = rng.randrange(len(row))
        action = rng.randrange(7)
        if action == 0:
            row[k] = rng.choice(NUMBERS)
        elif action == 1:
            del row[k]
        elif action == 2:
            row.insert(k, row[rng.randrange(len(row))])
        elif action == 3:
            j = rng.randrange(len(row))
            row[k], row[j] = row[j], row[k]
        elif action == 4:
            head, _, tail = row[k].partition(":")
            row[k] = rng.choice(
                [f"{rng.choice(NUMBERS)}:{tail}", f"{head}:{rng.choice(NUMBERS)}", head, f"{head}: {tail}"]
            )
        elif action == 5:
            row[k] = (row[k] * rng.choice([2, 30, 2000]))[:100_000]
        else:
            row[k] += separator + rng.choice(NUMBERS)
    return rows


def bytes_changed(rng, data):
    """Flip, drop, insert and cut bytes."""
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 3])):
        at = rng.randrange(len(data) + 1)
        action = rng.randrange(5)
        if action == 0 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif action == 1:
            del data[at : at + rng.choice([1, 1, 10])]
        elif action == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 4, 40])))
        elif action == 3:
            del data[at:]
        else:
            data[at:at] = data[: rng.randrange(200)]
    return bytes(data)


def packed(rng, data):
    """Sometimes compressed, and then sometimes damaged."""
    kind = rng.choice([None] * 12 + [gzip.compress, bz2.compress, lzma.compress])
    return data if kind is None else bytes_changed(rng, kind(data))


def libsvm(rng):
    end = rng.choice(["\n"] * 6 + ["\r\n"] * 2 + ["\r"])
    rows = tokens_changed(rng, lines(rng), " ")
    text = end.join(rng.choice([" ", " ", "\t", "  "]).join(row) for row in rows)
    return packed(rng, bytes_changed(rng, text.encode("utf-8", "replace")))


def table(rng):
    width = rng.randint(1, 5)
    rows = [[f"c{j}" for j in range(width)] + ["y"]]
    words = ["a", "b", "long text", "", "NA", "?", '"x"', "2020-01-01", "true", "1e3", "-", "'"]
    kinds = [rng.random() < 0.5 for _ in range(width)]
    for _ in range(rng.randint(0, 12)):
        cells = [f"{rng.uniform(-9, 9):.3f}" if is_number else rng.choice(words) for is_number in kinds]
        rows.append([*cells, str(rng.randrange(2))])
    rows = tokens_changed(rng, rows, rng.choice([",", "\n", '"', ";"]))
    comma = rng.choice([","] * 9 + [";"])
    text = rng.choice(["\n", "\n", "\r\n", "\r"]).join(comma.join(row) for row in rows)
    return packed(rng, bytes_changed(rng, text.encode("utf-8", "replace")))
