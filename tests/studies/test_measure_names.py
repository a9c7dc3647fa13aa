"""What boards, comparisons, gates and studies print as the name of a measure is read back by the one parser."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError
from memgauge.llm.answerers import open_answerer
from memgauge.measures import Reads, parse
from memgauge.records import BOARD, Contract, Verdict
from memgauge.report import answers, board, compared, judges, memories
from memgauge.runs.layers.answering import answer_run
from memgauge.runs.layers.layer import layers
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.answered import DEFAULT, entry
from memgauge.scoring.compare import compare
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.judged_board import JudgedAnswers, judged_board
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.quality import NAMES
from memgauge.scoring.score import DEFAULT_MEASURES, Settings
from memgauge.scoring.verify import verify
from memgauge.scoring.written import WrittenEntry
from memgauge.show.markdown import markdown
from memgauge.studies.quality import gate_show
from memgauge.studies.quality import show as quality_show
from memgauge.studies.quality.gate import gate
from memgauge.studies.quality.study import PUBLISHED_AS, measure_quality
from memgauge.studies.shift import show as shift_show
from memgauge.studies.targets.lineup import AuditSpec
from support.players import AsPlayers
from support.shift_result import reported, study
from support.web import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.show import Document

WORLD = "synthetic:tiny"
CUT = re.compile(r"(?<![\w(./#-])[A-Za-z][\w-]*(?:\([\w=]+\))?@\d+(?:tok)?\b")
"""A measure with a cutoff, wherever it stands in a text."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, ...]:
    """Run a system and a baseline, answer from both, and let a judge look at the answers of one."""
    folders = execute(
        plan([WORLD], ["bm25", "recency"]), tmp_path_factory.mktemp("named"), executor=AsPlayers(), check=False
    )
    for folder in folders:
        answer_run(load(folder), open_dataset(WORLD), open_answerer("first"))
    judge(folders[0])
    return tuple(load(folder) for folder in folders)


@pytest.fixture(scope="module")
def gold() -> GoldTable:
    """Read the gold of the world."""
    return GoldTable.read(open_dataset(WORLD))


