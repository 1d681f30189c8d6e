"""What a program became, in one place: see `explain`."""

from lazygrad.inspect.report.report import Report, explain

__all__ = ["Report", "explain"]
