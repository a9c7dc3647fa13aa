"""RHELM: days of pairs, mails and documents, read from a folder or an archive."""

from __future__ import annotations

import json
import tarfile
import tracemalloc
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.rhelm.evidence import PersonThings, days_in, pairs_in, read_evidence
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.records import EvidencePolicy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.datasets.rhelm.dataset import Rhelm

PERSON = "Ada_B._Quill"


def pair(turn: int, user: str, **more: Any) -> dict[str, Any]:
    """One pair as upstream writes it, with everything that must not be passed on."""
    return {
        "turn": turn,
        "timestamp": "2024-03-01T08:00:00",
        "message_type": "LEAK-type",
        "user": user,
        "assistant": f"Noted: {user}",
        **more,
    }


def session(date: str, *pairs: dict[str, Any]) -> dict[str, Any]:
    """One day."""
    return {
        "character": PERSON,
        "date": date,
        "profile_file": "LEAK-profile",
        "event_file": "LEAK-event",
        "conversation_summary": None,
        "metadata": {"generation_model": "LEAK-model"},
        "statistics": {},
        "conversation": list(pairs),
    }


def asked(key: str, evidence: list[str], date: str = "2024-03-09", kind: str = "fact") -> dict[str, Any]:
    """One question."""
    return {
        "id": key,
        "question": f"What of {key}?",
        "answer": "a kite",
        "question_date": date,
        "question_type": kind,
        "supporting_evidence": evidence,
        "characteristics": ["LEAK-trait"],
    }


QUESTIONS = [
    asked("fact_1", ["2024-03-01:2"]),
    asked("aggregation_1", ["2024-03-01:1,2024-03-05:1"], kind="aggregation"),
    asked("aggregation_2", ["2024-03-01:1,2"], kind="aggregation"),
    asked("temporal_1", ["2024-03-05:1"], date="2024-03-05", kind="temporal"),
    asked("attachment_1", ["01_notes_task_0a1b2c3d.md:No such section"], kind="attachment"),
    asked("email_1", ["Emails_2024-03-01:Header"], kind="attachment"),
    asked("mixed_1", ["09_notes_task_ffffffff:Header"], kind="mixed"),
    asked("fact_2", ["2024-03-01:7"]),
    asked("hallucination_1", ["2024-03-05:1"], kind="hallucination"),
    asked("misleading_1", ["2024-03-05:1"], kind="misleading"),
]


def files(**changed: Any) -> dict[str, str]:
    """Every file of one person, by name; *changed* replaces or, by ``None``, drops some."""
    days = {
        "2024_03_01": session(
            "2024-03-01", pair(2, "Then I bought a kite."), pair(1, "I slept well.", research_document="01_notes")
        ),
        "2024_03_05": session("2024-03-05", pair(1, "The kite flew.", timestamp="2024-03-05T09:00:00")),
    }
    rule = "=" * 20
    made: dict[str, Any] = {
        f"QA_final/low_score_qa_{PERSON}_all_validated.jsonl": "\n".join(map(json.dumps, QUESTIONS)) + "\n",
        **{f"conversations/{PERSON}/conversation_{day}.json": json.dumps(each) for day, each in days.items()},
        f"emails/{PERSON}/01_email_2024_03_01.txt": f"Sender: Ada\nSubject: A\n\n{rule}\n\nSender: Bo\n",
        f"attachments/{PERSON}/01_notes_task_0a1b2c3d.md": "# Kites\nA list.",
        f"attachments/{PERSON}/07_report_task_99999999.html": "<p>No day</p>",
    }
    return {name: text for name, text in (made | changed).items() if text is not None}


def written(root: Path, content: Mapping[str, str] | None = None) -> Path:
    """Write the official tree below a folder."""
    for name, text in (content or files()).items():
        path = root / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "data"


def opened(path: Path, options: str = "") -> Rhelm:
    """Open what lies at a path."""
    dataset = open_dataset(f"rhelm:{path}{options}")
    assert not validate(dataset)
    return dataset  # type: ignore[return-value] # the registry knows the protocol only


def test_a_turn_is_a_pair_in_the_order_of_numbers(tmp_path: Path) -> None:
    """Pairs that share a time keep the order of their numbers, not that of the file."""
    (case,) = opened(written(tmp_path)).cases()
    assert case.conversation.id == PERSON
    assert [turn.id for turn in case.conversation.turns()] == ["2024-03-01:1", "2024-03-01:2", "2024-03-05:1"]
    first = next(case.conversation.turns())
    assert (first.speaker, first.text) == ("Ada B. Quill", "User: I slept well.\nAssistant: Noted: I slept well.")


