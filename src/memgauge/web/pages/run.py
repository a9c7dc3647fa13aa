"""One run: who it is, how its questions ended, and each of them to be looked into."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from memgauge.errors import MemgaugeError
from memgauge.runs.record.seal import Seal
from memgauge.show import Cell, Column, Document, Kind, Note, Table
from memgauge.show.numbers import milliseconds, percent, plural
from memgauge.web.address import Address
from memgauge.web.groups import group_of
from memgauge.web.layering import layers_of
from memgauge.web.rows import rows
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run
    from memgauge.web.library import Item, Library

EACH = 100
"""Questions on one page."""


def page(library: Library, address: Address) -> View:
    """Show one run."""
    item = library.item(address.parts[0])
    if not item.finished:
        library.note_momentary()
        return _unfinished(item)
    run = library.run(item)
    texts, no_texts = _texts(library, run)
    questions = _questions(run)
    fitting = [question for question in questions if _fits(question, texts, address)]
    at = address.whole("page", 1)
    page_questions = fitting[(at - 1) * EACH : at * EACH]
    outcomes = Counter(question["outcome"] for question in questions)
    group = group_of(library, item)
    return View(
        document=Document(
            title=run.label,
            lead=f"{plural(len(questions), 'question')} of {run.manifest.dataset.ref}: "
            + ", ".join(f"{n:,} {outcome}" for outcome, n in sorted(outcomes.items()))
            + ".",
            blocks=(
                _listed(item, page_questions, len(fitting), len(questions), texts),
                *_layers(library, run),
                _writes(run),
                identity(item, run),
            ),
            notes=(Note(no_texts),) if no_texts else (),
            identity={"run": run.manifest.id, "content": run.seal.content},
        ),
        form=_form(questions, address),
        trail=(("Runs", Address.of("runs")),),
        more=(
            *([("Its board", Address.of("board", group.key))] if group else []),
            *([("Why did it fail?", Address.of("failures", item.key))] if group and not no_texts else []),
            ("What it stored", Address.of("memories", item.key)),
            *([("Questions before", address.but(page=at - 1))] if at > 1 else []),
            *([("Further questions", address.but(page=at + 1))] if at * EACH < len(fitting) else []),
        ),
    )


def identity(item: Item, run: Run) -> Table:
    """Write out everything that must be equal for two runs to be the same experiment."""
    data = run.manifest.model_dump(mode="json")
    pairs = [(name, value) for part, content in data.items() for name, value in _flat(part, content)]
    pairs += [("folder", item.folder.name), ("content", run.seal.content)]
    columns = ("what", Column("value", Kind.TEXT))
    return Table.of("identity", "Identity", columns, [(name, str(value)) for name, value in pairs])


def _flat(name: str, content: Any) -> list[tuple[str, Any]]:
    if isinstance(content, dict):
        return [pair for key, value in content.items() for pair in _flat(f"{name}.{key}", value)]
    return [
        (name, ", ".join(map(str, content)) if isinstance(content, list) else "" if content is None else content)
    ]


def _unfinished(item: Item) -> View:
    state = item.problem or "This run is not sealed: the command that began it goes on with it."
    return View(
        document=Document(
            title=item.label,
            lead=state,
            origin="what is on disk of an unfinished run",
            identity={"sealed": str(Seal.read(item.folder).content)} if item.sealed and not item.problem else {},
        ),
        template="unfinished.html.j2",
        trail=(("Runs", Address.of("runs")),),
        values={"item": item},
    )


def _questions(run: Run) -> list[dict[str, Any]]:
    return rows(
        run,
        "SELECT question, conversation, category, outcome, reason, returned, ms, tokens, coverage "
        "FROM {questions} WHERE counts ORDER BY row",
    )


def _texts(library: Library, run: Run) -> tuple[dict[str, str], str]:
    try:
        gold = library.gold(run.manifest.dataset.ref)
        return {question.id: question.text for question in gold.questions}, ""
    except MemgaugeError as error:
        library.note_momentary()
        return {}, f"The texts of questions are not shown: {error}"


def _fits(question: dict[str, Any], texts: dict[str, str], address: Address) -> bool:
    words = address.get("words").casefold().split()
    text = f"{question['question']} {question['conversation']} {texts.get(question['question'], '')}".casefold()
    return (
        address.get("category") in {"", question["category"]}
        and address.get("outcome") in {"", question["outcome"]}
        and all(word in text for word in words)
    )


def _form(questions: list[dict[str, Any]], address: Address) -> tuple[Choice, ...]:
    kinds = [("category", "every category"), ("outcome", "every outcome")]
    return (
        Choice("words", "Words in a question or its id", address.get("words")),
        *(
            Choice(
                field,
                field.capitalize(),
                address.get(field),
                (("", every), *((name, name) for name in sorted({question[field] for question in questions}))),
            )
            for field, every in kinds
        ),
    )


def _listed(item: Item, questions: list[dict[str, Any]], fitting: int, of: int, texts: dict[str, str]) -> Table:
    return Table.of(
        "questions",
        f"Questions: {len(questions):,} of {fitting:,} that fit"
        if fitting < of
        else f"Questions: {len(questions):,} of {of:,}",
        (
            "question",
            Column("text", Kind.PROSE),
            "category",
            "outcome",
            "returned",
            Column("ms", Kind.MILLISECONDS),
        ),
        [
            (
                Cell(
                    question["question"],
                    question["conversation"],
                    leads=Address.of("question", item.key, id=question["question"]),
                ),
                Cell(texts.get(question["question"], ""), mark="text"),
                question["category"],
                Cell(
                    question["outcome"],
                    question["reason"] or "",
                    mark="" if question["outcome"] in {"ok", "empty"} else "warn",
                ),
                question["returned"],
                Cell(milliseconds(question["ms"]), value=question["ms"]),
            )
            for question in questions
        ],
    )


def _layers(library: Library, run: Run) -> list[Table]:
    layers = [
        (kind, layer)
        for kind in ("answers", "choices", "verdicts", "witness", "writes")
        for layer in layers_of(library, run, kind)
    ]
    if not layers:
        return []
    rows_ = [
        (layer.layer.manifest.label, kind, sum(map(len, layer.places.values())), layer.layer.hash[:16])
        for kind, layer in layers
    ]
    columns = ("label", "kind", Column("rows", Kind.COUNT), Column("hash", Kind.TEXT))
    return [Table.of("layers", "Layers on this run", columns, rows_)]


def _writes(run: Run) -> Table:
    writes = rows(
        run,
        "SELECT kind, outcome, count(*) AS n, count(DISTINCT conversation) AS conversations, "
        "median(ms) AS p50, quantile_cont(ms, 0.95) AS p95 FROM {writes} GROUP BY kind, outcome ORDER BY ALL",
    )
    (totals,) = rows(
        run,
        "SELECT count(*) AS n, count(DISTINCT form) AS forms, avg((len(sources) > 0)::INTEGER) AS sourced "
        "FROM {memories}",
    )
    return Table.of(
        "writes",
        "Writes",
        (
            "kind",
            "outcome",
            *(Column(head, Kind.COUNT) for head in ("n", "conversations")),
            *(Column(head, Kind.MILLISECONDS) for head in ("p50, ms", "p95, ms")),
        ),
        [
            (
                write["kind"],
                write["outcome"],
                write["n"],
                write["conversations"],
                Cell(milliseconds(write["p50"]), value=write["p50"]),
                Cell(milliseconds(write["p95"]), value=write["p95"]),
            )
            for write in writes
        ],
        f"{plural(totals['n'], 'version')} of memories in {plural(totals['forms'], 'form')}; "
        f"{percent(totals['sourced'])} name the turns that they descend from.",
    )
