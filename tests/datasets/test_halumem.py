from __future__ import annotations

import json
import tracemalloc
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.base import HasPoints, HasTruth
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError, UnknownNameError
from support import real_data

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]


def point(text: str, source: str = "primary", kind: str = "Event Memory", **more: Any) -> dict[str, Any]:
    """One memory point as HaluMem writes it."""
    return {
        "index": 1,
        "memory_content": text,
        "memory_type": kind,
        "memory_source": source,
        "is_update": "False",
        "original_memories": [],
        "timestamp": "Jan 02, 2026, 10:30:00",
        "importance": 0.75,
        **more,
    }


def message(role: str, text: str) -> dict[str, Any]:
    """One message as HaluMem writes it."""
    return {"role": role, "content": text, "timestamp": "Jan 02, 2026, 10:00:00", "dialogue_turn": 0}


def asked(text: str, answer: str, evidence: list[str], kind: str) -> dict[str, Any]:
    """One question as HaluMem writes it."""
    cited = [{"memory_content": e, "memory_type": "[Event Memory]"} for e in evidence]
    return {"question": text, "answer": answer, "evidence": cited, "difficulty": "easy", "question_type": kind}


def session(day: int, **more: Any) -> dict[str, Any]:
    """One session as HaluMem writes it, without points and without questions."""
    return {
        "start_time": f"Jan {day:02d}, 2026, 10:00:00",
        "end_time": f"Jan {day:02d}, 2026, 10:30:00",
        "dialogue": [message("user", "I adopted a cat."), message("assistant", "How nice!")],
        "dialogue_turn_num": 1,
        **more,
    }


def user(uuid: str = "u1", **changes: Any) -> dict[str, Any]:
    """One user as HaluMem writes it, with every irregularity that is known of the files."""
    first = session(
        2,
        memory_points=[
            point("Ada adopted a cat.", "primary"),
            point("Ada owns a dog.", "interference", reason="made up", source_memory_index=1),
            point("Ada lives in Oslo.", "system", "[Persona Memory]"),
        ],
        questions=[
            asked("Which pet?", "A cat", ["ada adopted a CAT"], "Basic Fact Recall"),
            asked("Where next?", "Bergen", ["Ada lives in Bergen."], "Dynamic Update"),
            asked("Which name?", "Unknown", [], "Memory Boundary"),
        ],
    )
    generated = session(3, is_generated_qa_session=True)
    empty = session(4, memory_points=[], questions=[])
    last = session(
        5,
        memory_points=[
            point("Ada lives in Bergen.", is_update="True", original_memories=["Ada lives in Oslo."]),
            point("Ada adopted a cat."),
        ],
        questions=[
            asked(
                "And now?",
                "Bergen, with a cat",
                ["Ada lives in Bergen.", "Ada adopted a cat.", "Ada likes rain."],
                "Generalization & Application",
            )
        ],
    )
    return {
        "uuid": uuid,
        "persona_info": "[Recorded on Jan 01, 2026] Name: Ada Berg; Gender: Female; Location: Oslo",
        "sessions": [first, generated, empty, last],
        "total_question_count": 99,
        **changes,
    }


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write users as a HaluMem file and return its path."""

    def written(*users: object, ending: str = "\n") -> Path:
        path = tmp_path / "users.jsonl"
        path.write_text("\n".join(u if isinstance(u, str) else json.dumps(u) for u in users) + ending, "utf-8")
        return path

    return written


def test_turns_are_messages_by_default(write: Write) -> None:
    """A turn is a message, named by place, spoken by the user's name or the assistant, at its own time."""
    (case,) = open_dataset(f"halumem:{write(user())}").cases()
    assert case.conversation.id == "u1"
    assert [(s.id, str(s.at), len(s.turns)) for s in case.conversation.sessions] == [
        ("S1", "2026-01-02 10:00:00", 2),
        ("S2", "2026-01-03 10:00:00", 2),
        ("S3", "2026-01-04 10:00:00", 2),
        ("S4", "2026-01-05 10:00:00", 2),
    ]
    mine, reply = case.conversation.sessions[3].turns
    assert (mine.id, mine.speaker, mine.role, mine.text) == ("S4:1", "Ada Berg", "user", "I adopted a cat.")
    assert (reply.id, reply.speaker, reply.role) == ("S4:2", "assistant", "assistant")
    assert (mine.session, str(mine.at)) == ("S4", "2026-01-02 10:00:00")