def names(value: Any) -> Iterator[str]:
    """Yield what a result calls a measure: fields of that name, and the keys of its scores."""
    if is_dataclass(value) and not isinstance(value, type):
        yield from names({field.name: getattr(value, field.name) for field in fields(value)})
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in {"measure", "measures", "metric", "metrics"} and isinstance(inner, str | tuple | list):
                yield from [inner] if isinstance(inner, str) else map(str, inner)
            elif key == "scores" and isinstance(inner, dict):
                yield from map(str, inner)
            yield from names(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from names(inner)


def unread(texts: Iterable[str]) -> list[str]:
    """Return the names that are not read back as they stand; there must be some to be read."""
    listed = list(texts)
    assert listed
    return [text for text in listed if str(parse(text)) != text]


def unread_on(document: Document) -> list[str]:
    """Return the measures with a cutoff that a page prints and that are not read back as they stand."""
    return unread(CUT.findall(markdown(document).replace("\\", "")))


def columns_of(document: Document, *beside: str) -> list[str]:
    """Return the heads of the first table but those that name no measure."""
    return [column.head for column in document.blocks[0].columns if column.head not in beside]  # type: ignore[union-attr] # the first block is a table


def test_boards_and_comparisons(runs: tuple[Run, ...], gold: GoldTable) -> None:
    """Scores, ranks, curves, notes and differences name measures that parse, whatever they are read from."""
    settings = Settings(BOARD, (*DEFAULT_MEASURES, "RecallCurve", *NAMES))
    (built,) = leaderboards([run.folder for run in runs], settings)
    made = compare(runs[0], runs[1], gold, settings)
    assert unread(names(built.board)) == []
    assert unread(names(made)) == []
    assert unread([*DEFAULT_MEASURES, *NAMES]) == []
    assert unread_on(board.document(built.board)) == []
    assert unread_on(compared.document(made)) == []


def test_the_quality_study_and_its_gate(runs: tuple[Run, ...]) -> None:
    """Its columns beside the document's own headings, and what a gate checks."""
    dataset = open_dataset(WORLD)
    quality = measure_quality(dataset, [("BM25", runs[0]), ("recency", runs[1])])
    assert unread(name for row in quality.rows for name in names(row)) == []
    assert unread(PUBLISHED_AS.values()) == []
    gated = gate(runs[0], runs[1], dataset)
    assert unread(names(gated)) == []
    assert unread_on(quality_show.document(quality)) == []
    assert unread_on(gate_show.document(gated)) == []


def test_answers_and_what_judges_say_of_them(runs: tuple[Run, ...], gold: GoldTable) -> None:
    """Every head of the table of answers, and every score of a judged board, categories included."""
    (layer,) = layers(runs[0], "answers")
    measures = (*DEFAULT, "F1(articles)", "ROUGE-L", "Typed", "LoCoMo_as_published", "Supported(words)")
    scored = entry(runs[0], layer, gold, Contract(), measures)
    assert unread(names(scored)) == []
    assert unread(columns_of(answers.document([scored]), "system", "tokens")) == []
    (verdicts,) = layers(runs[0], "verdicts")
    verdicts.manifest.maker["panel"] = {"judges": ["a judge"], "quorum": 1}
    judged = judged_board([JudgedAnswers(runs[0], layer, verdicts, gold, {})], None)
    assert unread(names(judged)) == []
    assert unread(names(judges.document(judged, "uncertified", categories=True).data)) == []


def test_what_was_stored(runs: tuple[Run, ...]) -> None:
    """The heads of HaluMem's table."""
    rates: Mapping[str, float | None] = {"correct": 0.5}
    stored = WrittenEntry(
        str(runs[0].folder), "bm25", "a judge", 0.5, 0.5, 0.5, 0.5, 0.5, rates, rates, {"point": 1}, 0
    )
    assert unread(columns_of(memories.writes_document([stored]), "system", "open")) == []


def test_shifts_and_targets() -> None:
    """Recovery in every table and note of the shift study, and the metrics of an audit."""
    assert unread_on(shift_show.document(reported(*study()))) == []
    assert unread(AuditSpec(k=20).metrics) == []


def test_a_score_is_given_of_what_hits_say(runs: tuple[Run, ...]) -> None:
    """Time and contradiction are scored from a run, rank nobody, and say why."""
    (built,) = leaderboards(
        [run.folder for run in runs], Settings(BOARD, ("Contaminated@5", "Temporal(strict)@5"))
    )
    values = [each.scores["Contaminated@5"].value or 0.0 for each in built.board.entries]
    assert values == sorted(values)
    assert values[-1] > 0
    assert all(each.rank is None for each in built.board.entries)
    lead = board.document(built.board).lead
    assert f"Nobody is ranked: Contaminated@5 is read from {Reads.FACTS}" in str(lead)


def test_scores_of_silence_are_recomputed(tmp_path: Path) -> None:
    """Nothing is returned and something is right: no forgery, for it was no hit that earned it."""
    (folder,) = execute(plan([WORLD], ["none"]), tmp_path, executor=Inline(), check=False)
    (built,) = leaderboards([folder], Settings(BOARD, ("Recall@5", "SilentRightly", "Omitted@5")))
    built.write_scores()
    (score,) = [check for check in verify(folder) if check.subject.startswith("scores/")]
    assert score.verdict is Verdict.PASS, score
    assert built.board.entries[0].scores["Omitted@5"].value == 1


def test_failed_searches_are_worth_the_worst_where_failures_count(tmp_path: Path) -> None:
    """To raise is neither to be silent nor to contradict nobody: no merit, whichever way is better."""
    (folder,) = execute(plan([WORLD], ["faulty:raises"]), tmp_path, executor=Inline(), check=False)
    names_of_harm = ("SilentRightly", "Temporal(strict)@5", "Contaminated@5", "SilentWrongly")
    (built,) = leaderboards([folder], Settings(BOARD, names_of_harm))
    values = [built.board.entries[0].scores[name].value for name in names_of_harm]
    assert [value for value in values if value is not None] == [0, 0, 1, 1]


def test_less_is_better_where_a_measure_counts_harm(runs: tuple[Run, ...], gold: GoldTable) -> None:
    """A comparison counts a question with less harm as won, and the difference keeps its sign."""
    settings = Settings(BOARD, ("Contaminated@5", "Recall@5"))
    harm, recall = compare(runs[0], runs[1], gold, settings).differences
    back = compare(runs[1], runs[0], gold, settings).differences[0]
    assert (harm.wins, harm.losses, harm.difference) == (back.losses, back.wins, -back.difference)
    assert (harm.difference < 0) == (harm.wins > harm.losses)
    assert (recall.difference > 0) == (recall.wins > recall.losses)


def test_what_a_score_does_not_have_is_refused_by_name(runs: tuple[Run, ...]) -> None:
    """The sentence names the command that gives it."""
    for name, command in (
        ("F1", "models answer RUN"),
        ("Judged", "models judge RUN"),
        ("Recovery@5", "study shift run"),
    ):
        with pytest.raises(ConfigError, match=rf"{name} is read from .*`memgauge {command}"):
            leaderboards([runs[0].folder], Settings(BOARD, ("Recall@5", name)))
