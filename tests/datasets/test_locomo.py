from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.base import HasDescendants
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.locomo.dataset import Locomo, read_categories
from memgauge.datasets.validate import validate
from memgauge.errors import DataMismatchError, MalformedDataError, UnknownNameError
from memgauge.records import EvidencePolicy, Form
from support import real_data

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _open(root: Path, ref: str = "locomo") -> Locomo:
    dataset = open_dataset(ref, root=root, allow_unpinned=True)
    assert isinstance(dataset, Locomo)
    return dataset


def test_converts_turns_and_sessions(locomo_root: Callable[[object], Path], sample: dict[str, Any]) -> None:
    """Sessions come in numeric order with their dates, texts without blanks and with captions."""
    (case,) = _open(locomo_root([sample])).cases()
    sessions = case.conversation.sessions
    assert [(s.id, str(s.at)) for s in sessions] == [
        ("session_1", "2023-05-08 13:56:00"),
        ("session_2", "2023-05-09 00:05:00"),
        ("session_10", "2023-06-01 09:00:00"),
    ]
    first = sessions[0].turns[0]
    assert (first.id, first.speaker, first.text) == ("D1:1", "Ann", "I bought a kayak. [shares image: a red boat]")
    assert first.at == sessions[0].at


def test_captions_can_be_left_out(locomo_root: Callable[[object], Path], sample: dict[str, Any]) -> None:
    """With captions=false a turn is only what was said, and the identity says so."""
    dataset = _open(locomo_root([sample]), "locomo:captions=False")
    assert next(iter(next(iter(dataset.cases())).conversation.turns())).text == "I bought a kayak."
    assert dataset.identity.options["captions"] == "false"
    assert dataset.identity.ref == "locomo:captions=false"


def test_reads_evidence_as_written_and_as_repaired(
    locomo_root: Callable[[object], Path], sample: dict[str, Any]
) -> None:
    """A malformed entry is not exact, keeps its text, and names the existing turns found in it."""
    gold = list(_open(locomo_root([sample])).gold())[1]
    assert [(e.raw, e.exact, e.turns) for e in gold.evidence] == [
        ("D:1:01; D2:1", False, ("D1:1", "D2:1")),
        ("D9:9", False, ()),
    ]
    assert gold.anchors() == ()
    assert gold.anchors(EvidencePolicy.REPAIR) == ("D1:1", "D2:1")


def test_keeps_answers_raw_and_as_text(locomo_root: Callable[[object], Path], sample: dict[str, Any]) -> None:
    """A number becomes text beside its raw value; a trap stands apart from answers."""
    golds = list(_open(locomo_root([sample])).gold())
    assert (golds[1].answers, golds[1].raw_answer) == (("2023",), 2023)
    assert (golds[3].answers, golds[3].raw_answer, golds[3].trap, golds[3].abstain) == ((), None, "a kayak", True)
    assert (golds[4].answers, golds[4].trap, golds[4].abstain) == (("No",), "Yes", True)
    assert not golds[0].abstain


def test_filters_categories_without_renaming_questions(
    locomo_root: Callable[[object], Path], sample: dict[str, Any]
) -> None:
    """Numbers and names choose categories; a question keeps the id of its place in the file."""
    dataset = _open(locomo_root([sample]), "locomo:categories=temporal+1")
    (case,) = dataset.cases()
    assert [(q.id, q.category) for q in case.questions] == [("conv-1_q1", "temporal"), ("conv-1_q5", "multi-hop")]
    assert [gold.question for gold in dataset.gold()] == ["conv-1_q1", "conv-1_q5"]
    assert dataset.identity.ref == "locomo:categories=multi-hop+temporal"