def test_a_file_below_a_folder_of_data_goes_by_its_name(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder of its dataset or beside it, so that its ref, and so a run, names no machine's folders."""
    path = write(user())
    (path.parent / "halumem").mkdir()
    monkeypatch.setenv("MEMGAUGE_DATA", str(path.parent))
    ref = "halumem:users.jsonl"
    beside = open_dataset(ref).identity
    path.rename(path.parent / "halumem" / path.name)
    assert open_dataset(ref).identity == beside
    assert (beside.ref, beside.source) == (ref, "users.jsonl")
    with pytest.raises(DataNotFoundError, match="nor below a folder of data"):
        open_dataset("halumem:others.jsonl")


def test_turns_can_be_memory_points(write: Write) -> None:
    """Read by points, a session is its memory points in order, traps among them."""
    (case,) = open_dataset(f"halumem:{write(user())},units=points").cases()
    assert [(t.id, t.role, t.speaker, t.text) for t in case.conversation.turns()] == [
        ("S1:1", "user", "Ada Berg", "Ada adopted a cat."),
        ("S1:2", "user", "Ada Berg", "Ada owns a dog."),
        ("S1:3", "user", "Ada Berg", "Ada lives in Oslo."),
        ("S4:1", "user", "Ada Berg", "Ada lives in Bergen."),
        ("S4:2", "user", "Ada Berg", "Ada adopted a cat."),
    ]
    assert [len(s.turns) for s in case.conversation.sessions] == [3, 0, 0, 2]
    assert {str(t.at) for t in case.conversation.turns()} == {"2026-01-02 10:30:00"}


@pytest.mark.parametrize("units", ["dialogue", "points"])
def test_questions_are_asked_after_their_session(write: Write, units: str) -> None:
    """A question follows its session, at the time that session ends, under the name of its type."""
    (case,) = open_dataset(f"halumem:{write(user())},units={units}").cases()
    assert [(q.id, q.category, q.after_session, str(q.asked_at)) for q in case.questions] == [
        ("u1:S1:q1", "basic-fact-recall", "S1", "2026-01-02 10:30:00"),
        ("u1:S1:q2", "dynamic-update", "S1", "2026-01-02 10:30:00"),
        ("u1:S1:q3", "memory-boundary", "S1", "2026-01-02 10:30:00"),
        ("u1:S4:q1", "generalization-application", "S4", "2026-01-05 10:30:00"),
    ]


def test_evidence_is_every_equal_point_so_far(write: Write) -> None:
    """By points, evidence is found by its folded text in the same and in earlier sessions only."""
    fact, later, boundary, last = open_dataset(f"halumem:{write(user())},units=points").gold()
    assert fact.anchors() == ("S1:1",)
    assert [(e.raw, e.exact, e.turns) for e in later.evidence] == [("Ada lives in Bergen.", False, ())]
    assert later.why_no_anchors() == "no evidence resolves"
    assert (boundary.evidence, boundary.abstain, boundary.answers) == ((), True, ("Unknown",))
    assert [(e.exact, e.turns) for e in last.evidence] == [
        (True, ("S4:1",)),
        (True, ("S1:1", "S4:2")),
        (False, ()),
    ]
    assert last.anchors() == ("S4:1", "S1:1", "S4:2")
    assert (last.sessions, last.answers, last.abstain) == (("S1", "S4"), ("Bergen, with a cat",), False)


def test_no_message_is_gold(write: Write) -> None:
    """By messages, evidence stays text, and only the sessions that hold it are labelled."""
    golds = list(open_dataset(f"halumem:{write(user())}").gold())
    assert all(not e.exact and not e.turns for gold in golds for e in gold.evidence)
    assert [gold.sessions for gold in golds] == [("S1",), (), (), ("S1", "S4")]
    assert [len(gold.evidence) for gold in golds] == [1, 1, 0, 3]


def test_nothing_that_a_system_sees_leaks_a_label(write: Write) -> None:
    """Neither the persona nor the source of a point reaches a conversation."""
    for units in ("dialogue", "points"):
        (case,) = open_dataset(f"halumem:{write(user())},units={units}").cases()
        shown = repr(case.conversation)
        assert not any(secret in shown for secret in ("interference", "Recorded on", "Memory", "is_update"))


@pytest.mark.parametrize(("units", "turns", "scored"), [("dialogue", 8, 0), ("points", 5, 2)])
def test_describes_in_one_reading(write: Write, units: str, turns: int, scored: int) -> None:
    """Users, points, questions and matched evidence are counted, the same under both units."""
    dataset = open_dataset(f"halumem:{write(user())},units={units}")
    described = dict(dataset.describe())
    assert described.pop("sha256") == dataset.identity.sha256
    assert described == {
        "conversations": 1,
        "users": 1,
        "sessions": 4,
        "turns": turns,
        "units": units,
        "questions": 4,
        "with_evidence": 3,
        "scored_strict": scored,
        "scored_repair": scored,
        "abstention": 1,
        "categories": {
            "basic-fact-recall": 1,
            "dynamic-update": 1,
            "generalization-application": 1,
            "memory-boundary": 1,
        },
        "pinned": False,
        "licence": "CC BY-NC-ND 4.0",
        "source": "users.jsonl",
        "messages": 8,
        "points": 5,
        "updates": 1,
        "generated_sessions": 1,
        "sessions_without_points": 2,
        "sessions_without_questions": 2,
        "sessions_lacking_points": 1,
        "sessions_lacking_questions": 1,
        "questions_without_evidence": 1,
        "evidence": 5,
        "evidence_matched": 3,
        "evidence_matched_repeatedly": 1,
        "evidence_unmatched": 2,
        "evidence_unmatched_rate": 0.4,
        "points_by_source": {"interference": 1, "primary": 3, "system": 1},
        "points_by_type": {"Event Memory": 4, "Persona Memory": 1},
    }
    assert validate(dataset) == []


def test_a_rate_of_nothing_is_none(write: Write) -> None:
    """Without any evidence there is no rate; null lists are empty ones."""
    bare = user(sessions=[session(2, memory_points=None, questions=None)])
    described = open_dataset(f"halumem:{write(bare)}").describe()
    assert (described["evidence"], described["evidence_unmatched_rate"]) == (0, None)


def test_variants_are_found_by_their_published_names(tmp_path: Path) -> None:
    """A variant opens its file, which no known hash makes the published one; the default is medium."""
    (tmp_path / "halumem").mkdir()
    (tmp_path / "halumem" / "HaluMem-Medium.jsonl").write_text(json.dumps(user()), encoding="utf-8")
    dataset = open_dataset("halumem", root=tmp_path)
    assert dataset.identity.ref == "halumem:medium"
    assert dataset.identity.options == {"variant": "medium", "units": "dialogue"}
    assert not dataset.identity.pinned
    assert dataset.identity.source.startswith("https://")
    assert open_dataset("halumem:units=points", root=tmp_path).identity.ref == "halumem:medium,units=points"
    with pytest.raises(DataNotFoundError, match="memgauge data fetch halumem:long"):
        open_dataset("halumem:long", root=tmp_path)


def test_what_is_not_there_is_named(tmp_path: Path, write: Write) -> None:
    """A path without a file and a unit that does not exist are refused by name."""
    with pytest.raises(DataNotFoundError, match=r"none\.jsonl"):
        open_dataset(f"halumem:{tmp_path}/none.jsonl")
    with pytest.raises(UnknownNameError, match="Did you mean points"):
        open_dataset(f"halumem:{write(user())},units=point")


def test_points_are_what_a_session_gives_to_keep(write: Write) -> None:
    """Points have ids of their own, traps are marked, and only an update replaces, whatever the unit."""
    changed = user("u2")
    changed["sessions"][0]["memory_points"][0]["original_memories"] = ["Ada had no cat."]
    path = write(user(), changed)
    dataset = open_dataset(f"halumem:{path}")
    assert isinstance(dataset, HasPoints)
    points = list(dataset.points())
    assert [(p.id, p.session, p.trap, p.replaces) for p in points[:5]] == [
        ("u1:S1:1", "S1", False, ()),
        ("u1:S1:2", "S1", True, ()),
        ("u1:S1:3", "S1", False, ()),
        ("u1:S4:1", "S4", False, ("Ada lives in Oslo.",)),
        ("u1:S4:2", "S4", False, ()),
    ]
    assert points[5].replaces == ()
    assert (points[0].text, points[0].importance, points[0].conversation) == ("Ada adopted a cat.", 0.75, "u1")
    assert len({p.id for p in points}) == len(points) == 10
    by_points = open_dataset(f"halumem:{path},units=points")
    assert isinstance(by_points, HasPoints)
    assert list(by_points.points()) == points


@pytest.mark.parametrize(
    ("written", "replaces"),
    [("True", ("Old.",)), ("False", ()), ("true", ("Old.",)), (True, ("Old.",)), (False, ())],
)
def test_an_update_is_read_from_its_text(write: Write, written: object, replaces: tuple[str, ...]) -> None:
    """The text False is not true, as every text is in Python."""
    marked = point("New.", is_update=written, original_memories=["Old."])
    dataset = open_dataset(f"halumem:{write(user(sessions=[session(2, memory_points=[marked])]))}")
    assert isinstance(dataset, HasPoints)
    assert [p.replaces for p in dataset.points()] == [replaces]
    assert dataset.describe()["updates"] == bool(replaces)


def test_types_lose_their_brackets(write: Write) -> None:
    """A type in brackets, and in blanks, is the same type."""
    kinds = ("Persona Memory", "[Persona Memory]", " [Persona Memory] ")
    points = [point(f"p{n}", kind=kind) for n, kind in enumerate(kinds)]
    record = user(sessions=[session(2, memory_points=points)])
    described = open_dataset(f"halumem:{write(record)}").describe()
    assert described["points_by_type"] == {"Persona Memory": 3}


def test_what_is_missing_differs_from_what_is_empty(write: Write) -> None:
    """A list that is not written, null and an empty one give nothing, and the first is counted apart."""
    sessions = [
        session(2),
        session(3, memory_points=[], questions=None),
        session(4, memory_points=None, questions=[]),
        session(5, memory_points=[point("a") | {"original_memories": None}]),
        session(6, questions=[asked("a", "b", [], "Memory Boundary") | {"evidence": None}]),
    ]
    described = open_dataset(f"halumem:{write(user(sessions=sessions))}").describe()
    names = ("without_points", "lacking_points", "without_questions", "lacking_questions")
    assert [described[f"sessions_{name}"] for name in names] == [4, 2, 4, 2]
    assert (described["points"], described["questions"], described["questions_without_evidence"]) == (1, 1, 1)


@pytest.mark.parametrize("units", ["dialogue", "points"])
@pytest.mark.parametrize("lists", [{}, {"memory_points": [], "questions": []}, {"memory_points": None}])
def test_generated_sessions_are_only_read(write: Write, units: str, lists: dict[str, Any]) -> None:
    """A session of distraction is part of the conversation, and gives neither points nor questions."""
    generated = session(3, is_generated_qa_session=True, **lists)
    dataset = open_dataset(f"halumem:{write(user(sessions=[session(2), generated]))},units={units}")
    (case,) = dataset.cases()
    assert [s.id for s in case.conversation.sessions] == ["S1", "S2"]
    assert len(case.conversation.sessions[1].turns) == (2 if units == "dialogue" else 0)
    assert case.questions == ()
    assert dataset.describe()["generated_sessions"] == 1


def test_users_are_named_by_their_id(write: Write) -> None:
    """Two users of one name stay apart, in conversations, questions and points."""
    dataset = open_dataset(f"halumem:{write(user('a'), user('b'))},units=points")
    assert isinstance(dataset, HasPoints)
    assert [case.conversation.id for case in dataset.cases()] == ["a", "b"]
    assert {turn.speaker for case in dataset.cases() for turn in case.conversation.turns()} == {"Ada Berg"}
    asked_ids = [q.id for case in dataset.cases() for q in case.questions]
    assert len(set(asked_ids)) == len(asked_ids) == 8
    assert len({p.id for p in dataset.points()}) == 10
    assert validate(dataset) == []


def test_a_user_in_two_lines_is_refused(write: Write) -> None:
    """A second line of one user would give two conversations one id."""
    users = open_dataset(f"halumem:{write(user('a'), '', user('b'), user('a'))}").cases()
    assert [next(users).conversation.id, next(users).conversation.id] == ["a", "b"]
    with pytest.raises(MalformedDataError, match=r"line 4: field \$\.uuid: 'a' is also the user of line 1"):
        next(users)


def test_which_turns_are_stale_is_not_said(write: Write) -> None:
    """Updates quote what was true and name no turn, so that time is unsupported, never 0."""
    for units in ("dialogue", "points"):
        dataset = open_dataset(f"halumem:{write(user())},units={units}")
        assert {gold.stale for gold in dataset.gold()} == {None}
        assert not isinstance(dataset, HasTruth)


def _broken(**changes: Any) -> dict[str, Any]:
    return user("u2", sessions=[{**session(2, memory_points=[point("x")]), **changes}])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("{", r"users\.jsonl, line 3: Invalid JSON"),
        ("[]", r"users\.jsonl, line 3: "),
        ({"uuid": "u2"}, r"line 3: field \$\.persona_info: Field required"),
        (user("u2", persona_info="Ada"), r"line 3: field \$\.persona_info: no `Name"),
        (_broken(start_time="soon"), r"line 3: field \$\.sessions\[0\]\.start_time: 'soon' is not a date"),
        (_broken(end_time="late"), r"line 3: field \$\.sessions\[0\]\.end_time: 'late' is not a date"),
        (
            _broken(dialogue=[message("user", "a") | {"timestamp": "x"}]),
            r"\$\.sessions\[0\]\.dialogue\[0\]\.timestamp: 'x'",
        ),
        (
            _broken(memory_points=[point("a", timestamp="x")]),
            r"\$\.sessions\[0\]\.memory_points\[0\]\.timestamp: 'x'",
        ),
        (
            _broken(memory_points=[point("a", is_update="perhaps")]),
            r"\$\.sessions\[0\]\.memory_points\[0\]\.is_update: ",
        ),
        (user("u2") | {"uuid": 7}, r"line 3: field \$\.uuid: Input should be a valid string"),
        (user("u2", sessions={}), r"line 3: field \$\.sessions: "),
        (user("u2", sessions=[{}]), r"line 3: field \$\.sessions\[0\]\.start_time: Field required"),
        (_broken(dialogue=None), r"line 3: field \$\.sessions\[0\]\.dialogue: "),
        (_broken(dialogue=[{"role": "user"}]), r"\$\.sessions\[0\]\.dialogue\[0\]\.content: Field required"),
        (_broken(memory_points="x"), r"\$\.sessions\[0\]\.memory_points: "),
        (
            _broken(memory_points=[point("a", memory_type=1)]),
            r"\$\.sessions\[0\]\.memory_points\[0\]\.memory_type: ",
        ),
        (
            _broken(memory_points=[point("a", original_memories=[1])]),
            r"\$\.sessions\[0\]\.memory_points\[0\]\.original_memories\[0\]: ",
        ),
        (_broken(memory_points=[point("a", importance="x")]), r"memory_points\[0\]\.importance: "),
        (_broken(is_generated_qa_session="x"), r"\$\.sessions\[0\]\.is_generated_qa_session: "),
        (_broken(questions=[{"question": "a"}]), r"\$\.sessions\[0\]\.questions\[0\]\.answer: Field required"),
        (
            _broken(questions=[asked("a", "b", [], "c") | {"evidence": [{}]}]),
            r"\$\.sessions\[0\]\.questions\[0\]\.evidence\[0\]\.memory_content: Field required",
        ),
    ],
)
def test_a_broken_line_is_named_after_the_whole_ones(write: Write, record: object, message: str) -> None:
    """What is broken is refused by file, line and field, after the users before it were given."""
    units = "points" if "memory_points" in message else "dialogue"
    cases = open_dataset(f"halumem:{write(user(), '', record)},units={units}").cases()
    assert next(cases).conversation.id == "u1"
    with pytest.raises(MalformedDataError, match=message):
        next(cases)


