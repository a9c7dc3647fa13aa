"""Draw the screenshots of the documentation again, from the commands that make the pages they show.

    python tools/pictures.py            # all
    python tools/pictures.py report     # one

Needs chromium, and LoCoMo where a picture shows it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAM = (sys.executable, "-m", "memgauge")
_BROWSER = ("chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu")
_TARGETS = (
    "study targets run -d locomo -s bm25:k1=1.2,stem=english,stop=lucene,speaker=true "
    "--store obs --store summary --store facts-1 --store facts-5"
)


@dataclass(frozen=True)
class Picture:
    """A screenshot, and the commands that make the page."""

    name: str
    commands: tuple[str, ...]
    page: str
    width: int
    height: int


PICTURES = (
    Picture("report", ("demo -d locomo",), "demo/report.html", 1280, 1640),
    Picture("targets", (_TARGETS, "study targets audit --out page"), "page/targets.html", 1240, 900),
    Picture("shift", ("study shift run",), "runs/shift.html", 1180, 1480),
)


def draw(picture: Picture, folder: Path) -> Path:
    """Make the page in *folder* and write its picture among the documentation."""
    for command in picture.commands:
        subprocess.run([*PROGRAM, *command.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    drawn = ROOT / "docs" / f"{picture.name}.png"
    size = f"--window-size={picture.width},{picture.height}"
    page = (folder / picture.page).as_uri()
    subprocess.run([*_BROWSER, size, f"--screenshot={drawn}", page], check=True, stderr=subprocess.DEVNULL)
    return drawn


def main() -> None:
    """Draw the pictures named, all when none is."""
    wanted = set(sys.argv[1:]) or {picture.name for picture in PICTURES}
    if unknown := wanted - {picture.name for picture in PICTURES}:
        sys.exit(f"There is no picture {', '.join(sorted(unknown))}.")
    os.environ |= {"COLUMNS": "120", "PYTHONPATH": str(ROOT / "src")}
    for picture in PICTURES:
        if picture.name in wanted:
            with tempfile.TemporaryDirectory() as folder:
                print(draw(picture, Path(folder)))


if __name__ == "__main__":
    main()