def test_leaves_out_conversations_that_nothing_is_asked_about(
    locomo_root: Callable[[object], Path], sample: dict[str, Any]
) -> None:
    """A conversation without a question of the chosen categories is not replayed for nothing."""
    other = sample | {"sample_id": "conv-2", "qa": sample["qa"][:1]}
    dataset = _open(locomo_root([sample, other]), "locomo:categories=5")
    assert [case.conversation.id for case in dataset.cases()] == ["conv-1"]
    assert dataset.describe()["captions"] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [("all", "all"), ("1+2+3+4+5", "all"), ("4+1", "multi-hop+single-hop"), ("adversarial", "adversarial")],
)
def test_categories_have_one_spelling(text: str, expected: str) -> None:
    """However categories are written, the identity spells them in one way."""
    assert read_categories(text) == expected


def test_an_unknown_category_is_answered_with_the_known_ones() -> None:
    """A misspelt category names its neighbour."""
    with pytest.raises(UnknownNameError, match="temporal"):
        read_categories("temporel")


def test_gives_derived_memories_with_their_sources(
    locomo_root: Callable[[object], Path], sample: dict[str, Any]
) -> None:
    """Observations name their turns in all three spellings; a summary descends from its whole session."""
    dataset = _open(locomo_root([sample]))
    assert isinstance(dataset, HasDescendants)
    derived = dataset.descendants("conv-1")
    assert [(m.id, m.form, m.sources) for m in derived["observation"]] == [
        ("conv-1/obs/0", Form.CANONICAL, ("D1:1",)),
        ("conv-1/obs/1", Form.CANONICAL, ("D1:1", "D1:2")),
        ("conv-1/obs/2", Form.CANONICAL, ("D1:2", "D1:1")),
    ]
    assert [(m.id, m.form, m.sources) for m in derived["summary"]] == [
        ("conv-1/sum/0", Form.SUMMARY, ("D1:1", "D1:2")),
        ("conv-1/sum/1", Form.SUMMARY, ("D10:1",)),
    ]
    with pytest.raises(UnknownNameError, match="conv-1"):
        dataset.descendants("conv-2")


def test_describes_what_is_odd(locomo_root: Callable[[object], Path], sample: dict[str, Any]) -> None:
    """Malformed evidence, missing evidence and repeated questions are all named."""
    described = _open(locomo_root([sample])).describe()
    assert described["malformed_evidence"] == [
        {
            "question": "conv-1_q1",
            "category": "temporal",
            "raw": "D:1:01; D2:1",
            "repaired_to": ["D1:1", "D2:1"],
        },
        {"question": "conv-1_q1", "category": "temporal", "raw": "D9:9", "repaired_to": []},
    ]
    assert described["without_evidence"] == ["conv-1_q2"]
    assert described["duplicate_questions"] == [["conv-1_q0", "conv-1_q5"]]
    assert (described["scored_strict"], described["scored_repair"], described["with_evidence"]) == (4, 5, 5)
    assert described["pinned"] is False


def test_refuses_another_file(locomo_root: Callable[[object], Path], sample: dict[str, Any]) -> None:
    """A file that is not the published one is refused, with both hashes and the way out."""
    with pytest.raises(DataMismatchError, match=r"79fa87e9.*--allow-unpinned"):
        open_dataset("locomo", root=locomo_root([sample]))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("[\n  {", r"locomo10\.json is not JSON: .* line 2, column \d+"),
        ("[]]", "line 1, column 3"),
    ],
)
def test_broken_json_is_located(locomo_root: Callable[[object], Path], damage: str, message: str) -> None:
    """Text that is not JSON is refused with its line and column."""
    with pytest.raises(MalformedDataError, match=message):
        list(_open(locomo_root(damage)).cases())


