"""One question at a time: what was asked, what came back, and what a person says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import DataMismatchError, MalformedDataError
from memgauge.show.safety import clean
from memgauge.studies.production.judgments import LabelJudgment, LabelVerdict
from memgauge.text.jsons import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.drawing import DrawnQuestion, LabelDraw

KEYS = {"y": LabelVerdict.HIT, "n": LabelVerdict.MISS, "u": LabelVerdict.UNCLEAR}
QUIT = "q"
PROMPT = "Is what was asked for among these? [y]es, [n]o, [u]nclear, [q]uit: "
_REMEDY = 'Write lines such as {"question": "TRACE/SPAN", "verdict": "hit"}.'


def spelled(traffic: Traffic, question: DrawnQuestion) -> Iterator[str]:
    """Say what was asked and what came back, as far as texts were recorded."""
    place = question.row, question.row + 1
    asked, back = traffic.operations("query", rows=place), traffic.records("rank", "memory", "text", rows=place)
    query = asked["query"][0]
    yield f"Asked: {clean(query) if query else f'(the text was not recorded; see {question.name})'}"
    for rank, memory, text in zip(back["rank"], back["memory"], back["text"], strict=True):
        yield f"  {rank}. {clean(text) if text else f'(not recorded; {clean(memory)})'}"
    if not len(back["rank"]):
        yield "  nothing came back"


def ask(
    questions: Sequence[DrawnQuestion],
    show: Callable[[DrawnQuestion, int], None],
    answers: Iterable[str],
    rater: str,
    now: Callable[[], str],
) -> Iterator[LabelJudgment]:
    """Show one question after the other, and yield what is said of each, until somebody quits.

    Args:
        questions: Those that are not answered yet.
        show: Shows one, with its place.
        answers: Lines that are typed.
        rater: Who types.
        now: Says when.
    """
    typed = iter(answers)
    for place, question in enumerate(questions):
        show(question, place)
        key = next((key for line in typed if (key := line.strip().lower()[:1]) in {*KEYS, QUIT}), QUIT)
        if key == QUIT:
            return
        yield LabelJudgment(now(), question.name, rater, KEYS[key])


def read_answers(path: Path, drawn: LabelDraw, rater: str, now: Callable[[], str]) -> list[LabelJudgment]:
    """Read what a person wrote down of drawn questions.

    Raises:
        MalformedDataError: A line is no answer; its place is named.
        DataMismatchError: A question was not drawn.
    """
    names = {question.name for question in drawn.questions}
    judgments = []
    for number, line in json_lines(path, _REMEDY):
        data: Mapping[str, object] = line if isinstance(line, dict) else {}
        question, verdict = data.get("question"), data.get("verdict")
        if not isinstance(question, str) or verdict not in set(LabelVerdict):
            raise MalformedDataError(f"{path}:{number}: this is no answer.", _REMEDY)
        if question not in names:
            raise DataMismatchError(f"{path}:{number}: {question} was not drawn.", "Answer those that were.")
        judgments.append(LabelJudgment(now(), question, rater, LabelVerdict(str(verdict))))
    return judgments


def read_judged(path: Path) -> dict[str, float]:
    """Read what a judge said of every search: how probable it is that what was asked for is there.

    Raises:
        MalformedDataError: A line is no such word; its place is named.
    """
    remedy = 'Write lines such as {"question": "TRACE/SPAN", "hit": 1}, from 0 to 1.'
    judged = {}
    for number, line in json_lines(path, remedy):
        data: Mapping[str, object] = line if isinstance(line, dict) else {}
        question, hit = data.get("question"), data.get("hit")
        if not isinstance(question, str) or not isinstance(hit, int | float) or not 0 <= hit <= 1:
            raise MalformedDataError(f"{path}:{number}: this is no word of a judge.", remedy)
        judged[question] = float(hit)
    return judged
