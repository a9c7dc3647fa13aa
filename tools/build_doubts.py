"""Reduce a file of published doubts to question ids, kinds of doubt and numbers of readers.

Usage: python tools/build_doubts.py DOUBTS_FILE [OUTPUT_FILE]

The readers' own words (reasons, corrected answers) are left behind; what remains are facts about questions.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from memgauge.datasets.doubts import read_doubts

OUTPUT = Path(__file__).resolve().parents[1] / "src" / "memgauge" / "datasets" / "doubts.json"
NOTICE = {
    "source": "Issues of the datasets' own repositories, public reviews, and comparisons of our own.",
    "changes": "Reduced to ids, kinds, readers and whether the citation changes; no text is reproduced.",
    "standing": "A hint, not ground truth. Disputed ones count as no doubt.",
}


def main(arguments: list[str]) -> None:
    """Read the doubts and write the overlay."""
    if not 1 <= len(arguments) <= 2:
        raise SystemExit(__doc__)
    output = Path(arguments[1]) if len(arguments) == 2 else OUTPUT
    rows = [
        {name: value for name, value in vars(doubt).items() if value or name in {"citation_changes", "readers"}}
        for doubt in read_doubts(Path(arguments[0]))
    ]
    lines = ",\n    ".join(json.dumps(row) for row in rows)
    notice = json.dumps(NOTICE, indent=2).replace("\n", "\n  ")
    output.write_text(f'{{\n  "notice": {notice},\n  "errata": [\n    {lines}\n  ]\n}}\n', encoding="utf-8")
    print(f"{len(rows)} doubts written to {output}")


if __name__ == "__main__":
    main(sys.argv[1:])
