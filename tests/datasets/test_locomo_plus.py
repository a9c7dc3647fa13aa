from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.locomo_plus.schema import days_of, lines_of
from memgauge.datasets.validate import validate
from memgauge.errors import DataMismatchError, DataNotFoundError, MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.datasets.base import Dataset


def cue(gap: str = "about two weeks later", **changes: Any) -> dict[str, Any]:
    """One record as the benchmark writes it."""
    return {
        "relation_type": "goal",
        "cue_dialogue": "A: I want to sail to Bergen.\nB: Good wind!",
        "trigger_query": "A: I bought a chart today.",
        "time_gap": gap,
        "model_name": "m",
        "final_similarity_score": 0.1,
        **changes,
    }


@pytest.fixture
def open_cues(locomo_root: Callable[[object], Path], sample: dict[str, Any]) -> Callable[..., Dataset]:
    """Write cues beside one conversation of LoCoMo and open them."""

    def write(*cues: dict[str, Any]) -> Dataset:
        root = locomo_root([sample])
        (root / "locomo_plus.json").write_text(json.dumps(cues), encoding="utf-8")
        return open_dataset("locomo_plus", root=root, allow_unpinned=True)

    return write


def test_a_cue_is_laid_at_its_gap_before_the_trigger(open_cues: Callable[..., Dataset]) -> None:
    """The trigger comes a week after the last session, and the cue stands between the sessions of its time."""
    dataset = open_cues(cue())
    (case,) = dataset.cases()
    (question,) = case.questions
    assert (question.text, str(question.asked_at)) == ("I bought a chart today.", "2023-06-08 09:00:00")
    assert [(s.id, str(s.at)) for s in case.conversation.sessions][2:4] == [
        ("s03", "2023-05-25 09:00:00"),
        ("s04", "2023-06-01 09:00:00"),
    ]
    told = case.conversation.sessions[2].turns
    assert [(t.id, t.speaker, t.text) for t in told] == [
        ("s03:t01", "Ann", "I want to sail to Bergen."),
        ("s03:t02", "Bob", "Good wind!"),
    ]
    (gold,) = dataset.gold()
    assert (gold.anchors(), gold.rubric, gold.answers) == (("s03:t01", "s03:t02"), True, ())
    assert question.category == "goal"
    assert not validate(dataset)


def test_the_pairing_is_recorded(open_cues: Callable[..., Dataset]) -> None:
    """Record i lies in conversation i mod their number, as its name and the identity say."""
    dataset = open_cues(cue(), cue(relation_type="causal"))
    assert [case.conversation.id for case in dataset.cases()] == ["plus-000:conv-1", "plus-001:conv-1"]
    assert dataset.identity.options["pairing"] == "modulo"
    assert not dataset.identity.pinned


def test_counts_gaps_and_cues_out_of_place(open_cues: Callable[..., Dataset]) -> None:
    """Gaps that are read as nothing lie at the trigger's own time; cues before the first session are counted."""
    dataset = open_cues(cue("several months later"), cue("ten years later"), cue(cue_dialogue="A: Hm."))
    first, second, _ = (case.conversation.sessions for case in dataset.cases())
    assert (first[-1].turns[0].text, str(first[-1].at)) == ("I want to sail to Bergen.", "2023-06-08 09:00:00")
    assert second[0].turns[0].text == "I want to sail to Bergen."
    described = dataset.describe()
    names = ("gaps_read_as_nothing", "cues_before_the_first_session", "cues_told_again", "questions")
    assert [described[name] for name in names] == [1, 1, 1, 3]


def test_conversations_beside_the_cues_come_first(
    open_cues: Callable[..., Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of data may hold LoCoMo too, whose conversations are other ones."""
    cases = list(open_cues(cue()).cases())
    elsewhere = tmp_path / "elsewhere" / "locomo"
    elsewhere.mkdir(parents=True)
    (elsewhere / "locomo10.json").write_text("[]", encoding="utf-8")
    monkeypatch.setenv("MEMGAUGE_DATA", str(elsewhere.parent))
    opened = open_dataset(f"locomo_plus:{tmp_path}/locomo_plus.json", allow_unpinned=True)
    assert list(opened.cases()) == cases


def test_conversations_that_are_none_are_named(open_cues: Callable[..., Dataset], tmp_path: Path) -> None:
    """There is nothing to lay a cue into."""
    open_cues(cue())
    (tmp_path / "locomo10.json").write_text("[]", encoding="utf-8")
    with pytest.raises(MalformedDataError, match=r"locomo10.json holds no conversation"):
        list(open_dataset(f"locomo_plus:{tmp_path}/locomo_plus.json", allow_unpinned=True).cases())


@pytest.mark.parametrize(
    ("gap", "days"),
    [
        ("two weeks later", 14),
        ("About a month later", 30),
        ("approximately 3 months later", 90),
        ("twelve years on", 4380),
        ("an year later", 365),
        ("a few weeks later", 0),
        ("several months later", 0),
        ("", 0),
    ],
)
def test_reads_gaps_as_upstream_does(gap: str, days: int) -> None:
    """Digits, words and articles before weeks, months and years; anything else is nothing."""
    assert days_of(gap) == days


def test_reads_lines_of_two_speakers() -> None:
    """Other lines are nobody's."""
    assert lines_of("A: Hi.\n B:Yes \nC: no\nnothing") == [("A", "Hi."), ("B", "Yes")]


def test_names_what_is_malformed(open_cues: Callable[..., Dataset]) -> None:
    """The field, or the record, is named."""
    with pytest.raises(
        MalformedDataError, match=r"locomo_plus.json: field \$\[0\].relation_type: Input should be"
    ):
        list(open_cues(cue(relation_type="mood")).cases())
    with pytest.raises(MalformedDataError, match=r"plus-000: a cue and a trigger of lines"):
        list(open_cues(cue(cue_dialogue="nobody")).cases())


def test_needs_both_files(tmp_path: Path, locomo_root: Callable[[object], Path], sample: dict[str, Any]) -> None:
    """A missing file is named, and another file than the published one is refused."""
    with pytest.raises(DataNotFoundError, match=r"No file locomo_plus.json"):
        open_dataset("locomo_plus", root=tmp_path)
    (tmp_path / "locomo_plus.json").write_text("[]", encoding="utf-8")
    with pytest.raises(DataMismatchError, match=r"is not the published locomo_plus.json"):
        open_dataset("locomo_plus", root=locomo_root([sample]))
