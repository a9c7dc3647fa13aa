"""One question at a time: what was asked, what came back, and what a person says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memgauge.errors import DataMismatchError, DataNotFoundError, MalformedDataError
from memgauge.foreign import line_of
from memgauge.show.safety import clean
from memgauge.studies.production.judgments import LabelVerdict
from memgauge.text.jsons import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.drawing import DrawnQuestion
    from memgauge.studies.production.judgments import LabelJudgment
    from memgauge.studies.production.sitting import LabelSitting

KEYS = {"y": LabelVerdict.HIT, "n": LabelVerdict.MISS, "u": LabelVerdict.UNCLEAR}
QUIT = "q"
PROMPT = "Is what was asked for among these? [y]es, [n]o, [u]nclear, [q]uit: "
_REMEDY = 'Write lines such as {"question": "TRACE/SPAN", "verdict": "hit"}.'


class ShownRecord(NamedTuple):
    """A record as a rater sees it."""

    rank: int
    memory: str
    text: str | None


class ShownQuestion(NamedTuple):
    """A search as a rater sees it; texts are ``None`` where they were not recorded."""

    query: str | None
    records: tuple[ShownRecord, ...]


def shown_question(traffic: Traffic, question: DrawnQuestion) -> ShownQuestion:
    """Read what was asked and what came back."""
    place = question.row, question.row + 1
    operation, records = (
        traffic.operations("query", rows=place),
        traffic.records("rank", "memory", "text", rows=place),
    )
    pairs = zip(records["rank"].tolist(), records["memory"], records["text"], strict=True)
    return ShownQuestion(operation["query"][0], tuple(map(ShownRecord._make, pairs)))


def spelled(traffic: Traffic, question: DrawnQuestion) -> Iterator[str]:
    """Say what was asked and what came back, as far as texts were recorded."""
    shown = shown_question(traffic, question)
    query = clean(shown.query) if shown.query else f"(the text was not recorded; see {question.name})"
    yield f"Asked: {query}"
    for rank, memory, text in shown.records:
        yield f"  {rank}. {clean(text) if text else f'(not recorded; {clean(memory)})'}"
    if not shown.records:
        yield "  nothing came back"


def ask(
    questions: Sequence[DrawnQuestion], show: Callable[[DrawnQuestion, int], None], answers: Iterable[str]
) -> Iterator[tuple[str, LabelVerdict]]:
    """Show one question after the other, and yield what is said of each, until somebody quits.

    *questions* are not answered yet; *show* shows one, with its place.
    """
    lines = iter(answers)
    for place, question in enumerate(questions):
        show(question, place)
        key = next((key for line in lines if (key := line.strip().lower()[:1]) in {*KEYS, QUIT}), QUIT)
        if key == QUIT:
            return
        yield question.name, KEYS[key]


def read_answers(path: Path, sitting: LabelSitting) -> list[LabelJudgment]:
    """Read what a person wrote down of drawn questions.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: A line is no answer, or contradicts another; its place is named.
        DataMismatchError: A question was not drawn.
    """
    judgments: dict[str, LabelJudgment] = {}
    for number, line in _lines(path, _REMEDY):
        data: Mapping[str, object] = line if isinstance(line, dict) else {}
        question, verdict = data.get("question"), data.get("verdict")
        if not isinstance(question, str) or verdict not in set(LabelVerdict):
            raise MalformedDataError(f"{path}:{number}: this is no answer.", _REMEDY)
        if question in judgments and judgments[question].verdict != verdict:
            raise _contradicting(path, number, question)
        try:
            judgments[question] = sitting.judge(question, LabelVerdict(str(verdict)))
        except DataMismatchError as error:
            raise DataMismatchError(f"{path}:{number}: {error.what}", error.remedy) from error
    return list(judgments.values())


def _contradicting(path: Path, number: int, question: str) -> MalformedDataError:
    what = f"{path}:{number}: a line before says something else of {line_of(question)}."
    return MalformedDataError(what, "Leave the line that holds.")


def read_judged(path: Path) -> dict[str, float]:
    """Read what a judge said of every search: how probable it is that what was asked for is there.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: A line is no such word, or contradicts another; its place is named.
    """
    remedy = 'Write lines such as {"question": "TRACE/SPAN", "hit": 1}, from 0 to 1.'
    verdicts: dict[str, float] = {}
    for number, line in _lines(path, remedy):
        data: Mapping[str, object] = line if isinstance(line, dict) else {}
        question, hit = data.get("question"), data.get("hit")
        if not isinstance(question, str) or not isinstance(hit, int | float) or not 0 <= hit <= 1:
            raise MalformedDataError(f"{path}:{number}: this is no word of a judge.", remedy)
        if verdicts.setdefault(question, float(hit)) != hit:
            raise _contradicting(path, number, question)
    return verdicts


def _lines(path: Path, remedy: str) -> Iterator[tuple[int, object]]:
    if not path.is_file():
        raise DataNotFoundError(f"There is no file {path}.", remedy)
    return json_lines(path, remedy)
