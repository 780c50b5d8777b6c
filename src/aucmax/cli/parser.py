"""The command line. Only the standard library is imported here, so that ``--help`` answers at once."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

import aucmax
from aucmax.cli.output import one_line

# commands, and the modules that run them
COMMANDS = {
    "fit": "fit",
    "predict": "use",
    "evaluate": "use",
    "compare": "use",
    "explain": "explain",
    "export": "export",
    "data": "sets",
    "bench": "bench",
    "report": "report",
    "completion": "completion",
}
METHODS = ("auto", "cv", *(name for name, home in aucmax._HOMES.items() if home.startswith("aucmax.algorithms.")))


class Parser(argparse.ArgumentParser):
    """A parser whose errors, which repeat what was given, are one line that can be seen."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit."""
        super().error(one_line(message))


def build_parser() -> argparse.ArgumentParser:
    """All commands and options."""
    parser = Parser(prog="aucmax", description="Train models that rank, and say how well they do.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"aucmax {aucmax.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for add in (_fit, _predict, _evaluate, _compare, _explain, _export, _data, _bench, _report, _completion):
        add(commands)
    return parser


def _command(commands: argparse._SubParsersAction, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("--quiet", action="store_true", help="print results only, no progress")
    parser.add_argument("--debug", action="store_true", help="show a traceback where an error occurs")
    return parser


def _reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", help="column of the labels, by name or position; in npz files the member")
    parser.add_argument("--positive", help="the positive class; all others count as negative")
    parser.add_argument("--format", choices=["libsvm", "npz", "csv", "tsv", "parquet", "arrow"], help="of the file")
    parser.add_argument("--zero-based", action="store_true", help="indices of LIBSVM text count from 0, not from 1")
    parser.add_argument(
        "--max-bytes",
        type=_bytes,
        metavar="SIZE",
        help="memory that the file may take, such as 500M or 8G; 250 times its size by default",
    )


def _bytes(text: str) -> int:
    """A size such as 4096, 500M or 8G in bytes."""
    found = re.fullmatch(r"([1-9]\d{0,18})([KMGT]?)", text.upper())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a size of at least 1 byte, such as 500M or 8G")
    return int(found[1]) << 10 * " KMGT".index(found[2] or " ")


def _raw(parser: argparse.ArgumentParser) -> None:
    words = "names in CSV as they are; by default an apostrophe goes before those that a spreadsheet would run"
    parser.add_argument("--raw", action="store_true", help=words)


def _fit(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "fit", "Train a model on a file and save it.")
    parser.add_argument("train", help="LIBSVM text, npz, CSV, TSV, Parquet, Arrow or Feather")
    parser.add_argument("-o", "--model", help="file for the model; the name of the data with .auc by default")
    _reading(parser)
    parser.add_argument(
        "--method",
        choices=METHODS,
        default="auto",
        metavar="NAME",
        help=f"one of {', '.join(METHODS)}; auto chooses loss and penalty by itself",
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the method")
    parser.add_argument("--cv", type=int, default=5, help="folds of the cross-validated AUC; 0 for none (default 5)")
    parser.add_argument("--seed", type=int, default=0, help="of every random choice (default 0)")
    parser.add_argument("--categorical", action="append", default=[], metavar="COLUMN", help="take as text")
    parser.add_argument("--drop", action="append", default=[], metavar="COLUMN", help="leave a column out")
    parser.add_argument("--n-features", type=int, help="columns of LIBSVM text")
    parser.add_argument("--stream", action="store_true", help="read chunk by chunk, for files larger than memory")
    parser.add_argument("--passes", type=int, default=1, help="passes over the file with --stream (default 1)")
    parser.add_argument("--checkpoint", metavar="FILE", help="keep the state; killed, the same command goes on from it")
    parser.add_argument("--every", default="60s", help="time between checkpoints, such as 30s or 5m (default 60s)")


def _predict(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "predict", "Score the rows of a file with a model.")
    parser.add_argument("model", help="a model file")
    parser.add_argument("rows", help="the file of rows")
    parser.add_argument("-o", "--output", help="CSV file to write; standard output by default")
    _raw(parser)
    _reading(parser)


def _evaluate(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "evaluate", "Measure a model on labelled rows: AUC with its interval and more.")
    parser.add_argument("model", help="a model file")
    parser.add_argument("rows", help="the file of labelled rows")
    parser.add_argument("--level", type=float, default=0.95, help="of the interval (default 0.95)")
    _reading(parser)


def _compare(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "compare", "Test whether two models rank labelled rows equally well.")
    parser.add_argument("first", help="a model file")
    parser.add_argument("second", help="another model file")
    parser.add_argument("rows", help="the file of labelled rows")
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals (default 0.95)")
    _reading(parser)


def _explain(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "explain", "Say what is in a model file.")
    parser.add_argument("model", help="a model file")
    parser.add_argument("--top", type=int, default=10, help="features to list (default 10)")


def _export(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "export", "Write a model for other programs.")
    parser.add_argument("model", help="a model file")
    parser.add_argument("output", help="file to write: .onnx, or .csv for the weights")
    _raw(parser)


def _data(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "data", "List, fetch and describe the sets of the papers.")
    parser.add_argument("action", choices=["list", "fetch", "info"])
    parser.add_argument("names", nargs="*", help="names of sets")
    parser.add_argument("--data-dir", help="folder that is searched first; AUCMAX_DATA by default")


def _bench(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "bench", "Run the tables of the papers again, and show what came of it.")
    parser.add_argument("action", choices=["list", "run", "show", "export", "rates", "times", "figures"])
    parser.add_argument(
        "suites",
        nargs="*",
        metavar="suite",
        help="names as aucmax bench list gives them; all by default; none for rates, times, figures",
    )
    parser.add_argument("--quick", action="store_true", help="coarser grids and fewer repeats: an hour, not days")
    parser.add_argument("--jobs", type=int, help="processes at a time; as many as there are cores by default")
    parser.add_argument("--store", default="aucmax-bench.sqlite", help="file of results (aucmax-bench.sqlite)")
    parser.add_argument("--data-dir", help="folder of the sets; AUCMAX_DATA by default")
    parser.add_argument("--set", action="append", default=[], metavar="NAME", help="only this set; may be repeated")
    parser.add_argument(
        "--algorithm", action="append", default=[], metavar="NAME", help="only this one; may be repeated"
    )
    parser.add_argument("--again", action="store_true", help="run cells anew that failed")
    parser.add_argument("-o", "--output", help="file for export: .csv, .parquet or .tex")


def _report(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "report", "Write what aucmax bench found as one HTML page.")
    parser.add_argument("-o", "--output", default="report.html", help="file to write (report.html)")
    parser.add_argument("--quick", action="store_true", help="of quick runs")
    parser.add_argument("--store", default="aucmax-bench.sqlite", help="file of results (aucmax-bench.sqlite)")


def _completion(commands: argparse._SubParsersAction) -> None:
    parser = _command(commands, "completion", "Print a script that completes commands in a shell.")
    parser.add_argument("shell", choices=["bash", "zsh", "fish"])