@pytest.mark.parametrize("options", ["", ",sources=all", ",sources=all,turns=messages"])
def test_nothing_that_gives_answers_away_reaches_a_memory(tmp_path: Path, options: str) -> None:
    """Neither kinds of messages, nor traits, nor profiles, nor how it was generated."""
    for case in opened(written(tmp_path), options).cases():
        told = repr(case.conversation) + "".join(question.text for question in case.questions)
        assert "LEAK" not in told


def test_the_stem_of_a_document_is_shown_only_where_documents_are_told(tmp_path: Path) -> None:
    """Otherwise it names something that nobody can read."""
    path = written(tmp_path)
    texts = {opt: repr(next(opened(path, opt).cases()).conversation) for opt in ("", ",sources=all")}
    assert "[document: 01_notes]" not in texts[""]
    assert "[document: 01_notes]" in texts[",sources=all"]


def test_evidence_names_pairs_and_comma_forms_only_under_repair(tmp_path: Path) -> None:
    """One string that names several turns is repaired, never exact."""
    golds = {gold.question: gold for gold in opened(written(tmp_path)).gold()}
    assert golds["fact_1"].anchors() == ("2024-03-01:2",)
    for key, turns in (
        ("aggregation_1", ("2024-03-01:1", "2024-03-05:1")),
        ("aggregation_2", ("2024-03-01:1", "2024-03-01:2")),
    ):
        assert golds[key].anchors() == ()
        assert golds[key].anchors(EvidencePolicy.REPAIR) == turns
    assert golds["fact_2"].anchors(EvidencePolicy.REPAIR) == ()


def test_split_messages_want_both(tmp_path: Path) -> None:
    """An entry of evidence then names the message and its reply."""
    dataset = opened(written(tmp_path), ",turns=messages")
    golds = {gold.question: gold for gold in dataset.gold()}
    assert golds["fact_1"].anchors() == ("2024-03-01:2.1", "2024-03-01:2.2")
    turns = list(next(dataset.cases()).conversation.turns())
    assert [turn.role for turn in turns[:2]] == ["user", "assistant"]
    assert dataset.identity.options["turns"] == "messages"


def test_files_and_mails_are_told_or_point_nowhere(tmp_path: Path) -> None:
    """In dialogue alone their evidence cannot be found; told, a file is one turn and so is a mail."""
    path = written(tmp_path)
    without = {gold.question: gold for gold in opened(path).gold()}
    assert without["attachment_1"].why_no_anchors() == "no evidence resolves"
    dataset = opened(path, ",sources=all")
    golds = {gold.question: gold for gold in dataset.gold()}
    assert golds["attachment_1"].anchors() == ("file:01_notes_task_0a1b2c3d.md:1",)
    assert golds["email_1"].anchors() == ("emails:2024-03-01:1", "emails:2024-03-01:2")
    (case,) = dataset.cases()
    assert [each.id for each in case.conversation.sessions] == [
        "file:07_report_task_99999999.html",
        "2024-03-01",
        "emails:2024-03-01",
        "file:01_notes_task_0a1b2c3d.md",
        "2024-03-05",
    ]


def test_the_official_cutoff_hides_the_day_of_the_question(tmp_path: Path) -> None:
    """A question of the fifth is asked after the first; without a cutoff, at the end of the year."""
    path = written(tmp_path)
    official = {q.id: q.after_session for case in opened(path).cases() for q in case.questions}
    assert official["temporal_1"] == "2024-03-01"
    assert official["fact_1"] == "2024-03-05"
    whole = {q.id: q.after_session for case in opened(path, ",cutoff=none").cases() for q in case.questions}
    assert set(whole.values()) == {None}


def test_a_question_before_anything_is_counted_and_not_asked(tmp_path: Path) -> None:
    """Under the official cutoff nobody can have heard anything; without it, it is asked."""
    name = f"QA_final/low_score_qa_{PERSON}_all_validated.jsonl"
    early = json.dumps(asked("fact_9", ["2024-03-01:1"], date="2024-01-01"))
    path = written(tmp_path, files(**{name: early}))
    assert opened(path).describe()["asked_before_anything"] == 1
    assert opened(path).describe()["questions"] == 0
    assert opened(path, ",cutoff=none").describe()["questions"] == 1


def test_doubts_follow_from_the_labels_themselves(tmp_path: Path) -> None:
    """Evidence that is malformed or missing is a wrong citation; evidence of the day itself, a temporal error."""
    path = written(tmp_path)
    kinds = {gold.question: gold.erratum.kind for gold in opened(path).gold() if gold.erratum}
    assert kinds == {
        "aggregation_1": "wrong-citation",
        "aggregation_2": "wrong-citation",
        "temporal_1": "temporal-error",
        "mixed_1": "wrong-citation",
        "fact_2": "wrong-citation",
    }
    assert "temporal_1" not in {g.question for g in opened(path, ",cutoff=none").gold() if g.erratum}


