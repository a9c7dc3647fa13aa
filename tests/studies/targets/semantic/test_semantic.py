"""The semantic audit: cases, labels and what they say."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.llm.judges.panel import Judge
from memgauge.llm.scripted import Scripted
from memgauge.records import Target
from memgauge.studies.targets.semantic.audit import support_audit
from memgauge.studies.targets.semantic.cases import (
    CONTESTED,
    DECOY,
    RAW_HIT,
    SupportCase,
    cases,
    distinct,
    human_subset,
)
from memgauge.studies.targets.semantic.graded import SupportReport, graded
from memgauge.studies.targets.semantic.labels import (
    HUMAN,
    LABELS,
    CaseLabel,
    label_by_models,
    label_by_proxies,
    read_cases,
    read_labels,
    write_cases,
)
from memgauge.studies.targets.semantic.proxies import PROXIES
from memgauge.studies.targets.semantic.raters import decided
from memgauge.studies.targets.semantic.show import document
from support.targets import WORLD, lineup

if TYPE_CHECKING:
    from pathlib import Path


@cache
def every_case() -> list[SupportCase]:
    """Lay the runs side by side once, in the first test that asks and not where tests are collected."""
    return cases(lineup(), WORLD)


def case(name: str, arm: str = CONTESTED, question: str = "q1", rank: int = 1, place: int = 0) -> SupportCase:
    """Make a case by hand."""
    return SupportCase(
        name,
        arm,
        f"conversation of {question}",
        question,
        "fact",
        "Where is Ada?",
        "Paris",
        ("Ada: I am in Paris.",),
        "m",
        rank,
        place,
        (),
    )


def test_cases_are_what_raw_misses_and_canonical_hits() -> None:
    """Contested cases are of those questions, controls lie beside them, and none is twice in one arm."""
    arms = Counter(one.arm for one in every_case())
    assert set(arms) == {CONTESTED, RAW_HIT, DECOY}
    mask = lineup().shared(Target.RAW, Target.CANONICAL)
    expected = set()
    for number in range(len(lineup().runs)):
        raw, canonical = (
            lineup().runs[number].rows(t, "Hit@20").values > 0 for t in (Target.RAW, Target.CANONICAL)
        )
        expected |= {lineup().gold.questions[place].id for place in (mask & ~raw & canonical).nonzero()[0]}
    assert {one.question_id for one in every_case() if one.arm == CONTESTED} == expected
    assert max(Counter((one.arm, one.id) for one in every_case()).values()) == 1
    decoys = {(one.question_id, one.memory) for one in every_case() if one.arm == DECOY}
    assert not decoys & {(one.question_id, one.memory) for one in every_case() if one.arm == CONTESTED}


def test_the_order_says_nothing_about_the_arm_and_is_always_the_same() -> None:
    """Shuffled by a fixed seed; what a judge sees is hashed, and the arm is no part of it."""
    assert cases(lineup(), WORLD) == every_case()
    arms = [one.arm for one in every_case()]
    assert arms != sorted(arms)
    one = every_case()[0]
    assert replace(one, arm="other").id == one.id


def test_people_get_equal_parts_by_rank(tmp_path: Path) -> None:
    """Three strata, evenly over the questions; two people share the first cases, and see no arm."""
    many = [case(f"c{rank}-{n}", rank=rank, place=n) for rank in (1, 10, 40) for n in range(20)]
    chosen = human_subset(many, 12)
    assert Counter(one.rank for one in chosen) == {1: 4, 10: 4, 40: 4}
    assert human_subset(many, 200) == sorted(many, key=lambda one: (one.rank, one.place, one.id))
    write_cases(tmp_path, many, chosen, overlap=3)
    with (tmp_path / HUMAN).open(newline="") as file:
        sheet = list(csv.DictReader(file))
    assert Counter(row["annotator"] for row in sheet) == {"1": 12, "2": 3}
    assert "arm" not in sheet[0]
    assert read_cases(tmp_path) == many


def test_labels_are_kept_one_by_one_and_never_asked_for_twice(tmp_path: Path) -> None:
    """A judge that stopped in the middle goes on from there; what was unreadable is asked for again."""
    some = every_case()[:6]
    replies = ['{"verdict": "SUPPORTS"}', "well", '{"verdict": "NOT"}', "VERDICT: PARTIAL"]
    asked: list[str] = []

    def say(prompt: str) -> str:
        asked.append(prompt)
        return replies[(len(asked) - 1) % len(replies)]

    judge = Judge(Scripted(lambda request: say(request.messages[1].text), name="m"))
    label_by_models(tmp_path, some, [judge])
    labels = {label.case: label.label for label in read_labels(tmp_path)}
    distinct = len({one.id for one in some})
    assert len(labels) == distinct == len(asked)
    invalid = sum(label == "invalid" for label in labels.values())
    assert invalid > 0
    path = tmp_path / LABELS
    path.write_bytes(path.read_bytes() + b'{"case": "half')
    label_by_models(tmp_path, some, [judge])
    assert len(asked) == distinct + invalid
    assert "RAW" not in asked[0]
    assert not any(arm in asked[0] for arm in (CONTESTED, DECOY))


def test_what_people_fill_in_is_a_label(tmp_path: Path) -> None:
    """An empty cell is not labelled yet, and a word that is no label is refused with its line."""
    write_cases(tmp_path, [case("a"), case("b", place=1)], [case("a"), case("b", place=1)], overlap=0)
    path = tmp_path / HUMAN
    path.write_text(path.read_text().replace("a,1,,", "a,1,Supports,"))
    assert read_labels(tmp_path) == [CaseLabel("a", "person:1", "supports")]
    path.write_text(path.read_text().replace("b,1,,", "b,1,maybe,"))
    with pytest.raises(MalformedDataError, match="'maybe' is none"):
        read_labels(tmp_path)


def test_what_people_filled_in_outlives_new_cases(tmp_path: Path) -> None:
    """Cases may be extracted again, and others chosen: nobody labels twice, and no label is lost."""
    first, second = case("a"), case("b", place=1)
    write_cases(tmp_path, [first, second], [first, second], overlap=1)
    path = tmp_path / HUMAN
    path.write_text(path.read_text().replace("a,1,,", "a,1,supports,").replace("b,1,,", "b,1,not,"))
    labels = read_labels(tmp_path)
    write_cases(tmp_path, [second], [second], overlap=1)
    assert sorted(read_labels(tmp_path), key=lambda label: label.case) == labels
    with path.open(newline="") as file:
        assert [(row["case"], row["annotator"], row["label"]) for row in csv.DictReader(file)] == [
            ("b", "1", "not"),
            ("b", "2", ""),
            ("a", "1", "supports"),
        ]


def test_a_case_that_a_benchmark_asks_twice_stands_once_on_a_sheet(tmp_path: Path) -> None:
    """Two questions of one text and one evidence are one case to whoever labels it, and the best rank counts."""
    twice = [case("a", rank=9), case("a", question="q2", rank=3, place=1), case("b", place=2)]
    assert [(one.id, one.rank) for one in human_subset(twice, 9)] == [("a", 3), ("b", 1)]
    assert [one.rank for one in distinct([*twice, case("a", arm=RAW_HIT)]) if one.id == "a"] == [1, 3]
    write_cases(tmp_path, twice, human_subset(twice, 9), overlap=2)
    with (tmp_path / HUMAN).open(newline="") as file:
        asked = Counter((row["case"], row["annotator"]) for row in csv.DictReader(file))
    assert set(asked.values()) == {1}
    assert read_cases(tmp_path) == twice


def _sheet(folder: Path, *labels: str) -> Path:
    """Write a sheet in which person 1 labels case a as often as there are *labels*, as older ones were."""
    lines = [f'a,1,{label},q,g,"said\nover two lines",m' for label in labels]
    path = folder / HUMAN
    path.write_text("\n".join(["case,annotator,label,question,accepted answer,evidence,memory", *lines, ""]))
    return path


def test_one_person_does_not_say_two_things_of_one_case(tmp_path: Path) -> None:
    """The second label is refused with its file and line; neither is forgotten by extracting cases again."""
    path = _sheet(tmp_path, "supports", "not")
    before = path.read_text()
    for read in (lambda: read_labels(tmp_path), lambda: write_cases(tmp_path, [case("a")], [case("a")], 0)):
        with pytest.raises(MalformedDataError, match=r"human.csv:4: .* case a 'not', and 'supports' in line 2"):
            read()
    assert path.read_text() == before


@pytest.mark.parametrize("labels", [("supports", ""), ("", "supports"), ("supports", "Supports ")])
def test_a_row_that_stands_twice_takes_no_label_away(tmp_path: Path, labels: tuple[str, ...]) -> None:
    """Sheets from before hold a case twice; what was filled in of either is the label, before and after."""
    _sheet(tmp_path, *labels)
    for _ in range(2):
        assert read_labels(tmp_path) == [CaseLabel("a", "person:1", "supports")]
        write_cases(tmp_path, [case("a")], [case("a")], overlap=0)


def test_a_sheet_without_its_columns_is_not_written_over(tmp_path: Path) -> None:
    """Whatever stands there, it is somebody's work."""
    (tmp_path / HUMAN).write_text("case;annotator;label\na;1;supports\n")
    with pytest.raises(MalformedDataError, match="no column"):
        write_cases(tmp_path, [case("a")], [case("a")], overlap=0)
    assert "supports" in (tmp_path / HUMAN).read_text()


