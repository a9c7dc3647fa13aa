from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import DataMismatchError, DataNotFoundError, MalformedDataError
from support import real_data

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.records import Gold, Question

BELIEFS = "beliefs.seed.json"
CASES = "retrieval.cases.2.json"
SESSIONS = "session-retrieval.cases.1.json"


def belief(key: str, content: str, **changes: Any) -> dict[str, Any]:
    """One belief as the benchmark writes it."""
    return {
        "_id": key,
        "user_id": "test-user",
        "type": "preference",
        "canonical_name": key,
        "aliases": [f"{key} alias"],
        "content": content,
        "why_it_matters": "It shapes replies.",
        "scope": ["domain:boats"],
        "epistemic_status": "active",
        "confidence": 0.9,
        "pinned": False,
        "superseded_by": None,
        "created_at": "2026-03-01T00:00:00Z",
        **changes,
    }


def case(key: str, query: str, wanted: list[str] | None, **changes: Any) -> dict[str, Any]:
    """One case as the benchmark writes it."""
    expect: dict[str, Any] = {"pinnedFacts": {"mustInclude": []}}
    if wanted is not None:
        expect["relevantBeliefs"] = {"shouldOnlyInclude": wanted}
    return {
        "caseId": key,
        "category": "Alias",
        "description": "d",
        "scope": ["domain:boats"],
        "query": query,
        "expect": expect,
        **changes,
    }


def turn(index: int, message: str, wanted: list[str], **more: Any) -> dict[str, Any]:
    """One message of a session case."""
    written = case("", "", wanted)
    return {
        "turnIndex": index,
        "label": "drift",
        "scope": ["domain:boats"],
        "userMessage": message,
        "assistantMessage": "Well.",
        "expect": written["expect"],
        **more,
    }


