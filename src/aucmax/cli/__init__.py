"""The command ``aucmax``: from a file to a model to predictions, without a line of Python."""

from __future__ import annotations

import contextlib
import errno
import importlib
import logging
import os
import sqlite3
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from aucmax.cli.output import one_line, say
from aucmax.cli.parser import COMMANDS, build_parser

FAILED, INTERRUPTED = 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows ``aucmax`` on the command line; by default that of this process.

    Returns
    -------
    int
        0 when done, 1 after an error in data or files, 2 for a wrong command line, 130 when interrupted.

    Examples
    --------
    >>> from aucmax.cli import main
    >>> main(["explain", "gone.auc", "--quiet"])
    1
    """
    options = build_parser().parse_args(arguments)
    with _warnings_shown():
        if options.debug:
            return _done(options)
        try:
            return _done(options)
        except KeyboardInterrupt:
            return _failed("interrupted", INTERRUPTED)
        except BrokenPipeError:
            _silence()
            return FAILED
        except MemoryError as error:
            return _failed(f"not enough memory ({error}); try fit --stream", FAILED)
        except OSError as error:
            return _failed(_of_the_system(error), FAILED)
        except sqlite3.Error as error:
            return _failed(f"{options.store}: {error}; --store names another file", FAILED)
        except (ValueError, TypeError, ImportError, ArithmeticError) as error:
            return _failed(str(error) or type(error).__name__, FAILED)
        except Exception as error:  # of a library below; a person still gets one line
            return _failed(f"unexpected {type(error).__name__}: {error}; --debug shows where", FAILED)


def _done(options: Any) -> int:
    module = importlib.import_module(f"aucmax.cli.{COMMANDS[options.command]}")
    code: int = getattr(module, options.command)(options)
    sys.stdout.flush()
    return code


def _of_the_system(error: OSError) -> str:
    name = f"{error.filename}: " if error.filename else ""
    advice = {
        errno.ENOSPC: "; free some space, or write to another disk",
        errno.EDQUOT: "; free some space, or write to another disk",
        errno.EACCES: "; ask for the right to it, or name another file",
        errno.ENOENT: "; check the name and the folder",
        errno.EISDIR: "; name a file",
    }
    return f"{name}{error.strerror or error}{advice.get(error.errno or 0, '')}"


def _failed(message: str, code: int) -> int:
    say(sys.stderr, f"aucmax: error: {one_line(message)}")
    return code


class _Told(logging.Handler):
    """Shows what the library logs as warnings of the command."""

    def emit(self, record: logging.LogRecord) -> None:
        _warned(record.getMessage())


@contextlib.contextmanager
def _warnings_shown() -> Iterator[None]:
    """Have warnings, and what the library logs, said in the words of the command."""
    told, log = _Told(logging.WARNING), logging.getLogger("aucmax")
    log.addHandler(told)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warned
            yield
    finally:
        log.removeHandler(told)


def _warned(message: Any, *_: Any, **__: Any) -> None:
    say(sys.stderr, f"aucmax: warning: {one_line(str(message))}")


def _silence() -> None:
    """Let the interpreter flush into nothing: who read the output has gone."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run() -> None:
    """Run as a process: the entry point of the command.

    After Ctrl-C it ends at once: threads are not waited for, and CPython, which takes an interrupt within compiled text
    for one that nobody handled, does not end the process by a signal instead of the exit code.
    """
    try:
        code = main()
    except Exception:  # with --debug
        say(sys.stderr, *traceback.format_exc().rstrip().split("\n"))
        code = FAILED
    if code == INTERRUPTED:
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