def test_a_file_without_users_is_refused(write: Write) -> None:
    """Empty lines are no dataset."""
    with pytest.raises(MalformedDataError, match="holds no user"):
        list(open_dataset(f"halumem:{write('', '')}").cases())


def test_a_last_line_needs_no_end(write: Write) -> None:
    """Blank lines are passed over, and the last line may end with the file."""
    dataset = open_dataset(f"halumem:{write(user('a'), '', user('b'), ending='')}")
    assert [case.conversation.id for case in dataset.cases()] == ["a", "b"]
    assert [gold.question for gold in dataset.gold()] == [q.id for c in dataset.cases() for q in c.questions]


def _peak(path: Path) -> int:
    """Read the cases and the gold of *path*, keeping none, and return the peak of allocated bytes."""
    dataset = open_dataset(f"halumem:{path}")
    tracemalloc.start()
    try:
        deque(dataset.cases(), maxlen=0)
        deque(dataset.gold(), maxlen=0)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_only_one_user_is_held(write: Write) -> None:
    """Three large users need no more memory than one."""
    big = [session(2, dialogue=[message("user", f"{n} " * 50) for n in range(3_000)])]
    one = _peak(write(user("a", sessions=big)))
    assert _peak(write(*(user(name, sessions=big) for name in "abc"))) < one * 1.1


