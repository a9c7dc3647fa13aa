"""Changed benchmarks: valid, identified, repeatable, and the same but for the change."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.changed.kind import CHANGES, changed_ref
from memgauge.datasets.validate import validate
from memgauge.errors import ConfigError, DataError, UnknownNameError

if TYPE_CHECKING:
    from memgauge.datasets.base import Dataset
    from memgauge.records import Gold, Question, Turn

TINY = "synthetic:tiny,seed=2"
EVERY = pytest.mark.parametrize("change", sorted(CHANGES))


def opened(change: str, source: str = TINY, **options: int) -> Dataset:
    """Open a changed benchmark."""
    return open_dataset(changed_ref(change, source, **options))


def turns(dataset: Dataset) -> list[Turn]:
    """List everything that is said."""
    return [turn for case in dataset.cases() for turn in case.conversation.turns()]


def questions(dataset: Dataset) -> list[Question]:
    """List everything that is asked."""
    return [question for case in dataset.cases() for question in case.questions]


@EVERY
def test_a_changed_dataset_keeps_the_laws_and_opens_by_its_own_text(change: str) -> None:
    """It is valid, its text opens it again, and it is never taken for its source."""
    dataset = opened(change)
    assert validate(dataset) == []
    assert open_dataset(dataset.identity.ref).identity == dataset.identity
    assert dataset.identity.sha256 != open_dataset(TINY).identity.sha256
    assert dataset.identity.options["of"] == TINY
    assert dataset.describe()["sha256"] == dataset.identity.sha256


def test_identities_differ_by_source_change_and_parameter() -> None:
    """No two changed datasets that may differ have one digest."""
    refs = [changed_ref(change, TINY) for change in CHANGES]
    refs += [changed_ref("renamed-ids", "synthetic:tiny"), changed_ref("renamed-ids", TINY, seed=1)]
    refs += [
        changed_ref("shifted-clock", TINY, years=2),
        changed_ref("renamed-ids", changed_ref("shifted-clock", TINY)),
    ]
    digests = {open_dataset(ref).identity.sha256 for ref in refs}
    assert len(digests) == len(refs)


def test_changes_are_made_one_after_the_other() -> None:
    """A changed dataset can be changed again, and its text still opens it."""
    ref = changed_ref("renamed-ids", changed_ref("shifted-clock", TINY, years=3), seed=4)
    twice = open_dataset(ref)
    assert twice.identity.ref == ref
    assert validate(twice) == []
    assert [turn.text for turn in turns(twice)] == [turn.text for turn in turns(opened("shifted-clock", years=3))]


@pytest.mark.parametrize(
    ("ref", "error"),
    [
        ("changed", ConfigError),
        ("changed:renamed-ids", ConfigError),
        ("changed:renamed-id,of=synthetic", UnknownNameError),
        ("changed:renamed-ids,of=synthetics", UnknownNameError),
        ("changed:renamed-ids,of=synthetic,of.sed=3", UnknownNameError),
        ("changed:removed-evidence,of=synthetic,seed=3", ConfigError),
        ("changed:renamed-ids,of=synthetic,seed=three", ConfigError),
        ("changed:renamed-ids,of=own:/nowhere", DataError),
    ],
)
def test_mistakes_are_named(ref: str, error: type[Exception]) -> None:
    """What cannot be opened says why."""
    with pytest.raises(error):
        open_dataset(ref)


def test_ids_are_others_everywhere_and_nothing_else_is() -> None:
    """Texts, times and categories stay; evidence names the same turns under their new ids."""
    old, new = open_dataset(TINY), opened("renamed-ids")
    assert [t.text for t in turns(old)] == [t.text for t in turns(new)]
    assert {t.id for t in turns(old)}.isdisjoint(t.id for t in turns(new))
    assert {t.session for t in turns(old)}.isdisjoint(t.session for t in turns(new))
    assert {q.id for q in questions(old)}.isdisjoint(q.id for q in questions(new))
    names = [(t.id, n.id) for t, n in zip(turns(old), turns(new), strict=True)]
    by_place = {new_id: old_id for old_id, new_id in names}
    for before, after in zip(old.gold(), new.gold(), strict=True):
        assert [by_place[turn] for turn in after.anchors()] == list(before.anchors())
        assert not any(old_id in entry.raw for entry in after.evidence for old_id in before.anchors())


def test_removed_evidence_leaves_nothing_to_be_found() -> None:
    """No evidence of any question is said any more, and the right reply is that nobody says so."""
    old, new = open_dataset(TINY), opened("removed-evidence")
    gone = {
        (q.conversation, turn) for q, g in zip(questions(old), old.gold(), strict=True) for turn in g.anchors()
    }
    left = {(case.conversation.id, turn.id) for case in new.cases() for turn in case.conversation.turns()}
    assert gone
    assert gone.isdisjoint(left)
    assert len(left) + len(gone) == len(turns(old))
    golds: list[Gold] = list(new.gold())
    assert all(gold.abstain and not gold.anchors() and not gold.answers for gold in golds)
    assert [q.text for q in questions(new)] == [q.text for q in questions(old)]


def test_removed_bystanders_move_places_and_keep_what_is_asked_for() -> None:
    """The first turn that nobody needs is gone, evidence is all there, gold is the same."""
    old, new = open_dataset(TINY), opened("removed-bystanders")
    assert 0 < len(turns(old)) - len(turns(new)) <= 2 + len(turns(old)) * 2 // 100
    assert [gold.anchors() for gold in new.gold()] == [gold.anchors() for gold in old.gold()]


def test_questions_are_asked_early_in_place_and_again() -> None:
    """Ids tell which is which; those in place are as they were, and early gold knows what was said by then."""
    old, new = open_dataset(TINY), opened("questions-twice")
    own = {q.id: q for q in questions(old)}
    assert [q for q in questions(new) if q.id in own] == list(own.values())
    assert len(questions(new)) == 3 * len(own)
    firsts = {case.conversation.id: case.conversation.sessions[0] for case in old.cases()}
    for question, gold in zip(questions(new), new.gold(), strict=True):
        if question.id.endswith("~early"):
            heard = {turn.id for turn in firsts[question.conversation].turns}
            assert question.after_session == firsts[question.conversation].id
            assert heard.issuperset(gold.anchors())


def test_the_bytes_do_not_depend_on_the_hash_seed() -> None:
    """Two processes with other hash seeds change a dataset alike."""
    code = (
        "from memgauge.datasets.catalogue import open_dataset\n"
        "from memgauge.datasets.changed.kind import CHANGES, changed_ref\n"
        "from hashlib import sha256\n"
        "sets = [open_dataset(changed_ref(c, 'synthetic:tiny')) for c in CHANGES]\n"
        "print(sha256(repr([(list(d.cases()), list(d.gold())) for d in sets]).encode()).hexdigest())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
