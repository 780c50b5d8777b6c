"""``python -m aucmax.cli``."""

from aucmax.cli import run

run()