_KNOWN = [
    ("user0", 29, 1_334, 297, 67, 95, 9, 16, {"interference": 60, "secondary": 237}),
    ("user3", 25, 1_020, 314, 55, 82, 11, 10, {"interference": 41, "secondary": 185, "system": 88}),
    ("user12", 62, 2_720, 686, 161, 213, 19, 43, {"interference": 126, "secondary": 467, "system": 93}),
]


@pytest.mark.data
@pytest.mark.parametrize("units", ["dialogue", "points"])
@pytest.mark.parametrize(
    ("name", "sessions", "messages", "points", "questions", "evidence", "silent", "boundary", "sources"), _KNOWN
)
def test_real_users(
    units: str,
    name: str,
    sessions: int,
    messages: int,
    points: int,
    questions: int,
    evidence: int,
    silent: int,
    boundary: int,
    sources: dict[str, int],
) -> None:
    """Genuine users have their known counts, and every piece of evidence equals a memory point."""
    dataset = open_dataset(f"halumem:{real_data(f'halumem/halumem.{name}.jsonl')},units={units}")
    described = dataset.describe()
    assert {key: described[key] for key in ("sessions", "messages", "points", "questions")} == {
        "sessions": sessions,
        "messages": messages,
        "points": points,
        "questions": questions,
    }
    assert described["turns"] == (points if units == "points" else messages)
    assert (described["evidence"], described["evidence_matched"]) == (evidence, evidence)
    assert described["evidence_unmatched_rate"] == 0
    assert described["sessions_without_questions"] == described["sessions_lacking_questions"] == silent
    assert described["sessions_lacking_points"] == described["generated_sessions"] == 0
    assert isinstance(dataset, HasPoints)
    kept = list(dataset.points())
    assert len({p.id for p in kept}) == points
    assert sum(p.trap for p in kept) == sources["interference"]
    assert {p.importance for p in kept if p.trap} == {1.0}
    assert sum(bool(p.replaces) for p in kept) == described["updates"]
    assert described["questions_without_evidence"] == described["abstention"] == boundary
    assert described["points_by_source"] == sources
    assert described["scored_strict"] == (questions - boundary if units == "points" else 0)
    assert validate(dataset) == []
    assert {gold.question for gold in dataset.gold() if not gold.evidence} == {
        gold.question for gold in dataset.gold() if gold.abstain
    }


@pytest.mark.data
def test_real_evidence_is_never_a_message() -> None:
    """No evidence text is a message of the dialogue, which is why the points are a reading of their own."""
    dataset = open_dataset(f"halumem:{real_data('halumem/halumem.user3.jsonl')}")
    said = {turn.text for case in dataset.cases() for turn in case.conversation.turns()}
    cited = {evidence.raw for gold in dataset.gold() for evidence in gold.evidence}
    assert cited
    assert not cited & said
