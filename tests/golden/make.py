"""Writes the results that ``test_golden`` compares with: ``python -m tests.golden.make``.

Run it only when a result is meant to change, and say so in the changelog. Files that are there are kept: what older
versions wrote must still be read. Remove one, and its numbers, to have it written anew.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from threadpoolctl import threadpool_limits

from tests.golden.files import FOLDER, KEPT, expected
from tests.golden.results import PARTS, STORED, pack, results


def write_files():
    """The files that are missing, each with the numbers that it gives."""
    for name, (write, read) in KEPT.items():
        path = FOLDER / name
        if not path.exists():
            write(path)
            with TemporaryDirectory() as folder:
                np.save(expected(name), read(path, Path(folder)))


def main():
    found = {}
    for part in PARTS:
        found |= results(part)
    FOLDER.mkdir(parents=True, exist_ok=True)
    pack(found, STORED)
    with threadpool_limits(1):
        write_files()


if __name__ == "__main__":
    main()
