"""A folder of one's own data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.base import HasTruth
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.own.lines import MANIFEST, FileDigests, Lines
from memgauge.datasets.synthetic.sizes import SIZES
from memgauge.datasets.synthetic.world import Recipe
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write two users."""
    recipe, written = Recipe(SIZES["tiny"], 0), FileDigests()
    texts = [written.add(recipe.user(user).lines()) for user in range(2)]
    for name, parts in zip(Lines._fields, zip(*texts, strict=True), strict=True):
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(parts))
    (tmp_path / MANIFEST).write_text(json.dumps({"format": 1, "name": "mine", "sha256": written.sha256()}))
    return tmp_path


def change(path: Path, line: int, **fields: object) -> None:
    """Change fields of one line, counted from 1."""
    lines = path.read_text("utf-8").splitlines()
    lines[line - 1] = json.dumps(json.loads(lines[line - 1]) | fields)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def test_what_was_written_is_read(folder: Path) -> None:
    """Cases, gold and truth come back as they were made, and the hash is that of the world."""
    own, world = open_dataset(f"own:{folder}"), open_dataset("synthetic:tiny")
    assert list(own.cases()) == list(world.cases())
    assert [(g.answers, g.anchors(), g.stale, g.abstain) for g in own.gold()] == [
        (g.answers, g.anchors(), g.stale, g.abstain) for g in world.gold()
    ]
    assert isinstance(own, HasTruth)
    assert isinstance(world, HasTruth)
    assert list(own.truth()) == list(world.truth())
    assert own.identity.sha256 == world.identity.sha256
    assert own.identity.name == "mine"
    assert own.describe()["questions"] == 32
    assert validate(own) == []


def test_a_folder_without_truth_has_none(folder: Path) -> None:
    """Facts are optional."""
    (folder / "truth.jsonl").unlink()
    with pytest.raises(MalformedDataError, match=r"truth\.jsonl is not the file"):
        open_dataset(f"own:{folder}")
    own = open_dataset(f"own:{folder}", allow_unpinned=True)
    assert isinstance(own, HasTruth)
    assert list(own.truth()) == []


def test_a_changed_file_is_noticed(folder: Path) -> None:
    """The manifest names what was written; something else is refused unless that is said."""
    change(folder / "turns.jsonl", 1, text="Something else.")
    with pytest.raises(MalformedDataError, match=r"turns\.jsonl is not the file that manifest\.json names"):
        open_dataset(f"own:{folder}")
    assert not open_dataset(f"own:{folder}", allow_unpinned=True).identity.pinned


@pytest.mark.parametrize(
    ("file", "line", "fields", "message"),
    [
        (
            "questions.jsonl",
            3,
            {"evidence": ["s99:t01"]},
            r"line 3, evidence: there is no turn s99:t01 in u000000",
        ),
        ("questions.jsonl", 3, {"text": 5}, r"line 3, \$?\.?text"),
        ("questions.jsonl", 1, {"conversation": "u000009"}, "u000009 has no turns"),
        ("turns.jsonl", 2, {"at": "yesterday"}, r"line 2, \$\.at: no time that can be read"),
        ("turns.jsonl", 2, {"at": 5}, r"line 2, \$\.at: no time since 1970"),
        ("turns.jsonl", 2, {"at": "0001-01-01T00:00+05:00"}, r"line 2, \$\.at: no such time"),
        ("questions.jsonl", 3, {"asked_at": True}, r"line 3, \$\.asked_at: a time is a number or a text"),
        ("truth.jsonl", 2, {"valid_to": "later"}, r"truth\.jsonl, line 2, \$\.valid_to"),
        ("turns.jsonl", 1, {"colour": "red"}, "line 1, .*colour"),
        ("turns.jsonl", 96, {"conversation": "u000000"}, "conversation u000000 is in two places"),
    ],
)
def test_mistakes_are_named_by_file_line_and_field(
    folder: Path, file: str, line: int, fields: dict[str, object], message: str
) -> None:
    """A reader finds the place without searching."""
    change(folder / file, line, **fields)
    own = open_dataset(f"own:{folder}", allow_unpinned=True)
    with pytest.raises(MalformedDataError, match=message):
        validate(own)


@pytest.mark.parametrize(
    ("fields", "field", "how"),
    [
        ({"abstain": True}, "answers", "there is some, and abstain says"),
        ({"asked_at": "1999-01-01"}, "asked_at", "is said later, at"),
    ],
)
def test_labels_that_contradict_each_other_are_found(
    folder: Path, fields: dict[str, object], field: str, how: str
) -> None:
    """Validation names the place; such data can be played, for whoever has no better."""
    change(folder / "questions.jsonl", 3, **fields)
    own = open_dataset(f"own:{folder}", allow_unpinned=True)
    wrong = {violation.where: violation.what for violation in validate(own)}
    assert how in wrong[f"{folder / 'questions.jsonl'}, line 3, {field}"]
    assert next(own.cases()).questions