def test_what_describes_a_good_reply_is_a_rubric(tmp_path: Path) -> None:
    """Hallucination and misleading are not counted by exact match, and nobody is to abstain."""
    golds = {gold.question: gold for gold in opened(written(tmp_path)).gold()}
    assert [key for key, gold in golds.items() if gold.rubric] == ["hallucination_1", "misleading_1"]
    assert not any(gold.abstain for gold in golds.values())


def test_everything_is_counted(tmp_path: Path) -> None:
    """Pairs, mails, documents without a day, shared times, and what evidence names."""
    counts = opened(written(tmp_path)).describe()
    wanted = {
        "sessions": 2, "pairs": 3, "messages": 6, "repeated_times": 1, "email_files": 1, "emails": 2,
        "attachments": 2, "attachments_without_day": 1, "questions": 10, "evidence": 10,
    }  # fmt: skip
    assert {name: counts[name] for name in wanted} == wanted
    assert counts["evidence_names"] == {
        "emails": 1,
        "files": 1,
        "nothing that exists": 2,
        "several turns in one entry": 2,
        "turns": 4,
    }
    assert counts["future_evidence"] == {"temporal_1": ["2024-03-05:1"]}


def test_what_is_odd_is_listed_for_whoever_checks_it(tmp_path: Path) -> None:
    """Evidence that is none as it stands, with what it was read as; doubts by kind, which are all doubts."""
    counts = opened(written(tmp_path)).describe()
    assert counts["unsound_evidence"] == [
        {"question": question, "raw": raw, "repaired_to": repaired}
        for question, raw, repaired in (
            ("aggregation_1", "2024-03-01:1,2024-03-05:1", ["2024-03-01:1", "2024-03-05:1"]),
            ("aggregation_2", "2024-03-01:1,2", ["2024-03-01:1", "2024-03-01:2"]),
            ("mixed_1", "09_notes_task_ffffffff:Header", []),
            ("fact_2", "2024-03-01:7", []),
        )
    ]
    assert counts["errata"] == {"total": 5, "kinds": {"temporal-error": 1, "wrong-citation": 4}}
    kinds = counts["evidence_names"]
    assert isinstance(kinds, dict)
    assert list(kinds) == sorted(kinds)


@pytest.mark.parametrize("compression", ["gz", ""])
def test_a_folder_and_an_archive_of_it_are_the_same_data(tmp_path: Path, compression: str) -> None:
    """Turns, gold and identity are equal, whatever folder the archive has it in."""
    path = written(tmp_path)
    archive = tmp_path / "any.tar"
    with tarfile.open(archive, f"w:{compression}") as tar:  # type: ignore[call-overload] # a mode of two
        tar.add(path, "somewhere/RHELM/data")
    folder, packed = opened(path, ",sources=all"), opened(archive, ",sources=all")
    assert list(folder.cases()) == list(packed.cases())
    assert list(folder.gold()) == list(packed.gold())
    assert folder.identity.sha256 == packed.identity.sha256


