"""What claims are worth: texts that bear their turns, and texts of systems that want to win."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.errors import RunError
from memgauge.measures import parse
from memgauge.records import BOARD, Contract
from memgauge.runs.layers.layer import LayerManifest, write_layer
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.store import load
from memgauge.scoring.align import NO_TEXTS, align
from memgauge.scoring.coverage import coverage
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.said import Conversations, ConversationText
from memgauge.scoring.witness import ClaimReading, verdicts_of
from support.handmade import conversation, five_questions, many_questions, planned

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.runs.record.store import Run

GOLD = GoldTable.read(five_questions())
SAID = ConversationText.of(conversation())
EVERY = tuple(SAID.turns)
WRITTEN = (4 + 3 / 9) / 5
"""The turns that there are when each of five questions is asked, one of them after the first of three sessions."""
WHOLE = "\n".join(turn.text for turn in SAID.turns.values())


def shares(text: str, *claimed: str) -> Mapping[str, float]:
    """Lay a text beside all that it claims."""
    reading = ClaimReading(text, claimed or EVERY, SAID)
    return {turn: reading.share(turn) for turn in EVERY}


def test_what_repeats_turns_bears_them_wholly() -> None:
    """A whole conversation, in whatever case, bears every turn; a single turn bears itself, whatever it claims."""
    assert set(shares(WHOLE.upper()).values()) == {1.0}
    only = dict(shares("Ben said: I moved to Porto in March."))
    assert only.pop("t4") == 1.0
    assert max(only.values()) < 1


def test_turns_that_are_not_claimed_are_not_borne() -> None:
    """A text is asked about what it claims and about nothing else."""
    assert shares(WHOLE, "t4") == {turn: float(turn == "t4") for turn in EVERY}


@pytest.mark.parametrize(
    "text",
    ["", "ok", "Ada Ben", "it is the a of and to in", "What about 3?", "Zyzzyva quokka 17", "\u2603\u2603"],
)
def test_a_text_that_says_nothing_bears_nothing(text: str) -> None:
    """Names, function words, echoes and strange words bear no turn, however many they claim."""
    assert set(shares(text).values()) == {0.0}


def test_an_abstract_bears_its_turn_as_far_as_it_has_room() -> None:
    """Other words for a turn earn most of it; the same words of three turns at once earn less of each."""
    alone = shares("In March, Ben moved home to Porto", "t4")["t4"]
    assert alone == 1.0
    scattered = shares("adopted Mist, moved Porto, broke lamp", "t1", "t4", "t7")
    assert 0 < scattered["t1"] == scattered["t4"] == scattered["t7"] < 0.75


def test_fingerprints_never_bear_more_than_their_length() -> None:
    """Two words of every turn bear no more of each than the power of their length allows, and less in all."""
    marks = " ".join(" ".join(sorted(turn.text.split(), key=len)[-2:]) for turn in SAID.turns.values())
    borne = [share for share in shares(marks).values() if share < 1]
    assert max(borne) <= 0.9
    assert sum(shares(marks).values()) < len(EVERY)


def test_boards_believe_texts_and_papers_believe_claims(runs: dict[str, Run]) -> None:
    """Verbatim memories lose nothing under the witness, and nothing is unwitnessed where texts are there."""
    for system in ("Notebook", "Backwards"):
        claimed, borne = (align(runs[f"five {system}"], GOLD, contract, 60) for contract in (Contract(), BOARD))
        assert borne.unwitnessed == 0
        for name in ("nDCG@10", "MRR", "Hit@5", "Complete@10", "Recall@2000tok", "RecallCurve"):
            assert np.array_equal(claimed.rows(parse(name)).values, borne.rows(parse(name)).values), name


def test_who_claims_all_and_says_little_earns_little(tmp_path: Path) -> None:
    """One memory "ok" that claims every turn is believed by papers, and bears nothing on a board."""
    (folder,) = execute(planned(five_questions(), "support.systems:Ok"), tmp_path, executor=Inline(), check=False)
    run, recall = load(folder), parse("Recall@10")
    assert align(run, GOLD, Contract(), 60).rows(recall).values.sum() == 3
    judged = align(run, GOLD, BOARD, 60)
    assert judged.rows(recall).values.sum() == 0
    assert judged.scored.sum() == 3
    assert coverage(judged) == pytest.approx((0.0, WRITTEN))


def test_questions_without_evidence_can_count_as_misses(runs: dict[str, Run]) -> None:
    """Both denominators come from one run: ours leaves such questions out, theirs counts them as misses."""
    ours, theirs = (
        align(runs["five Notebook"], GOLD, Contract.parse(text), 60).rows(parse("Hit@10"))
        for text in ("", "unlabelled=miss")
    )
    assert (ours.defined.sum(), theirs.defined.sum()) == (3, 5)
    assert ours.values.sum() == theirs.values.sum() == 3
    assert ours.values[ours.defined].mean() == 1.0
    assert theirs.values[theirs.defined].mean() == 3 / 5


def test_coverage_counts_turns_and_not_characters(runs: dict[str, Run]) -> None:
    """All turns that were written are what can be returned; a turn that is cut counts for the share that fits."""
    judged = align(runs["five Notebook"], GOLD, BOARD, 60)
    assert coverage(judged) == pytest.approx((WRITTEN, WRITTEN))
    near = align(runs["five Notebook"], GOLD, BOARD, 3)
    assert coverage(near) == pytest.approx((3 / 9, 3 / 9))
    first = -(-len(SAID.turns["t1"].text) // 4)
    assert coverage(judged, first) == pytest.approx((1 / 9, 1 / 9))
    cut = coverage(judged, first - 3)
    assert cut is not None
    assert cut.borne == pytest.approx((first - 3) / first / 9)


def test_copies_keep_their_lengths_where_texts_were_left_out(runs: dict[str, Run], tmp_path: Path) -> None:
    """A hash tells which turn a memory repeats; of others nobody knows what they cost or bear, and says so."""
    scores = {}
    for system in ("Notebook", "Digest"):
        path = bundle(runs[f"five {system}"].folder, tmp_path / f"{system}.zip", without_text=True)
        with unbundled(path) as folder:
            judged = align(load(folder), GOLD, BOARD, 60)
            scores[system] = judged.rows(parse("Recall@20tok")), judged.unwitnessed, judged
    whole = align(runs["five Notebook"], GOLD, BOARD, 60).rows(parse("Recall@20tok"))
    assert np.array_equal(scores["Notebook"][0].values, whole.values)
    assert scores["Notebook"][1] == 0
    rows, unwitnessed, judged = scores["Digest"]
    assert unwitnessed > 0
    assert not rows.defined.any()
    assert judged.denominator(rows).excluded[NO_TEXTS] == 3


def test_a_models_verdicts_are_read_from_its_layer(tmp_path: Path) -> None:
    """Without the layer an error says which command makes it; with it, what it does not call borne is not."""
    (folder,) = execute(
        planned(many_questions(1, 2), "support.systems:Notebook"), tmp_path, executor=Inline(), check=False
    )
    run, gold = load(folder), GoldTable.read(many_questions(1, 2))
    with pytest.raises(RunError, match="models witness"):
        align(run, gold, Contract.parse("witness=model", BOARD), 60)
    rows = [
        {
            "key": f"{memory} {turn}",
            "memory": int(memory),
            "turn": turn,
            "borne": int(memory) < 9,
            "grade": "borne",
        }
        for memory, turn in zip(run.sources["memory"], run.sources["turn"], strict=True)
    ]
    manifest = LayerManifest(kind="witness", base=run.seal.content, label="scripted", maker={"model": "scripted"})
    write_layer(run, manifest, [row["key"] for row in rows], lambda keys: (r for r in rows if r["key"] in keys))
    assert sum(verdicts_of(run).values()) == 9
    judged = align(run, gold, Contract.parse("witness=model", BOARD), 60)
    assert judged.rows(parse("Recall@60")).values.tolist() == [1.0, 1.0]
    assert judged.rows(parse("Recall@2tok")).values.tolist() == [0.0, 0.0]


def test_conversations_are_read_once_and_let_go() -> None:
    """What was read stays at hand; what the dataset does not have is left out."""
    dataset = many_questions()
    held = Conversations({}, {}, dataset)
    names = [case.conversation.id for case in dataset.cases()]
    assert [name for name, _ in held.said([*names, "nobody"])] == names
    assert dict(held.said(names[:1]))[names[0]] is dict(held.said(names[:1]))[names[0]]
    assert list(Conversations().said(["c1"])) == []
