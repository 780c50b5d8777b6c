"""Results for other programs: CSV, Parquet and LaTeX."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from aucmax.bench.outcome import Row, counted, deviation, rows_of
from aucmax.bench.store import Store
from aucmax.bench.suite import suite_of
from aucmax.persist.whole import whole, write_whole

ORIGIN = ("source", "version", "versions", "machine")  # of the run that a cell was part of
FORMATS = (".csv", ".parquet", ".tex")
MARKS = {
    "better": r"$\uparrow$",
    "reproduced": r"$\checkmark$",
    "cause known": r"$\triangledown$",
    "short": r"$\downarrow$",
    "not comparable": r"$\diamond$",
    "unfinished": r"$\cdots$",
    "failed": r"$\times$",
}
HEAD = r"% \triangledown and \checkmark need \usepackage{amssymb}" + "\n"
LEGEND = (
    ("better", "our mean is above the printed mean"),
    ("reproduced", "at least the printed mean minus one printed standard deviation"),
    ("cause known", "below that, for a cause that a test shows"),
    ("short", "below that"),
    ("not comparable", "it fails a criterion of the rule that is asked of every figure alike"),
    ("unfinished", "runs are missing"),
    ("failed", "runs failed"),
)


def export(store: Store, names: list[str], quick: bool, path: Path) -> int:
    """Write the cells of some suites that count, or as LaTeX their tables; the number of lines or tables written."""
    nothing = f"{store.path}: no results of {', '.join(names)}; run aucmax bench run first"
    if path.suffix == ".tex":
        found = {
            name: [row for row in rows_of(suite_of(name), store.cells(name, quick), quick) if row.runs]
            for name in names
        }
        tables = [_latex(name, rows) for name, rows in found.items() if rows]
        if not tables:
            raise ValueError(nothing)
        write_whole(path, "\n".join([HEAD, *tables]).encode())
        return len(tables)
    origin = {key: {name: run[name] for name in ORIGIN} for key, run in store.runs().items()}
    cells = [
        {**cell, **{key: json.dumps(cell[key]) for key in ("params", "folds")}, **origin[cell["run"]]}
        for name in names
        for cell in counted(suite_of(name), store.cells(name, quick), quick)
    ]
    if path.suffix not in FORMATS:
        raise ValueError(f"{path}: expected a name that ends in {', '.join(FORMATS)}")
    if not cells:
        raise ValueError(nothing)
    if path.suffix == ".csv":
        write_whole(path, _csv(cells).encode())
    else:
        _parquet(cells, path)
    return len(cells)


def _csv(cells: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(cells[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(cells)
    return out.getvalue()


def _parquet(cells: list[dict[str, Any]], path: Path) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'aucmax[tables]'") from error
    with whole(path) as file:
        table = pa.Table.from_pylist(cells)
        place = table.schema.get_field_index("error")  # text, though there may be none
        pq.write_table(table.set_column(place, "error", table["error"].cast(pa.string())), file)


def _latex(name: str, rows: list[Row]) -> str:
    """A table of printed and our figures, and below it what its marks mean."""
    lines = [r"\begin{tabular}{llrrrrl}", r"set & algorithm & printed & ours & runs & as shipped & \\ \hline"]
    for row in rows:
        if row.ours is not None:
            words = [_plain(row.set), _plain(row.algorithm), _figure(row.printed, row.printed_std)]
            words += [_figure(row.ours, row.ours_std), f"{row.runs} of {row.planned}"]
            words += ["" if row.shipped is None else f"{row.shipped:.4f}", MARKS.get(row.state, "")]
            lines.append(rf"{' & '.join(words)} \\")
    states = {row.state for row in rows}
    legend = "; ".join(f"{MARKS[state]} {words}" for state, words in LEGEND if state in states)
    return "\n".join([f"% {name}", *lines, r"\end{tabular}", "", rf"{{\footnotesize {legend}.}}", ""])


def _figure(mean: float, std: float | None) -> str:
    return f"{mean:.4f}" if std is None else rf"{mean:.4f} $\pm$ {deviation(std)}"


def _plain(text: str) -> str:
    return text.replace("_", r"\_")