WORLD = [
    belief("b-hull", "Prefers hulls of oak."),
    belief("b-old-sail", "Uses red sails.", epistemic_status="superseded", superseded_by="b-sail"),
    belief("b-sail", "Uses white sails.", created_at="2026-02-01T00:00:00Z"),
    belief("b-any", "Likes short answers.", scope=["user:universal"]),
    belief("b-bread", "Bakes with rye.", scope=["domain:bread"]),
    belief("b-other", "Rows alone.", user_id="other-user"),
]
ASKED = [
    case("sails", "Which sails do I use?", ["b-sail"]),
    case("none", "Where is the moon?", []),
    case("empty", " ", []),
    case("tiers", "What is pinned?", None),
    case("bread", "Which flour?", ["b-bread"], scope=["domain:bread"]),
    case("stranger", "Which sails?", [], userId="nobody"),
]
SESSION = {
    "caseId": "session-1",
    "description": "d",
    "turns": [
        turn(0, "My hull leaks.", ["b-hull"], createBeliefAtTurn=belief("b-tar", "Seals hulls with tar.")),
        turn(
            1,
            "And how do I seal it?",
            ["b-tar"],
            updateBeliefAtTurn={"beliefId": "b-tar", "addAliases": ["pitch"]},
        ),
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The three files, invented."""
    for name, content in ((BELIEFS, WORLD), (CASES, ASKED), (SESSIONS, [SESSION])):
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


def _pairs(folder: Path, options: str = "") -> dict[str, tuple[Question, Gold]]:
    dataset = open_dataset(f"precisionmembench:{folder}{options}")
    asked = [question for each in dataset.cases() for question in each.questions]
    return {question.id: (question, gold) for question, gold in zip(asked, dataset.gold(), strict=True)}


def test_a_named_set_is_evidence_and_the_rest_must_stay_away(folder: Path) -> None:
    """What is not named is a decoy, what was superseded is stale; other scopes and users are not there."""
    question, gold = _pairs(folder)["sails"]
    assert question.conversation == "test-user/domain:boats"
    assert gold.anchors() == ("b-sail",)
    assert gold.stale == ("b-old-sail",)
    assert set(gold.decoys) == {"b-any", "b-hull"}
    assert not gold.abstain


def test_an_empty_set_is_nothing_to_find(folder: Path) -> None:
    """A query that calls for nothing has no evidence, and every belief is one that must stay away."""
    _, gold = _pairs(folder)["none"]
    assert (gold.abstain, gold.evidence) == (True, ())
    assert {*gold.decoys, *(gold.stale or ())} == {"b-any", "b-hull", "b-sail", "b-old-sail"}


def test_superseded_beliefs_are_told_first(folder: Path) -> None:
    """One session tells all beliefs of the scope, first what no longer holds, then by age."""
    first = next(iter(open_dataset(f"precisionmembench:{folder}").cases()))
    (session,) = first.conversation.sessions
    assert [turn.id for turn in session.turns] == ["b-old-sail", "b-sail", "b-hull", "b-any"]
    assert session.turns[1].text == "Uses white sails."


def test_options_tell_all_scopes_and_other_names(folder: Path) -> None:
    """With scopes=together a case sees everything of its user; with aliases=true names are told too."""
    dataset = open_dataset(f"precisionmembench:{folder},scopes=together,aliases=true")
    first = next(iter(dataset.cases()))
    assert first.conversation.id == "test-user"
    texts = {turn.id: turn.text for turn in first.conversation.turns()}
    assert texts["b-bread"] == "Bakes with rye. (also called b-bread alias)"
    assert "b-other" not in texts
    assert dataset.identity.options["scopes"] == "together"


def test_a_session_tells_what_it_creates_behind_the_message(folder: Path) -> None:
    """A belief is told after the turn that creates it, so that only later messages can call for it."""
    dataset = open_dataset(f"precisionmembench:{folder}")
    last = list(dataset.cases())[-1]
    assert [session.id for session in last.conversation.sessions] == ["beliefs", "t00"]
    assert [question.after_session for question in last.questions] == ["beliefs", "t00"]
    first, second = (_pairs(folder)[f"session-1:t0{n}"][1] for n in (0, 1))
    assert "b-tar" not in first.decoys
    assert second.anchors() == ("b-tar",)


def test_counts_what_is_left_out(folder: Path) -> None:
    """Tiers, empty queries, missing sets, strangers and untold aliases are counted."""
    dataset = open_dataset(f"precisionmembench:{folder}")
    described = dataset.describe()
    assert {
        name: described[name] for name in ("beliefs", "beliefs_superseded", "believers", "cases", "questions")
    } == {
        "beliefs": 6,
        "beliefs_superseded": 1,
        "believers": 2,
        "cases": 6,
        "questions": 5,
    }
    left_out = ("empty_queries", "cases_without_a_set", "cases_of_unknown_users", "updates_untold")
    assert [described[name] for name in left_out] == [1, 1, 1, 1]
    assert described["cases_with_tiers"] == 8
    assert not validate(dataset)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (BELIEFS, [belief("b", "x", type="mood")], r"beliefs.seed.json: field \$\[0\].type: Input should be"),
        (BELIEFS, [{"_id": "b"}], r"field \$\[0\].user_id: Field required"),
        (CASES, [case("a", "Which?", ["b-none"])], r"shouldOnlyInclude\[0\]: no belief 'b-none' is held here"),
        (CASES, "[", "1: not JSON"),
        (SESSIONS, [{"caseId": "s", "turns": [{}]}], r"field \$\[0\].turns\[0\].turnIndex: Field required"),
    ],
)
def test_names_what_is_malformed(folder: Path, name: str, content: Any, message: str) -> None:
    """File and field are named."""
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(MalformedDataError, match=message):
        list(open_dataset(f"precisionmembench:{folder}").cases())


def test_a_file_called_like_a_published_one_is_compared(folder: Path) -> None:
    """Invented beliefs under the published name are refused, unless a path names them or they are accepted."""
    with pytest.raises(DataMismatchError, match=r"beliefs.seed.json is not the published file"):
        open_dataset("precisionmembench", root=folder)
    assert not open_dataset("precisionmembench", root=folder, allow_unpinned=True).identity.pinned
    assert not open_dataset(f"precisionmembench:{folder}").identity.pinned


def test_says_where_it_looked(tmp_path: Path) -> None:
    """Without the files, their patterns and the folder are named."""
    with pytest.raises(DataNotFoundError, match=r"beliefs.seed.json.*MEMGAUGE_DATA"):
        open_dataset("precisionmembench", root=tmp_path)
    with pytest.raises(DataNotFoundError, match=f"at {tmp_path}"):
        open_dataset(f"precisionmembench:{tmp_path}")


@pytest.mark.data
def test_the_excerpt_has_the_known_counts() -> None:
    """Every fourth case and the first session of the real benchmark are read whole."""
    root = real_data("precisionmembench/beliefs.seed.json").parent
    dataset = open_dataset(f"precisionmembench:{root}")
    described = dataset.describe()
    names = ("beliefs", "beliefs_superseded", "beliefs_pinned", "believers", "cases", "session_turns", "questions")
    assert [described[name] for name in names] == [35, 4, 11, 2, 20, 11, 30]
    assert (described["named_sets"], described["empty_sets"], described["empty_queries"]) == (24, 6, 1)
    assert not validate(dataset)
    assert not dataset.identity.pinned
