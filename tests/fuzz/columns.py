"""Mutations of Arrow, Feather and Parquet files, of every type of column that there is."""

import decimal
import io
import struct

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

ROWS = 30
EXTREMES = [0, 1, -1, 2, 7, 8, 255, 2**15, 2**31 - 1, -(2**31), 2**20, 2**24]
WIDE_EXTREMES = [*EXTREMES, 2**32, 2**40, 2**62, 2**63 - 1, -(2**63)]


def healthy(rng):
    """A table with a few columns of many types, some values missing, and labels."""
    words = [rng.choice(["a", "bb", "ccc", "é", "", None]) for _ in range(ROWS)]
    numbers = [rng.choice([None, 1.5, -2.0, rng.random()]) for _ in range(ROWS)]
    counts = [rng.choice([None, 1, 2, rng.randrange(100)]) for _ in range(ROWS)]
    columns = {
        "double": pa.array(numbers, pa.float64()),
        "half": pa.array(np.array([x or 0.0 for x in numbers], dtype=np.float16)),
        "int": pa.array(counts, rng.choice([pa.int8(), pa.int64(), pa.uint32()])),
        "text": pa.array(words, rng.choice([pa.string(), pa.large_string()])),
        "dictionary": pa.array(words).dictionary_encode(),
        "bool": pa.array([None if x is None else x > 3 for x in counts]),
        "date": pa.array(counts, pa.int32()).cast(pa.date32()),
        "time": pa.array(counts, pa.int64()).cast(pa.timestamp(rng.choice(["s", "ns"]))),
        "duration": pa.array(counts, pa.int64()).cast(pa.duration("s")),
        "decimal": pa.array([None if x is None else decimal.Decimal(x) for x in counts], pa.decimal128(10, 2)),
        "list": pa.array([None if x is None else [x] for x in counts], pa.list_(pa.int64())),
        "struct": pa.array([{"a": x} for x in counts]),
        "null": pa.nulls(ROWS),
        "binary": pa.array([None if x is None else x.encode() for x in words], pa.binary()),
        "view": pa.array(words, pa.string_view()),
    }
    plain = ["double", "int", "text", "dictionary", "bool", "date", "time"]
    chosen = rng.sample(plain, rng.randint(1, 5)) + (rng.sample(sorted(columns), 1) if rng.random() < 0.2 else [])
    found = {name: columns[name] for name in chosen}
    found["y"] = pa.array([k % 2 for k in range(ROWS)]) if rng.random() < 0.8 else pa.array(["no", "yes"] * (ROWS // 2))
    return pa.table(found)


def arrow(rng, table):
    """Arrow's file or stream, in one or several batches, sometimes compressed."""
    kind = rng.choice([pa.ipc.new_file, pa.ipc.new_stream])
    options = pa.ipc.IpcWriteOptions(compression=rng.choice([None, None, "lz4", "zstd"]))
    out = io.BytesIO()
    with kind(out, table.schema, options=options) as writer:
        for batch in table.to_batches(max_chunksize=rng.choice([7, ROWS])):
            writer.write_batch(batch)
    return out.getvalue()


def feather(rng, table):
    """Feather of the second version."""
    out = io.BytesIO()
    pa.feather.write_feather(table, out, compression=rng.choice(["uncompressed", "lz4", "zstd"]))
    return out.getvalue()


def first_feather():
    """Feather of the first version, which knows fewer types."""
    out = io.BytesIO()
    pa.feather.write_feather(usual().to_pandas(), out, version=1)
    return out.getvalue()


def parquet(rng, table):
    """Parquet with pages and dictionaries of several sorts."""
    out = io.BytesIO()
    pa.parquet.write_table(
        table,
        out,
        compression=rng.choice(["none", "none", "snappy", "zstd", "gzip"]),
        use_dictionary=rng.random() < 0.5,
        row_group_size=rng.choice([7, ROWS]),
        data_page_version=rng.choice(["1.0", "2.0"]),
        write_statistics=rng.random() < 0.5,
    )
    return out.getvalue()


WRITERS = {"arrow": arrow, "feather": feather, "parquet": parquet}


def damaged(rng, data):
    """Bits flipped, numbers replaced by extreme ones, parts moved, repeated and cut, half of it near the end."""
    found = bytearray(data)
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 4])):
        if not found:
            break
        near = rng.random() < 0.4
        at = rng.randrange(max(0, len(found) - 400) if near else 0, len(found))
        action = rng.randrange(10)
        if action < 4:
            found[at] ^= 1 << rng.randrange(8)
        elif action < 7:
            value = rng.choice(WIDE_EXTREMES)
            word = struct.pack("<q", value) if rng.random() < 0.5 else struct.pack("<q", value)[:4]
            at -= at % 4
            found[at : at + len(word)] = word
        elif action == 7:
            size = rng.choice([1, 8, 64])
            other = rng.randrange(len(found))
            found[at : at + size] = found[other : other + size]
        elif action == 8:
            found[at:at] = found[:: rng.choice([1, 7])][: rng.choice([1, 8, 200])]
        else:
            del found[at : at + rng.choice([1, 8, len(found)])]
    return bytes(found)


def case(kind, rng, tables):
    """The bytes of one file."""
    if kind == "feather" and rng.random() < 0.2:
        return damaged(rng, first_feather())
    return damaged(rng, WRITERS[kind](rng, rng.choice(tables)))


def usual():
    """A table that every reader accepts."""
    return pa.table({"double": np.arange(ROWS) / 3, "text": ["a", "b", "c"] * (ROWS // 3), "y": np.arange(ROWS) % 2})
