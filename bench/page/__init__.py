"""The page of the suite: charts as SVG, tables in Markdown, all from the kept results."""

from bench.page.write import write

__all__ = ["write"]