def test_broken_text_is_located(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are refused with their position."""
    (tmp_path / "locomo10.json").write_bytes(b'["\xff"]')
    with pytest.raises(MalformedDataError, match="not UTF-8: byte 2"):
        list(_open(tmp_path).cases())


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("qa", 1, "category"), 6, r"\$\[0\]\.qa\[1\]\.category: "),
        (("qa", 1, "answer"), [1], r"\$\[0\]\.qa\[1\]\.answer: "),
        (("conversation", "session_1", 1, "text"), 7, r"\$\[0\]\.conversation\.session_1\[1\]\.text: "),
        (
            ("observation", "session_1_observation", "Ann", 0),
            ["x", 1],
            r"\.session_1_observation\.Ann\[0\]\[1\]: ",
        ),
        (("conversation", "session_1"), "hello", "conv-1, field session_1: a list of turns"),
        (("conversation", "session_1_date_time"), [], "field session_1_date_time: the date is missing"),
        (("conversation", "session_1_date_time"), "soon", "field session_1_date_time: 'soon' is not a date"),
    ],
)
def test_a_wrong_field_is_named(
    locomo_root: Callable[[object], Path],
    sample: dict[str, Any],
    place: tuple[str | int, ...],
    value: object,
    message: str,
) -> None:
    """A field that is not what it must be is refused by its place."""
    target: Any = sample
    for part in place[:-1]:
        target = target[part]
    target[place[-1]] = value
    with pytest.raises(MalformedDataError, match=message):
        list(_open(locomo_root([sample])).cases())


@pytest.fixture(scope="module")
def real() -> Locomo:
    """Open the published file."""
    dataset = open_dataset("locomo", root=real_data("locomo/locomo10.json").parent)
    assert isinstance(dataset, Locomo)
    return dataset


@pytest.mark.data
def test_real_file_has_the_published_counts(real: Locomo) -> None:
    """The published file gives the counts that the literature and our own audit agree on."""
    expected = {
        "conversations": 10,
        "sessions": 272,
        "turns": 5882,
        "questions": 1986,
        "with_evidence": 1982,
        "scored_strict": 1977,
        "scored_repair": 1982,
        "abstention": 446,
        "categories": {
            "multi-hop": 282,
            "temporal": 321,
            "open-domain": 96,
            "single-hop": 841,
            "adversarial": 446,
        },
        "captions": 1226,
        "pinned": True,
        "without_evidence": ["conv-26_q30", "conv-26_q46", "conv-50_q39", "conv-50_q42"],
        "sha256": "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
    }
    described = real.describe()
    assert {key: described[key] for key in expected} == expected
    assert validate(real) == []


@pytest.mark.data
def test_real_categories_by_conversation(real: Locomo) -> None:
    """Every conversation has its known number of questions of each category."""
    names = ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")
    found = {
        case.conversation.id: "/".join(str(Counter(q.category for q in case.questions)[name]) for name in names)
        for case in real.cases()
    }
    assert found == {
        "conv-26": "32/37/13/70/47",
        "conv-30": "11/26/0/44/24",
        "conv-41": "31/27/8/86/41",
        "conv-42": "37/40/11/111/61",
        "conv-43": "31/26/14/107/64",
        "conv-44": "30/24/7/62/35",
        "conv-47": "20/34/13/83/40",
        "conv-48": "21/42/10/118/48",
        "conv-49": "37/33/13/73/40",
        "conv-50": "32/32/7/87/46",
    }
    shape = [(len(c.conversation.sessions), sum(1 for _ in c.conversation.turns())) for c in real.cases()]
    assert [sessions for sessions, _ in shape] == [19, 19, 32, 29, 29, 28, 31, 30, 25, 30]
    assert [turns for _, turns in shape] == [419, 369, 663, 629, 680, 675, 689, 681, 509, 568]


@pytest.mark.data
def test_real_evidence(real: Locomo) -> None:
    """Lengths of evidence lists, and every malformed entry with its repair, are the known ones."""
    lengths = Counter(len(gold.evidence) for gold in real.gold())
    assert lengths == {
        0: 4, 1: 1559, 2: 239, 3: 83, 4: 58, 5: 20, 6: 6, 7: 7, 8: 2, 9: 2, 10: 2, 11: 2, 17: 1, 19: 1,
    }  # fmt: skip
    entries: Any = real.describe()["malformed_evidence"]
    assert [(e["question"], e["category"], e["raw"], e["repaired_to"]) for e in entries] == [
        ("conv-26_q37", "multi-hop", "D8:6; D9:17", ["D8:6", "D9:17"]),
        ("conv-42_q58", "multi-hop", "D10:19", []),
        ("conv-42_q88", "single-hop", "D", []),
        ("conv-43_q18", "multi-hop", "D:11:26", ["D11:26"]),
        ("conv-47_q38", "multi-hop", "D4:36", []),
        ("conv-49_q31", "open-domain", "D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]),
        ("conv-49_q38", "open-domain", "D22:1 D22:2 D9:10 D9:11", ["D22:1", "D22:2", "D9:10", "D9:11"]),
        ("conv-49_q46", "open-domain", "D21:18 D21:22 D11:15 D11:19", ["D21:18", "D21:22", "D11:15", "D11:19"]),
        ("conv-50_q69", "temporal", "D30:05", ["D30:5"]),
    ]
    assert sum(e.exact for gold in real.gold() for e in gold.evidence) == 2806


@pytest.mark.data
def test_real_scored_questions_by_category(real: Locomo) -> None:
    """Strictly resolvable questions by category, and those with evidence after the first session, are as known."""
    strict: Counter[str] = Counter()
    later: Counter[str] = Counter()
    for case in real.cases():
        session_of = {turn.id: int(turn.session.removeprefix("session_")) for turn in case.conversation.turns()}
        golds = {gold.question: gold for gold in real.gold()}
        for question in case.questions:
            if anchors := golds[question.id].anchors():
                strict[question.category] += 1
                later[question.category] += max(session_of[turn] for turn in anchors) > 1
    assert strict == {"multi-hop": 281, "temporal": 320, "open-domain": 89, "single-hop": 841, "adversarial": 446}
    assert later == {"multi-hop": 278, "temporal": 304, "open-domain": 84, "single-hop": 812, "adversarial": 433}


@pytest.mark.data
def test_real_answers_traps_and_duplicates(real: Locomo) -> None:
    """Six answers are numbers, two traps come with an answer, twelve questions are repeated."""
    golds = list(real.gold())
    assert sum(isinstance(gold.raw_answer, int) for gold in golds) == 6
    assert [g.question for g in golds if g.trap and g.answers] == ["conv-26_q167", "conv-26_q178"]
    assert all(gold.trap is not None for gold in golds if gold.abstain)
    duplicates: Any = real.describe()["duplicate_questions"]
    assert len(duplicates) == 12
    assert ["conv-30_q61", "conv-30_q95"] in duplicates


@pytest.mark.data
def test_real_errata(real: Locomo) -> None:
    """All 158 doubts join; 100 concern the answer, with the known spread over categories."""
    described: Any = real.describe()["errata"]
    assert described["total"] == 158
    assert described["corrupts_answer"] == 100
    categories = {q.id: q.category for case in real.cases() for q in case.questions}
    corrupt = Counter(categories[g.question] for g in real.gold() if g.erratum and g.erratum.corrupts_answer)
    assert corrupt == {"multi-hop": 28, "temporal": 26, "open-domain": 9, "single-hop": 36, "adversarial": 1}


@pytest.mark.data
def test_real_derived_memories(real: Locomo) -> None:
    """The observations and summaries have the known numbers and sources."""
    derived = {c.conversation.id: real.descendants(c.conversation.id) for c in real.cases()}
    observed = [(key, memory) for key, kinds in derived.items() for memory in kinds["observation"]]
    assert len(observed) == 2541
    assert len({(key, turn) for key, memory in observed for turn in memory.sources}) == 2387
    assert sum(len(memory.sources) > 1 for _, memory in observed) == 15
    assert sum(len(kinds["summary"]) for kinds in derived.values()) == 272