DAY = f"conversations/{PERSON}/conversation_2024_03_01.json"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (DAY, "{", rf"{DAY} is not JSON"),
        (DAY, json.dumps(session("2024-03-01", pair(1, "a"), pair(1, "b"))), r"\[1\]\.turn: 1 is also the number"),
        (DAY, json.dumps(session("2024-03-01", pair(0, "a"))), r"\$\.conversation\[0\]\.turn: Input should be"),
        (DAY, json.dumps(session("2024-03-01")), r"\$\.conversation: List should have at least 1"),
        (DAY, json.dumps(session("March", pair(1, "a"))), r"\$\.date: 'March' is not a day"),
        (
            DAY,
            json.dumps(session("2024-03-01", pair(1, "a", timestamp="8:00"))),
            r"timestamp: '8:00' is not a time",
        ),
        (
            DAY,
            json.dumps(session("2024-03-01", pair(1, "a", timestamp="2024-03-01T08:00:00Z"))),
            r"of a time zone",
        ),
        (DAY, json.dumps(session("2024-03-01", {"turn": 1})), r"conversation\[0\]\.timestamp: Field required"),
        (
            f"QA_final/low_score_qa_{PERSON}_all_validated.jsonl",
            json.dumps(asked("a", ["x"])) + "\n" + json.dumps({**asked("b", ["x"]), "answer": 4}),
            r"line 2: field \$\.answer: Input should be a valid string",
        ),
        (
            f"QA_final/low_score_qa_{PERSON}_all_validated.jsonl",
            json.dumps(asked("a", ["x"], date="soon")),
            r"line 1: field \$\.question_date: 'soon' is not a day",
        ),
        (f"emails/{PERSON}/mail.txt", "Sender: A", r"no NN_email_YYYY_MM_DD"),
        (f"emails/{PERSON}/01_email_2024_13_01.txt", "Sender: A", r"month must be in 1..12"),
        (f"attachments/{PERSON}/notes.md", "x", r"no NN_"),
    ],
)
def test_what_is_broken_is_named_by_file_record_and_field(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """The message says where to look."""
    dataset = open_dataset(f"rhelm:{written(tmp_path, files(**{name: text}))}")
    with pytest.raises(MalformedDataError, match=message):
        list(dataset.cases())


def test_missing_files_are_named(tmp_path: Path) -> None:
    """No questions at all, or questions about somebody of whom nothing is there."""
    (tmp_path / "QA_final").mkdir()
    with pytest.raises(DataNotFoundError, match="No questions in"):
        open_dataset(f"rhelm:{tmp_path}")
    (tmp_path / "QA_final" / "low_score_qa_Bo_all_validated.jsonl").write_text("")
    with pytest.raises(DataNotFoundError, match="of whom there are no conversations"):
        open_dataset(f"rhelm:{tmp_path}")
    with pytest.raises(DataNotFoundError, match="a folder with QA_final is wanted"):
        open_dataset("rhelm", root=tmp_path / "elsewhere")
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"\x1f\x8b no archive")
    with pytest.raises(MalformedDataError, match="cannot be read as an archive"):
        open_dataset(f"rhelm:{broken}")


def test_links_in_an_archive_are_not_followed(tmp_path: Path) -> None:
    """What is no plain file is not there."""
    archive = tmp_path / "any.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(written(tmp_path), "data")
        link = tarfile.TarInfo(f"data/attachments/{PERSON}/03_notes_task_1.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        tar.addfile(link)
    assert opened(archive).describe()["attachments"] == 2


KEYS = st.tuples(st.dates().map(lambda day: day.isoformat()), st.integers(1, 999))


@given(st.lists(KEYS, min_size=2, max_size=6, unique=True), st.booleans())
def test_every_turn_of_a_comma_form_is_found(keys: list[tuple[str, int]], short: bool) -> None:
    """Each part with its day, or numbers alone behind the day they share."""
    if short:
        keys = [(keys[0][0], number) for _, number in keys]
        raw = f"{keys[0][0]}:" + ",".join(str(number) for _, number in keys)
    else:
        raw = ",".join(f"{day}:{number}" for day, number in keys)
    named = tuple(dict.fromkeys(f"{day}:{number}" for day, number in keys))
    assert pairs_in(raw) == named
    things = PersonThings({key: (key,) for key in named}, {}, {})
    read = read_evidence(raw, things)
    assert read.evidence.turns == named
    assert not read.evidence.exact
    assert {day.isoformat() for day in days_in(raw)} == {day for day, _ in keys}


@given(st.text() | st.from_regex(r"[\d:,\- ]{1,40}"))
def test_any_text_is_read_as_evidence_of_something_or_nothing(raw: str) -> None:
    """Nothing raises; what does not exist has no turns."""
    read = read_evidence(raw, PersonThings({"2024-03-01:1": ("2024-03-01:1",)}, {}, {}))
    assert set(read.evidence.turns) <= {"2024-03-01:1"}
    assert read.sound is (raw == "2024-03-01:1")


def _peak(path: Path) -> int:
    """Read cases and gold, keeping none, and return the peak of allocated bytes."""
    dataset = open_dataset(f"rhelm:{path},sources=all")
    tracemalloc.start()
    try:
        deque(dataset.cases(), maxlen=0)
        deque(dataset.gold(), maxlen=0)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_only_one_person_is_held(tmp_path: Path) -> None:
    """Three large people need no more memory than one, from a folder and from an archive."""
    large = session("2024-03-01", *(pair(n, f"{n} " * 400) for n in range(1, 1_500)))
    mine = files(**{DAY: json.dumps(large)})
    one, three = written(tmp_path / "one", mine), tmp_path / "three" / "data"
    for name in ("Ann", "Bob", "Cyd"):
        renamed = {key.replace(PERSON, name): text for key, text in mine.items()}
        renamed = {key: text.replace('"id": "', f'"id": "{name}') for key, text in renamed.items()}
        written(tmp_path / "three", renamed)
    archive = tmp_path / "three.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(three, "data")
    least = _peak(one)
    assert _peak(three) < least * 1.2
    assert _peak(archive) < least * 1.2
