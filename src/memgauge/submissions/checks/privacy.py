"""S11: no secret, no address, no name of a machine or a person's folder, and no text that belongs to others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from memgauge.runs.layers.layer import FOLDER as LAYERS
from memgauge.runs.record.files import below as files_below
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.submissions.checks.quotes import is_sentence, others_texts
from memgauge.submissions.checks.rulings import refuse
from memgauge.submissions.layout import GRADES
from memgauge.submissions.opening import lies, own
from memgauge.text.jsons import json_of
from memgauge.text.scrubbing import KEY_SHAPES
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject
    from memgauge.submissions.repository import SubmissionFolder

_TELLING: Final = {
    "a key": re.compile(
        rf"{KEY_SHAPES}|-----BEGIN [A-Z ]*PRIVATE KEY|\bBearer\s+[\w.~+/=-]{{12,}}"
        r"|(?i:\b(?:api_?key|secret|token|passw(?:or)?d)\b)[\"']?\s*[:=]\s*[\"'][^\"'\s]{8,}[\"']"
    ),
    "a mail address": re.compile(r"(?<![\w.+-])[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(?![\w-])"),
    "a home folder": re.compile(r"(?<![\w./-])(?:/(?:home|Users|root)/|~/|[A-Za-z]:\\+Users\\+)[\w.-]+"),
    "the name of a machine": re.compile(
        r"(?<![\w.-])(?:[a-z0-9-]+\.)+(?:local|internal|lan|corp|intranet|home\.arpa)(?![\w-])", re.IGNORECASE
    ),
    "an address of a network": re.compile(
        r"(?<![\d.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?![\d.])"
    ),
}
_TEXT_FILES: Final = {".toml", ".json", ".md", ".txt"}
_SHORT: Final = {"reason"}
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
"""Letters that break a key for a search, and for nobody who reads."""


def nothing_private(subject: Subject) -> Iterator[CheckFinding]:
    """S11: look through every file of the submission, and through what its bundles hold."""
    texts = _texts(subject)
    for name, text in texts.items():
        yield from _telling(name, text)
    yield from others_texts(subject, texts)
    yield from _in_grades(subject.submission)
    for bundle, run in subject.runs:
        registered = subject.registered(bundle.named)
        public = registered is not None and registered.texts_public
        yield from in_bundle(bundle.file, run.folder, public=public)


def _texts(subject: Subject) -> Mapping[str, str]:
    """Read the files that are text, the product's sheet too, without letters that nobody sees."""
    submission, root = subject.submission, subject.repository.root
    below = {path.relative_to(submission.folder).as_posix(): path for path in files_below(submission.folder)}
    product = f"registry/products/{subject.sheet.product}.toml"
    listed = {name: own(submission.root, path) for name, path in below.items() if path.suffix in _TEXT_FILES}
    if lies(root / product):
        listed[product] = own(root, root / product)
    return {name: _INVISIBLE.sub("", path.read_text("utf-8", "replace")) for name, path in sorted(listed.items())}


def _telling(name: str, text: str) -> Iterator[CheckFinding]:
    for what, pattern in _TELLING.items():
        match = pattern.search(text)
        if match is not None:
            line = text.count("\n", 0, match.start()) + 1
            yield refuse(
                name, f"holds {what}.", "Take it out, and run again where it stands in a bundle.", f"line {line}"
            )


def _in_grades(submission: SubmissionFolder) -> Iterator[CheckFinding]:
    """Refuse grades that quote: they are words of a list, and who judged is a name."""
    if submission.has(GRADES):
        strings = _strings(json_of(text_file(submission.file(GRADES))))
        quoted = next((text for text in strings if is_sentence(text)), None)
        if quoted is not None:
            yield refuse(
                GRADES, f"holds a sentence: {quoted[:40]!r}…", "Pack it with `memgauge results pack`.", "graded"
            )


def in_bundle(file: str, folder: Path, *, public: bool) -> Iterator[CheckFinding]:
    """Look through manifest, journal and whatever else a bundle holds."""
    if not public and (folder / LAYERS).is_dir():
        yield refuse(file, "holds layers, which quote texts.", "Pack it without texts.", LAYERS)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _TEXT_FILES and path.name != JOURNAL:
            inside = path.relative_to(folder).as_posix()
            yield from (
                refuse(file, each.what, each.remedy, f"{inside}, {each.field}")
                for each in _telling(inside, path.read_text("utf-8", "replace"))
            )
    yield from _in_journal(file, folder / JOURNAL, public=public)


def _in_journal(file: str, path: Path, *, public: bool) -> Iterator[CheckFinding]:
    """Refuse texts, and strings that are sentences; the first line of each kind is named."""
    seen = set[str]()
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            row = json_of(line)
            for kind, what in _quoted(row, public=public):
                if kind not in seen:
                    seen.add(kind)
                    yield refuse(file, what, "Pack it with `memgauge results pack`.", f"{JOURNAL}, line {number}")


def _quoted(row: dict[str, Any], *, public: bool) -> Iterator[tuple[str, str]]:
    """Name what a row of a journal holds that it may not."""
    if not public:
        if row.get("text"):
            yield "text", "holds texts of memories, which the licence of the data forbids."
        for key, value in row.items():
            if key != "text":
                yield from (
                    (f"words in {key}", f"holds a sentence in {key!r}: {text[:40]!r}…")
                    for text in _strings(value)
                    if is_sentence(text)
                )
    for key, value in row.items():
        for text in _strings(value):
            for what, pattern in _TELLING.items():
                if ("@" in text or "/" in text or "\\" in text or "." in text or "-" in text) and pattern.search(
                    text
                ):
                    yield f"{what} in {key}", f"holds {what} in {key!r}."


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            if not isinstance(item, int | float):
                yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (key, *_strings(item))
