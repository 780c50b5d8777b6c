"""CSV files of very many columns, which are read by other means, beside the same read by pyarrow."""

import numpy as np
import pytest

from aucmax.data import DataError, TableEncoder, read, stream

pytest.importorskip("pyarrow")


@pytest.fixture
def wide(monkeypatch):
    """Take any file for a wide one."""
    monkeypatch.setattr("aucmax.data.tables.WIDEST", 0)


def both(path, monkeypatch, **options):
    """The same file by either means."""
    usual = read(path, **options)
    with monkeypatch.context() as patch:
        patch.setattr("aucmax.data.tables.WIDEST", 0)
        patch.setattr("aucmax.data.tables.CSV_BLOCK", 64)
        return usual, read(path, **options)


def alike(path, monkeypatch, **options):
    usual, wide = both(path, monkeypatch, **options)
    np.testing.assert_array_equal(wide.X, usual.X)
    np.testing.assert_array_equal(wide.y, usual.y)
    assert wide.names == usual.names
    assert wide.encoder.rules_ == usual.encoder.rules_
    return wide


MIXED = '''id,age,plan,when,on,note,y
1,31.5,gold,2020-01-01,true,"a, b",no
2,,basic,2020-01-02,false,"say ""hi""",yes
3,NA,gold,,true,,no
4,1e-3,,2020-01-04,,x,yes
5,-7,basic,2020-01-05,true,"a, b",no
'''


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_numbers_texts_dates_and_missing_values(tmp_path, monkeypatch, end, last):
    path = tmp_path / "mixed.csv"
    text = MIXED.replace("\n", end)
    path.write_bytes((text if last else text.rstrip()).encode())
    table = alike(path, monkeypatch, target="y", encoder=TableEncoder(min_count=1))
    assert {"age", "plan=gold", "note=a, b", 'note=say "hi"', "when is missing"} <= set(table.names)


def test_numbers_in_every_dress(tmp_path, monkeypatch):
    path = tmp_path / "numbers.csv"
    cells = [
        "1",
        " 2",
        "3 ",
        '"4"',
        "5e2",
        "-0.25",
        ".5",
        "6.",
        "0.1000000000000000055511151231257827021181583404541015626",
    ]
    path.write_text("a,b,y\n" + "".join(f"{cell},{k},{k % 2}\n" for k, cell in enumerate(cells)))
    table = alike(path, monkeypatch, target="y")
    assert table.X[:, 0].tolist() == [float(cell.strip('" ')) for cell in cells]


def test_tabs_and_a_mark_and_empty_lines(tmp_path, monkeypatch):
    path = tmp_path / "rows.tsv"
    path.write_bytes(b"\xef\xbb\xbfa\tb\ty\n1\tx\t0\n\n2\ty\t1\n3\tx\t0\n\r\n")
    assert alike(path, monkeypatch, target="y").X.shape[0] == 3


def test_columns_named_as_text_and_dropped(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("code,x,gone,y\n" + "".join(f"{k % 3},{k},a,{k % 2}\n" for k in range(9)))
    table = alike(path, monkeypatch, target="y", encoder=TableEncoder(categorical=("code",), drop=("gone",)))
    assert table.names == ["code=0", "code=1", "code=2", "x"]


def test_a_text_after_many_numbers_makes_a_column_of_text(tmp_path, wide, monkeypatch):
    """All of the file tells what a column holds, not its first block alone."""
    monkeypatch.setattr("aucmax.data.tables.CSV_BLOCK", 32)
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "".join(f"{k % 2},{k},{k % 2}\n" for k in range(50)) + "x,1,0\n")
    assert read(path, target="y").names == ["a=0", "a=1", "a is other", "b"]


def test_a_stream_and_the_rules_of_training(tmp_path, wide):
    path, later = tmp_path / "rows.csv", tmp_path / "later.csv"
    path.write_text("a,b,y\n" + "".join(f"{k},{'uv'[k % 2]},{k % 2}\n" for k in range(40)))
    later.write_text("b,more,a\nu,1,\nv,2,7\n")
    chunks = stream(path, target="y", chunk_rows=7)
    seen = np.concatenate([chunk.X for chunk in chunks])
    assert sorted(seen[:, 0]) == list(range(40))
    found = read(later, encoder=chunks.encoder)
    assert found.X.tolist() == [[19.5, 1.0, 0.0], [7.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    ("rows", "words", "line"),
    [
        ("1,2,0\n1,2\n", "2 cells; expected 3", 3),
        ("1,2,0\n\n1,2,3,4\n", "at least 4 cells; expected 3", 4),
        ('1,"2\n3",0\n', "goes on in the next line", 2),
    ],
)
def test_faults_are_told_with_their_line(tmp_path, wide, rows, words, line):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + rows)
    with pytest.raises(DataError, match=words) as told:
        read(path, target="y")
    assert told.value.line == line


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e999"])
def test_infinite_numbers_are_refused(tmp_path, wide, text):
    path = tmp_path / "rows.csv"
    path.write_text(f"a,b,y\n1,2,0\n{text},3,1\n")
    with pytest.raises(DataError, match="column 'a' is infinite in row 2"):
        read(path, target="y")


def test_a_column_that_changes_beyond_what_was_scanned(tmp_path, wide, monkeypatch):
    monkeypatch.setattr("aucmax.data.wide.SCANNED", 0)
    monkeypatch.setattr("aucmax.data.tables.CSV_BLOCK", 16)
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "1,2,0\n" * 20_000 + "x,2,1\n")
    with pytest.raises(DataError, match="column 'a' begins as numbers"):
        read(path, target="y")


def test_names_that_are_no_text(tmp_path, wide):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"a,\xff\xfe,y\n1,2,0\n")
    with pytest.raises(DataError, match="names of the columns"):
        read(path, target="y")


def test_names_only(tmp_path, wide):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n")
    with pytest.raises(DataError, match="no rows"):
        read(path, target="y")


def test_a_carriage_return_inside_a_line(tmp_path, wide):
    """pyarrow takes it for the end of a line; rows must not come apart."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b"a,b,y\r\n1,u\rv,0\r\n2,w,1\r\n")
    with pytest.raises(DataError, match="carriage return inside a line"):
        read(path, target="y")
