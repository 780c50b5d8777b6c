import gzip
import sys

import numpy as np
import pandas as pd
import polars
import pytest

from aucmax.data import DataError, TableEncoder, read
from aucmax.data.encode import Rule
from aucmax.data.slots import numbers
from aucmax.data.tables import column_at

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

FRAME = pd.DataFrame(
    {
        "age": [31.0, None, 54.0, 20.0, 31.0, 77.0],
        "plan": ["gold", "basic", "gold", None, "basic", "rare"],
        "joined": pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-04", "2020-01-05", "2020-01-06"]),
        "active": [True, False, True, True, False, False],
        "visits": [1, 2, 3, 4, 5, 6],
        "churn": ["no", "yes", "no", "yes", "no", "yes"],
    }
)
NAMES = [
    "age",
    "age is missing",
    "plan=basic",
    "plan=gold",
    "plan is other",
    "plan is missing",
    "joined",
    "joined is missing",
    "active",
    "visits",
]
SECONDS = [1577836800.0 + 86400 * k for k in range(6)]
EXPECTED = np.array(
    [
        [31, 0, 0, 1, 0, 0, SECONDS[0], 0, 1, 1],
        [31, 1, 1, 0, 0, 0, SECONDS[1], 0, 0, 2],
        [54, 0, 0, 1, 0, 0, SECONDS[3], 1, 1, 3],
        [20, 0, 0, 0, 0, 1, SECONDS[3], 0, 1, 4],
        [31, 0, 1, 0, 0, 0, SECONDS[4], 0, 0, 5],
        [77, 0, 0, 0, 1, 0, SECONDS[5], 0, 0, 6],
    ]
)


def written(folder, kind):
    path = folder / f"rows.{kind}"
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    if kind in ("csv", "tsv", "csv.gz"):
        FRAME.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    elif kind == "parquet":
        parquet.write_table(table, path, row_group_size=4)
    elif kind == "feather":
        feather.write_feather(FRAME, path)
    else:
        opener = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with opener(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "feather", "arrow", "ipc"])
def test_files(kind, tmp_path):
    table = read(written(tmp_path, kind), target="churn")
    assert table.names == NAMES
    np.testing.assert_array_equal(table.X, EXPECTED)
    assert table.y.tolist() == FRAME["churn"].tolist()


class Interchange:
    """Only the data frame interface, as older libraries have it."""

    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, **options):
        return self.frame.__dataframe__(**options)


@pytest.mark.parametrize(
    "made",
    [lambda f: f, polars.from_pandas, lambda f: pa.Table.from_pandas(f), lambda f: f.astype({"plan": "category"})],
    ids=["pandas", "polars", "arrow", "categories"],
)
def test_frames(made):
    table = read(made(FRAME), target=-1, positive="yes")
    assert table.names == NAMES
    np.testing.assert_array_equal(table.X, EXPECTED)
    assert table.y.tolist() == [0, 1, 0, 1, 0, 1]


def test_the_data_frame_interface():
    frame = Interchange(pa.table({"a": [1.0, 2.0], "b": ["x", "x"], "y": [0, 1]}))
    table = read(frame, target="y")
    assert table.names == ["a", "b=x"]
    np.testing.assert_array_equal(table.X, [[1, 1], [2, 1]])


def test_the_rules_of_training_hold_later(tmp_path):
    train = read(FRAME, target="churn")
    later = pd.DataFrame({"plan": ["gold", "silver", None], "age": [None, 1, 2], "visits": [7, 8, None]})
    later["joined"], later["active"], later["new"] = FRAME["joined"][:3], [True] * 3, ["?"] * 3
    table = read(later, encoder=train.encoder)
    assert table.y is None
    np.testing.assert_array_equal(table.X[:, 2:6], [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    np.testing.assert_array_equal(table.X[:, 0], [31, 1, 2])
    assert table.X[2, -1] == 3.5  # the median of the training rows, though none was missing there
    with pytest.raises(DataError, match="no column 'age', which the model knows"):
        read(later.drop(columns="age"), encoder=train.encoder)
    later["age"] = ["old", "young", "old"]
    with pytest.raises(DataError, match=r"column 'age' held numbers in training, but not here.*old"):
        read(later, encoder=train.encoder)


def test_codes_that_look_like_numbers(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("zip,y\n01,0\n02,1\n01,0\n02,1\n")
    table = read(path, target="y", encoder=TableEncoder(categorical=("zip",)))
    assert table.names == ["zip=01", "zip=02"]
    path.write_text("zip\n02\n")
    np.testing.assert_array_equal(read(path, encoder=table.encoder).X, [[0, 1]])
    with pytest.raises(DataError, match="no column 'zap'"):
        read(path, encoder=TableEncoder(categorical=("zap",)))


def test_many_categories_are_sparse_and_capped():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 500, 5000)
    frame = pd.DataFrame({"city": [f"c{k}" for k in city], "x": rng.standard_normal(5000), "y": city % 2})
    table = read(frame, target="y")
    assert table.X.format == "csr"
    assert table.X.shape == (5000, 102)
    assert table.X.has_canonical_format
    dense = table.X.toarray()
    frequent = pd.Series(frame["city"]).value_counts()
    assert {name.removeprefix("city=") for name in table.names[:100]} <= set(
        frequent[frequent >= frequent.iloc[99]].index
    )
    for j, name in enumerate(table.names[:100]):
        np.testing.assert_array_equal(dense[:, j], frame["city"] == name.removeprefix("city="))
    np.testing.assert_array_equal(dense[:, 100], 1 - dense[:, :100].sum(axis=1))
    np.testing.assert_array_equal(dense[:, 101], frame["x"])


def test_later_blocks_of_a_csv_file(tmp_path, monkeypatch):
    monkeypatch.setattr("aucmax.data.tables.CSV_BLOCK", 200)
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "1,x,0\n2,z,1\n" * 100 + "2.5,,1\n")
    table = read(path, target="y")
    assert table.X.shape == (201, 4)
    assert table.X[-1].tolist() == [2.5, 0, 0, 1]
    path.write_text("a,b,y\n" + "1,x,0\n2,z,1\n" * 100 + "many,x,1\n")
    with pytest.raises(DataError, match=r"column 'a' begins as double.*'many' in line 202"):
        read(path, target="y")
    assert "a=2" in read(path, target="y", encoder=TableEncoder(categorical=("a",))).names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("a,y\n", "no rows|no columns"),
        ("a,y\n1,0,3\n", "3 values in line 2, expected 2 as in line 1; correct the line"),
        ("a,a,y\n1,2,0\n", "same name"),
        ("a,y\n1,\n2,1\n", "label in column 'y' is missing in row 1"),
        ("a,y\n,0\n,1\n", "no columns with values"),
        ("a,y\ninf,0\n1,1\n", "column 'a' is infinite in row 1"),
        ("a,b\n1,0\n", "no column 'y'; seen 'a', 'b'"),
        ('a,y\n"1,0\n', "table|column"),
        ("\x00\xff\xfe", "table|column"),
    ],
)
def test_bad_files(text, words, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=words):
        read(path, target="y")


