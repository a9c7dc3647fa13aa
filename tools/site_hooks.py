"""Hooks of the documentation's site: reference pages made of the code, links to files outside of docs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

import reference_pages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

QUICK = os.environ.get("REPRODUCE", "quick") != "all"
_OUTSIDE = re.compile(r"\]\((?:\.\./)+(README\.md|CONTRIBUTING\.md|CHANGELOG\.md|examples/|src/)[^)]*\)")


_SHIM = "https://unpkg.com/iframe-worker/shim"
"""What the theme's plugin for reading without a server would ask the net for."""
_DECISION = re.compile(r"\[([^\]]+)\]\((?:\.\./)*decisions/[^)]*\)")
"""Decisions are for those who build memgauge and stay in the repository."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are written from the code, and those that the navigation does not name yet."""
    for path, write in reference_pages.pages(quick=QUICK):
        files.append(File.generated(config, path, content=write()))
    named = set(re.findall(r"[\w/-]+\.md", str(config.nav)))
    left = [page.src_uri for page in files.documentation_pages() if page.src_uri not in named]
    if left and config.nav:
        config.nav = [*config.nav, {"More": sorted(left)}]
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead what lies outside of the site to where it is said here, and drop the comments to the test runner."""
    del config, files
    up = "../" * page.file.src_uri.count("/")
    markdown = _DECISION.sub(r"\1", markdown)
    markdown = _OUTSIDE.sub(lambda link: _inside(link[1], up), markdown)
    return re.sub(r"<!--.*?-->\n?", "", markdown, flags=re.DOTALL)


def _inside(outside: str, up: str) -> str:
    return f"]({up}how-to/your-memory.md)" if outside == "README.md" else f"]({up}index.md)"


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Take the script by which pages of a folder search from the site itself, not from an outside address."""
    del config
    up = "../" * page.file.src_uri.count("/")
    return output.replace(f'src="{_SHIM}"', f'src="{up}assets/worker.js"')


def on_post_build(config: MkDocsConfig) -> None:
    """Drop the map for search engines: it would hold the time of the build."""
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        Path(config.site_dir, name).unlink(missing_ok=True)
