"""What scored runs say: their document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Document, Note, Notes, Tone
from memgauge.show.numbers import between, listed, number, plural
from memgauge.studies.track.kinds import SCORES
from memgauge.studies.track.play.played import QuestionEnding
from memgauge.studies.track.scoring.method import MOST_LOST
from memgauge.studies.track.tables import histories_counted, tables
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.show import Block
    from memgauge.studies.track.scoring.scored import RunScores, TrackScores

_IDENTITY = ("label", "memgauge", "seed", "repeats", "sandbox")


def document(scores: TrackScores, played_blocks: Sequence[Block] = (), *, onward: str = "") -> Document:
    """Say how runs went; *played_blocks* is what a page shows of every call."""
    return Document(
        title="Track study",
        lead=verdict(scores),
        blocks=(Notes(tuple(_notes(scores))), *tables(scores), *played_blocks),
        next=onward,
        origin="what was played",
        identity=_identity(scores.runs),
        data=SCORES.of(scores),
    )


def verdict(scores: TrackScores) -> str:
    """Say in a sentence how right answers were, and what that rests on."""
    if len(scores.runs) == 1:
        (run,) = scores.runs
        return f"{run.method.label}: {headline(run)}"
    means = [(run.method.scores["correctness"].mean, run.method.label) for run in scores.runs]
    defined_means = [(mean, label) for mean, label in means if mean is not None]
    if not defined_means:
        return f"{plural(len(means), 'run')}, and no answer that is scored."
    (low, low_run), (high, high_run) = min(defined_means), max(defined_means)
    without = [label for mean, label in means if mean is None]
    no_mean = f"; {listed(without)} {'has' if len(without) == 1 else 'have'} no mean" if without else ""
    if len(defined_means) == 1:
        return f"Correctness of {low_run} is {number(low)}{no_mean}."
    over = f"{len(defined_means)} of {plural(len(means), 'run')}" if without else plural(len(means), "run")
    if low == high:
        return f"Correctness over {over} is {number(low)}{no_mean}."
    return (
        f"Correctness over {over} lies between {number(low)} ({low_run}) and "
        f"{number(high)} ({high_run}){no_mean}; "
        "whether two differ says `memgauge study track compare`."
    )


def headline(run: RunScores) -> str:
    """Say in a sentence how a run went, with what its number rests on."""
    method = run.method
    score = method.scores["correctness"]
    interval = between(score.low, score.high)
    beside = f" {interval}" if interval else f" ({score.reason})" if score.mean is None and score.reason else ""
    return (
        f"correctness {number(score.mean)}{beside} over "
        f"{plural(method.questions, 'question')} of {plural(method.instances, 'instance')} "
        f"({histories_counted(method.histories)}), {plural(method.deviation.repeats, 'repeat')}."
    )


def facts(run: RunScores) -> Iterator[Note]:
    """Say what a reader must know beside the number; loudly, where it proves nothing about an agent."""
    ways = ", ".join(f"{count} {how}" for how, count in sorted(run.method.ended.items()))
    yield Note(f"How questions ended: {ways}.")
    if refused := run.method.ended.get(QuestionEnding.FAULT, 0):
        text = f"The model refused what it was sent, and so ended {plural(refused, 'question')}: counted as wrong."
        yield Note(text, tone=Tone.WARN)
    yield from _lost(run)
    yield from _stopped(run)
    if run.method.unjudged:
        text = (
            f"The judge gave no verdict on {plural(run.method.unjudged, 'answer')}; the same command asks again."
        )
        yield Note(text, tone=Tone.WARN)
    if unscored := run.method.unscored - run.method.unjudged - run.method.lost:
        answers = plural(unscored, "answer")
        yield Note(f"{answers} unscored: neither rules nor a judge could tell; none counts as 0.")
    yield Note(f"Judge: {run.judge}, after rules." if run.judge else "Answers were judged by rules alone.")
    if run.missing:
        instances = plural(run.missing, "instance")
        yield Note(f"{instances} of the plan not played yet; the same command goes on.", tone=Tone.WARN)
    if run.identity.get("agent") == "oracle":
        yield Note("The oracle reads the accepted answers: a ceiling, and no agent.", tone=Tone.WARN)
    if run.identity.get("sandbox") == "none":
        text = "There was no sandbox: the agent could read the answers, and this score proves nothing."
        yield Note(text, tone=Tone.WARN)
    if run.faults:
        yield Note(f"The memory failed {plural(run.faults, 'time')} when the harness wrote or searched it.")


def _lost(run: RunScores) -> Iterator[Note]:
    """Say what the model did not say."""
    if run.method.lost:
        cut_off, refused = map(run.method.count, (QuestionEnding.CUT_OFF, QuestionEnding.REFUSED))
        questions = plural(run.method.lost, "question")
        text = (
            f"The model gave no whole reply to {questions}: {cut_off} cut off at the limit of length, "
            f"{refused} refused. That is of the model, not of its memory, and in no mean; beyond {MOST_LOST:.0%} "
            "there is none."
        )
        yield Note(text, tone=Tone.WARN)


def _stopped(run: RunScores) -> Iterator[Note]:
    """Say what an outside agent, or its server, left open."""
    unasked, unanswered = map(run.method.count, (QuestionEnding.UNASKED, QuestionEnding.UNANSWERED))
    if unasked or unanswered:
        questions = plural(unasked + unanswered, "question")
        text = (
            f"No answer is kept to {questions} of {run.method.questions:,}, of which {unasked} never asked as far "
            "as calls tell: the agent or its server stopped. Counted as wrong."
        )
        yield Note(text, tone=Tone.WARN)
    for name in run.torn:
        text = f"The last line of {name} was cut off while it was written, and is left out."
        yield Note(text, tone=Tone.WARN)


def _notes(scores: TrackScores) -> Iterator[Note]:
    """Say of several runs which one each sentence is about; of one, the lead has said it."""
    for run in scores.runs:
        if len(scores.runs) == 1:
            yield from facts(run)
        else:
            yield Note(headline(run), about=run.method.label)
            yield from (Note(note.text, run.method.label, note.tone) for note in facts(run))


def _identity(runs: Sequence[RunScores]) -> Mapping[str, str]:
    values = {
        f"run {place}: {key}": str(run.identity[key])
        for place, run in enumerate(runs, 1)
        for key in _IDENTITY
        if key in run.identity
    }
    return {**values, "memgauge": __version__}