def test_a_column_by_its_position():
    names = ["a", "b", "7"]
    found = [column_at(names, target, "") for target in ("b", 1, "1", "7", -1, "-1", -3, 0)]
    assert found == [1, 1, 1, 2, 2, 2, 0, 0]
    for target in (3, -4, "c", "3"):
        with pytest.raises(DataError, match="no column"):
            column_at(names, target, "")


def test_an_infinite_number_is_named_by_the_row_of_the_file():
    column = pa.array([1.0, 2.0, np.inf])
    with pytest.raises(DataError, match="column 'x' is infinite in row 13;"):
        numbers(Rule("x", "number"), column, "", 10)
    assert numbers(Rule("x", "number", fill=4.0), pa.array([1.0, None]), "", 10)[0].tolist() == [1.0, 4.0]


def test_bad_calls(tmp_path):
    for kind in ("parquet", "arrow"):
        path = tmp_path / f"bad.{kind}"
        path.write_bytes(b"nothing of the kind")
        with pytest.raises(DataError, match="not readable as a table"):
            read(path, target="y")
    (tmp_path / "bad.csv.gz").write_bytes(gzip.compress(b"a,y\n" + b"1,0\n" * 1000)[:-10])
    with pytest.raises(DataError, match="cut off"):
        read(tmp_path / "bad.csv.gz", target="y")
    (tmp_path / "rows").write_text("1 1:1\n")
    with pytest.raises(DataError, match="is for tables"):
        read(tmp_path / "rows", target="y")
    with pytest.raises(DataError, match=r"no row has the label 'maybe'; seen \['no', 'yes'\]"):
        read(FRAME, target="churn", positive="maybe")
    with pytest.raises(DataError, match="the labels are numbers"):
        read(FRAME, target="visits", positive="many")
    with pytest.raises(DataError, match="column 'l' is of type list"):
        read(pa.table({"l": [[1], [2]], "y": [0, 1]}), target="y")
    with pytest.raises(TypeError, match="expected a path or a data frame"):
        read(3)
    with pytest.raises(ValueError, match="format='xls'"):
        read("a", format="xls")
    with pytest.raises(TypeError, match="for LIBSVM text"):
        read(FRAME, target="churn", n_features=3)


def test_without_pyarrow_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(ImportError, match=r"pip install 'aucmax\[tables\]'"):
        read(tmp_path / "a.csv")


def test_names_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("aucmax.data.tables.CSV_BLOCK", 1000)
    path = tmp_path / "wide.csv"
    names = [f"a_rather_long_name_{j}" for j in range(300)]
    path.write_text(
        ",".join([*names, "y"]) + "\n" + "".join(",".join(["1"] * 300 + [str(k % 2)]) + "\n" for k in range(9))
    )
    table = read(path, target="y")
    assert table.X.shape == (9, 300)
    assert table.names == names


def test_the_sample_for_medians_is_bounded(monkeypatch):
    """Whatever the number of rows and columns; and the median is about right."""
    monkeypatch.setattr("aucmax.data.encode.SAMPLED_IN_ALL", 4096)
    monkeypatch.setattr("aucmax.data.encode.FEWEST_SAMPLED", 512)
    values = np.random.default_rng(0).permutation(100_000).astype(float)
    encoder = TableEncoder()
    batches = [pa.record_batch({f"x{j}": values[k : k + 5000] for j in range(8)}) for k in range(0, 100_000, 5000)]
    encoder.fit(batches, [f"x{j}" for j in range(8)])
    assert all(abs(rule.fill - 50_000) < 5000 for rule in encoder.rules_)