def test_times_with_and_without_a_zone_can_be_compared(folder: Path) -> None:
    """All become UTC without one, wherever they stand; a fraction of a second stays."""
    change(folder / "turns.jsonl", 1, at="2020-01-01T05:00:00.5+05:00")
    change(folder / "turns.jsonl", 2, at=1577836800)
    change(folder / "questions.jsonl", 1, asked_at="2031-01-01T00:00:00Z")
    change(folder / "truth.jsonl", 1, valid_from="2020-01-01T01:00+01:00")
    own = open_dataset(f"own:{folder}", allow_unpinned=True)
    first, second, *_ = next(own.cases()).conversation.turns()
    assert [str(first.at), str(second.at)] == ["2020-01-01 00:00:00.500000", "2020-01-01 00:00:00"]
    assert str(next(own.cases()).questions[0].asked_at) == "2031-01-01 00:00:00"
    assert isinstance(own, HasTruth)
    assert str(next(own.truth()).valid_from) == "2020-01-01 00:00:00"
    assert validate(own) == []


def restate(folder: Path, **fields: object) -> None:
    """Change fields of the manifest."""
    path = folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"manifest\.json:1: not JSON"),
        ("[]", r"manifest\.json is no manifest: it holds no object"),
        ('{"format": 2}', r"manifest\.json: field \$\.format: 2 is not 1"),
        ("{}", r"manifest\.json: field \$\.format: Field required"),
        ('{"format": 1, "sha256": [1]}', r"manifest\.json: field \$\.sha256: .*dictionary"),
        ('{"format": 1, "counts": {"turns": "many"}}', r"manifest\.json: field \$\.counts\.turns: .*integer"),
        ('{"format": 1, "sha256": {"../../etc/passwd": "0"}}', r"field \$\.sha256: '../../etc/passwd' is none of"),
    ],
)
def test_a_manifest_that_is_none_is_refused(folder: Path, text: str, message: str) -> None:
    """A folder of another form is not guessed at, even unpinned; field and remedy are named."""
    (folder / MANIFEST).write_text(text)
    with pytest.raises(MalformedDataError, match=message) as refused:
        open_dataset(f"own:{folder}", allow_unpinned=True)
    assert refused.value.remedy


@pytest.mark.parametrize("missing", ["turns.jsonl", "questions.jsonl", "truth.jsonl"])
def test_a_file_that_no_hash_names_is_not_pinned(folder: Path, missing: str) -> None:
    """What nothing pins is used only where that is said, and branded."""
    hashes = json.loads((folder / MANIFEST).read_text())["sha256"]
    restate(folder, sha256={name: digest for name, digest in hashes.items() if name != missing})
    with pytest.raises(MalformedDataError, match=f"sha256 names no {missing}"):
        open_dataset(f"own:{folder}")
    assert not open_dataset(f"own:{folder}", allow_unpinned=True).identity.pinned


@pytest.mark.parametrize("kind", ["conversations", "sessions", "turns", "questions", "truth"])
def test_counts_that_do_not_fit_are_refused(folder: Path, kind: str) -> None:
    """As much is there as the manifest says; a count that it does not have may be any, and so may an odd one."""
    restate(folder, counts={"questions": 32, "tables": 5})
    assert validate(open_dataset(f"own:{folder}")) == []
    restate(folder, counts={kind: 9999})
    with pytest.raises(MalformedDataError, match=rf"counts: 9,999 {kind} are stated, and there are \d+\."):
        validate(open_dataset(f"own:{folder}"))
    change(folder / "turns.jsonl", 1, text="Something else.")
    assert validate(open_dataset(f"own:{folder}", allow_unpinned=True)) == []


def test_a_byte_order_mark_is_no_part_of_a_line(folder: Path) -> None:
    """Editors write one before the first; blank lines and ends of Windows are none either."""
    before = list(open_dataset(f"own:{folder}").cases())
    for path in folder.glob("*.json*"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    own = open_dataset(f"own:{folder}", allow_unpinned=True)
    assert list(own.cases()) == before
    assert validate(own) == []


def test_names_are_one_harmless_line(folder: Path) -> None:
    """Licence, name and categories stand in sentences and cells: they break none and obey nothing."""
    change(folder / "questions.jsonl", 1, category="a/../\n=x\x1b[31m")
    restate(folder, licence="CC\r\nBY\x1b[31m", name="\n")
    own = open_dataset(f"own:{folder}", allow_unpinned=True)
    assert (own.identity.licence, own.identity.name) == ("CC BY\ufffd[31m", "(without a name)")
    assert next(own.cases()).questions[0].category == "a/../ =x\ufffd[31m"


def test_facts_are_of_conversations_that_there_are(folder: Path) -> None:
    """A fact of nobody breaks a law."""
    change(folder / "truth.jsonl", 1, conversation="u9")
    (finding,) = validate(open_dataset(f"own:{folder}", allow_unpinned=True))
    assert (finding.where.partition("/")[0], finding.what) == ("u9", "fact of a conversation that does not exist")


def test_a_folder_must_be_one(tmp_path: Path) -> None:
    """What is missing is named."""
    with pytest.raises(DataNotFoundError, match=r"has no manifest\.json"):
        open_dataset(f"own:{tmp_path}")
