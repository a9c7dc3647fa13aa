"""Write what commands print now into the pages that show them; run after a change of wording, read the diff.

    python tools/refresh_docs.py docs/instrument.md README.md

Only outputs that differ are touched. Where a page leaves something out with ``…`` it is changed by hand; such
places are listed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.docs import Block, Command, Run, blocks, commands, matches, pages  # noqa: E402 - the tests' own reader

ELISION = "…"


def refresh(page: str, text: str, folder: Path) -> tuple[str, list[str]]:
    """Play *page*, and return its text with new outputs, and the places that a person has to look at."""
    run, left, known = Run(folder), list[str](), pages()
    for block in blocks(page, text):
        for used in block.all("uses"):
            for other in blocks(used, known[used]):
                run.write(other)
        run.write(block)
        for hidden in block.all("before"):
            run.call(hidden)
        if block.runs and block.language == "console":
            for command in commands(block):
                text, problem = _refreshed(text, block, command, run)
                left += [problem] if problem else []
        elif block.runs and block.language != "python":
            run.call(commands(block)[0].text)
    return text, left


def _refreshed(text: str, block: Block, command: Command, run: Run) -> tuple[str, str]:
    """Run one command, and return the page with what it prints, or what has to be done by hand."""
    done = run.call(command.text)
    heard = (done.stdout, done.stdout + done.stderr, done.stderr + done.stdout)
    if not command.printed.strip(" \n…") or any(
        matches(command.printed, each, block.all("varies")) for each in heard
    ):
        return text, ""
    if ELISION in command.printed:
        return text, f"{block}: $ {command.text}\n{done.stdout}{done.stderr}"
    lines = "\n".join(line.rstrip() for line in heard[1].splitlines())
    return text.replace(command.printed, f"{lines}\n"), ""


def main() -> None:
    """Refresh the pages named, all when none is."""
    os.chdir(ROOT)
    known = pages()
    for page in sys.argv[1:] or known:
        with tempfile.TemporaryDirectory() as folder:
            text, left = refresh(page, known[page], Path(folder))
        if text != known[page]:
            (ROOT / page).write_text(text, encoding="utf-8")
            print(f"{page}: written again")
        for place in left:
            print(f"--- by hand: {place}")


if __name__ == "__main__":
    main()
