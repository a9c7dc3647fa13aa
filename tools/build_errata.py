"""Reduce a published audit of LoCoMo's labels to question ids and kinds of doubt.

Usage: python tools/build_errata.py AUDIT_FILE [OUTPUT_FILE]

The audit's own words (reasons, corrected answers) are left behind; what remains are facts about questions.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

OUTPUT = Path(__file__).resolve().parents[1] / "src" / "memgauge" / "datasets" / "locomo" / "errata.json"
CONVERSATIONS = (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)
NOTICE = {
    "source": "https://github.com/dial481/locomo-audit",
    "revision": "9493fb4b4af4256ed17a18e8fd0b3cfdeec29539",
    "licence": "CC BY-NC 4.0",
    "changes": "Reduced to question ids, kinds of doubt and whether the citation changes; no text is reproduced.",
    "standing": "A strong hint, not ground truth.",
}


def question_id(audit_id: str) -> str:
    """Turn ``locomo_<index of conversation>_qa<index of question>`` into our id."""
    found = re.fullmatch(r"locomo_(\d+)_qa(\d+)", audit_id)
    if found is None:
        raise SystemExit(f"{audit_id!r} is not an id of the audit")
    return f"conv-{CONVERSATIONS[int(found[1])]}_q{int(found[2])}"


def reduce(audit: list[dict[str, object]]) -> list[dict[str, object]]:
    """Keep the id, the kind and whether the evidence changes."""
    return [
        {
            "question": question_id(str(entry["question_id"])),
            "kind": str(entry["error_type"]).lower().replace("_", "-"),
            "citation_changes": entry["cited_evidence"] != entry["correct_evidence"],
        }
        for entry in audit
    ]


def main(arguments: list[str]) -> None:
    """Read the audit and write the overlay."""
    if not 1 <= len(arguments) <= 2:
        raise SystemExit(__doc__)
    output = Path(arguments[1]) if len(arguments) == 2 else OUTPUT
    errata = reduce(json.loads(Path(arguments[0]).read_text(encoding="utf-8")))
    lines = ",\n    ".join(json.dumps(entry) for entry in errata)
    notice = json.dumps(NOTICE, indent=2).replace("\n", "\n  ")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(f'{{\n  "notice": {notice},\n  "errata": [\n    {lines}\n  ]\n}}\n', encoding="utf-8")
    print(f"{len(errata)} errata written to {output}")


if __name__ == "__main__":
    main(sys.argv[1:])
