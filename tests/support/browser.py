"""The browser of the tests, and how it is started so that it asks nobody for anything."""

from __future__ import annotations

from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
"""What axe looks for."""
AXE = {"runOnly": RULES, "resultTypes": ["violations"], "preload": False}
"""How axe is asked: what it has no objection to is neither collected nor told, which takes half of its time."""
UNSHADED = "for (const each of document.querySelectorAll('div.scroll')) each.style.background = 'none'"
"""Takes the shade from the edges of tables, for axe tells no contrast of what stands before a gradient."""
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