def test_broken_files_are_refused(tmp_path: Path) -> None:
    """No cases, a line that is no case, a line that is no label."""
    with pytest.raises(DataNotFoundError, match="no cases"):
        read_cases(tmp_path)
    (tmp_path / "cases.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(MalformedDataError, match=":1:"):
        read_cases(tmp_path)
    for text, said in (("[]\n", "not an object"), ("{\n", "not JSON"), ('{"colour": 1}\n', "colour")):
        (tmp_path / LABELS).write_text(text)
        with pytest.raises(MalformedDataError, match=said):
            read_labels(tmp_path)


def test_heuristics_are_labelled_as_such(tmp_path: Path) -> None:
    """Each says one of three things, or that nothing can be said; a raw hit fares better than a decoy."""
    label_by_proxies(tmp_path, every_case())
    label_by_proxies(tmp_path, every_case())
    labels = read_labels(tmp_path)
    assert len(labels) == len(PROXIES) * len({one.id for one in every_case()})
    assert all(name.startswith("heuristic:") for name in PROXIES)
    found = support_audit(every_case(), labels)
    shares = {
        row.arm: row.shares["supports"].mean or 0
        for row in found.rows
        if row.rater == "heuristic:J1" and row.part == "all"
    }
    assert shares[RAW_HIT] > shares[DECOY]


@pytest.mark.parametrize(
    ("memory", "labels"),
    [
        ("Ada lives in Paris now.", ("supports", "supports", "supports")),
        ("Ada saw the Louvre.", ("not", "not", "partial")),
        ("It rained.", ("not", "not", "not")),
    ],
)
def test_heuristics_count_words(memory: str, labels: tuple[str, ...]) -> None:
    """Words of the answer, of the answer in the evidence, and of question and answer in the evidence."""
    one = replace(case("a"), memory=memory)
    assert tuple(proxy(one) for proxy in PROXIES.values()) == labels
    assert PROXIES["heuristic:J1"](replace(one, gold="where")) == "invalid"


def test_majorities_ties_and_agreement_are_as_by_hand() -> None:
    """Two of three decide, and a tie is reported and decided downwards apart."""
    four = [case("a"), case("b", question="q2"), case("c", question="q3"), case("d", arm=RAW_HIT, question="q4")]
    said = {
        "x": "supports supports not supports",
        "y": "supports partial not supports",
        "z": "not invalid not supports",
    }
    labels = [
        CaseLabel(one, judge, word)
        for judge, words in said.items()
        for one, word in zip("abcd", words.split(), strict=True)
    ]
    assert decided(labels) == {"a": "supports", "b": "undecided", "c": "not", "d": "supports"}
    assert decided(labels, quorum=3)["b"] == "undecided"
    found = support_audit(four, labels)
    majority = next(row for row in found.rows if (row.rater, row.arm, row.part) == ("judges", CONTESTED, "all"))
    assert (majority.cases, majority.labelled, majority.open) == (3, 2, {"undecided": 1})
    assert found.lower is not None
    assert found.lower.shares["partial"].mean == pytest.approx(1 / 3)
    pair = next(row for row in found.pairs if (row.a, row.b) == ("x", "y"))
    assert (pair.n, pair.alike, pair.alike_binary) == (4, 0.75, 1.0)
    assert pair.kappa_binary.mean == pytest.approx(1.0)
    assert [(row.group, row.raters, row.n) for row in found.agreement] == [("judges", 3, 3)]
    assert found.raters == {"judges": ("x", "y", "z")}


def said_by(rater: str, words: str) -> list[CaseLabel]:
    """Label cases a, b, c and so on, one word each; a dash is no label."""
    return [
        CaseLabel(one, rater, word) for one, word in zip("abcdefgh", words.split(), strict=False) if word != "-"
    ]


FEW = [case(name, question=f"q{place}", place=place) for place, name in enumerate("abcd")]
FIVE = [
    *said_by("heuristic:J1", "supports supports supports supports"),
    *said_by("heuristic:J2", "supports supports supports not"),
    *said_by("heuristic:J3", "supports supports not not"),
    *said_by("person:1", "not not supports -"),
    *said_by("person:2", "not - - -"),
]


def test_every_group_agrees_on_the_cases_that_it_decided() -> None:
    """Heuristics labelled four cases, people one, and all five one: each count stands beside its own kappa."""
    found = support_audit(FEW, FIVE)
    assert [(row.group, row.raters, row.n) for row in found.agreement] == [
        ("people", 2, 1),
        ("heuristics", 3, 4),
        ("everybody", 5, 1),
    ]
    (table,) = (table for table in document(SupportReport(found, ())).tables if table.key == "support-groups")
    assert [tuple(cell.text for cell in row)[:3] for row in table.rows] == [
        ("people", "2", "1"),
        ("heuristics", "3", "4"),
        ("everybody", "5", "1"),
    ]


def test_people_are_not_outvoted_by_what_counts_words() -> None:
    """Where people labelled, their share leads; that of heuristics stands beside it, under that name."""
    shown = document(SupportReport(support_audit(FEW, FIVE), ()))
    assert shown.lead == (
        "By people, 33% of the 3 contested memories that they labelled support the answer; "
        "by heuristics, 75% of 4."
    )
    assert "2 people (person:1, person:2) and 3 heuristics (heuristic:J1" in shown.facts[0]
    assert "judge" not in shown.facts[0]
    alone = document(
        SupportReport(support_audit(FEW, [*FIVE[:12], *said_by("person:1", "not not supports -")]), ())
    )
    assert alone.lead.startswith("By person:1, 33% of the 3 ")


def test_a_label_of_no_case_is_named_and_counts_nowhere() -> None:
    """Neither in a share nor in an agreement; the first is named."""
    stray = [CaseLabel("nosuch", label.judge, "not") for label in FIVE if label.case == "a"]
    found = support_audit(FEW, [*FIVE, *stray])
    assert replace(found, unknown=()) == support_audit(FEW, FIVE)
    assert found.unknown == ("nosuch",)
    (note,) = document(SupportReport(found, ())).notes
    assert "Labels of 1 case count nowhere" in note.text
    assert "the first is nosuch" in note.text
    assert document(SupportReport(support_audit(FEW, stray), ())).lead == "No contested case has a label."


def test_a_case_that_is_asked_twice_is_counted_once() -> None:
    """What is said to be labelled are cases, however many questions they stand for."""
    found = support_audit([*FEW, case("a", question="q9", rank=7, place=9)], FIVE)
    rows = {row.rater: row for row in found.rows if row.part == "all"}
    assert (found.cases, rows["person:1"].cases, rows["person:1"].labelled) == ({CONTESTED: 4}, 4, 3)


def test_a_graded_target_lies_between_raw_and_source(tmp_path: Path) -> None:
    """All supported is Source; nothing judged is bounded by both; a worthless memory uses no anchor up."""
    label_by_proxies(tmp_path, every_case())
    for row in graded(lineup(), every_case(), decided(read_labels(tmp_path))):
        assert row.low <= row.high <= row.source + 1e-9
    nothing = graded(lineup(), every_case(), {})
    for row in nothing:
        assert row.judged == 0
        assert row.high == pytest.approx(row.source)
    worthless = graded(lineup(), every_case(), {one.id: "not" for one in every_case()})
    for before, after in zip(nothing, worthless, strict=True):
        assert after.low == pytest.approx(before.low)
        assert after.high <= before.high
    assert json.dumps([row.label for row in nothing])
