"""The report: one self-contained HTML page of what was run, beside what the papers print."""

from aucmax.report.page import page, write

__all__ = ["page", "write"]
