"""Files of the Agent Memory Leaderboard's public pipelines: inputs, answers and verdicts, joined by their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.exchange.reading import REMEDY, first, read_lines
from memgauge.exchange.trace import Joining, TracedMemory
from memgauge.exchange.verdicts import agreed, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.exchange.trace import FileLocation, JoinedDataset

_IDS: Final = ("id", "idx", "question_id", "task_id", "qa_id")
_QUESTIONS: Final = ("question", "user_query", "query")
_ANSWERS: Final = ("generated_answer", "model_output", "model_response")
_CONTEXTS: Final = ("retrieved_context", "memories", "speaker_1_memories", "speaker_2_memories")
_JUDGED: Final = ("is_correct", "label", "rubric_clbench_score", "llm_judge_score")
_SELECTED: Final = "retrieval"
"""A field of some sets, whose ``selected`` is what a model was shown."""
_JUDGES: Final = ("judge_model", "judge")
_TELLING: Final = (*_CONTEXTS, _SELECTED, *_ANSWERS, *_JUDGED)
"""Fields without any of which a file tells nothing."""
READ: Final = frozenset({*_IDS, *_QUESTIONS, *_TELLING, *_JUDGES})
_RIGHT, _WRONG = ("correct", "true", "1"), ("wrong", "incorrect", "false", "0")
_LABELS: Final = dict.fromkeys(_RIGHT, True) | dict.fromkeys(_WRONG, False)
NAMELESS: Final = "aml (its files name no judge)"
BETWEEN: Final = "its verdict is neither right nor wrong"


def read_leaderboard(path: Path, target: JoinedDataset) -> Joining:
    """Read a folder of JSON lines, or one file: rows of one id are one question, whatever file they stand in.

    Contexts have no ids, so their lineage is absent. A verdict between right and wrong (a share of a rubric) is
    counted, and not made one.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: A line is none, has no id, or says otherwise what another file said; or no line has
            contexts, an answer or a verdict by a name that is read.
    """
    joining, telling = Joining(target), False
    for name, (place, row) in _merged(path).items():
        joining.saw(row)
        question = joining.find(place, name, str(first(row, *_QUESTIONS) or ""))
        if question is None:
            continue
        telling = telling or first(row, *_TELLING) is not None
        verdicts = {name: _verdict(row.get(name)) for name in _JUDGED}
        verdict = agreed(verdicts, place)
        joining.note(BETWEEN, verdict is None and first(row, *_JUDGED) is not None)
        judge = str(first(row, *_JUDGES) or NAMELESS) if verdict is not None else ""
        joining.answer(
            question, _memories(row, place), place=place, reply=first(row, *_ANSWERS), verdict=verdict, judge=judge
        )
    if joining.answers and not telling:
        names = f"{', '.join((*_CONTEXTS, f'{_SELECTED}.selected'))}; {', '.join(_ANSWERS)}; {', '.join(_JUDGED)}"
        raise MalformedDataError(
            f"{path}: no contexts, answers or verdicts by a name that is read ({', '.join(joining.fields)}).",
            f"Read are {names}.",
        )
    joining.searched = any(name in _CONTEXTS or name == _SELECTED for name in joining.fields)
    joining.unread = tuple(name for name in joining.fields if name not in READ)
    return joining


def _verdict(value: Any) -> bool | None:
    """Read a verdict; a share of a rubric is none."""
    return None if value is None else _LABELS.get(spelled(value))


def _merged(path: Path) -> dict[str, tuple[FileLocation, dict[str, Any]]]:
    """Put the rows of every file together by their id, each with the place where it stood first."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise DataNotFoundError(
            f"There is no .jsonl in {path}.", "Name the folder with inputs, answers and verdicts."
        )
    rows_by_id: dict[str, tuple[FileLocation, dict[str, Any]]] = {}
    for file in files:
        for place, row in read_lines(file):
            name = first(row, *_IDS)
            if name is None:
                raise MalformedDataError(f"{place}: it has no id ({', '.join(_IDS)}).", REMEDY)
            merged_row = rows_by_id.setdefault(str(name), (place, {}))[1]
            for field in row.keys() & merged_row.keys():
                if merged_row[field] != row[field]:
                    raise MalformedDataError(f"{place}: {field}: another file says otherwise of {name!r}.", REMEDY)
            merged_row.update(row)
    return rows_by_id


def _memories(row: Mapping[str, Any], place: FileLocation) -> list[TracedMemory] | None:
    """Return what a model was shown, in its order; a context that is one text is one memory."""
    retrieval = row.get(_SELECTED)
    selection = retrieval.get("selected") if isinstance(retrieval, dict) else None
    lists = {name: row.get(name) for name in _CONTEXTS} | {"retrieval.selected": selection}
    if all(value is None for value in lists.values()):
        return None
    return [memory for field, value in lists.items() for memory in _listed(field, value, place)]


def _listed(field: str, value: Any, place: FileLocation) -> Iterator[TracedMemory]:
    parts = value if isinstance(value, list) else [value] if value else []
    for number, part in enumerate(parts, 1):
        text = first(part, "text", "content", "memory") if isinstance(part, dict) else part
        if not isinstance(text, str):
            raise MalformedDataError(f"{place}: {field}[{number - 1}]: no text.", REMEDY)
        yield TracedMemory(f"{field} {number}", text)
