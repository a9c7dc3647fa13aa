"""One question's whole story: said, stored, found, answered, judged; and where it was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.errors import MemgaugeError, UnknownNameError
from memgauge.records import Target
from memgauge.records.contracts import credits_form
from memgauge.scoring.why.telling import blocks, notes
from memgauge.show import Cell, Column, Document, Kind, Note, Table
from memgauge.show.numbers import milliseconds, number, percent
from memgauge.web.address import Address
from memgauge.web.answers import answers_to
from memgauge.web.contracts import asked_of, settings_of
from memgauge.web.groups import group_of
from memgauge.web.missed import explained_on
from memgauge.web.rows import rows, writes_of
from memgauge.web.timeline import timeline
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.records import Case, Gold, Question
    from memgauge.runs.record.store import Run
    from memgauge.scoring.why.explaining import ExplainedSearch
    from memgauge.web.library import Item, Library

SHOWN = 25
"""Hits in the table unless all are asked for; gold further down is shown too."""
EMBEDDER = "minilm"
"""What compares vectors when a reader asks for it."""
Record = dict[str, Any]


def page(library: Library, address: Address) -> View:
    """Tell one question of one run."""
    item, name = library.item(address.parts[0]), address.get("id")
    run, contract = library.run(item), asked_of(address)
    policy = settings_of(address).contract.evidence
    attempts = run.attempts_of(name)
    if not attempts:
        raise UnknownNameError(f"{item.key} has no question {name!r}.", "Choose one of its list.")
    counting = next((attempt for attempt in attempts if attempt["counts"]), attempts[-1])
    question, gold, case, no_gold = _asked(library, run, name, str(counting["conversation"]))
    anchors = gold.anchors(policy) if gold else ()
    all_turns = address.get("turns") == "all"
    if address.get("vectors"):
        library.note_momentary()  # the embedder may come
    with_vectors, vectors = address.get("vectors") == "yes", address.but(vectors="yes")
    explanation = explained_on(library, item, address, name, question.text if question else None)
    explanation = explanation.compared(EMBEDDER if with_vectors else "")
    previous_id, next_id = _neighbours(library, item, run, name)
    return View(
        document=Document(
            title=question.text if question else name,
            lead=_missed(explanation) + _lead(counting, item),
            blocks=(
                *blocks(explanation, _memories(item, counting), above=explanation.missed),
                _hits(run, item, counting, anchors, deep=address.get("hits") == "all"),
                *([_writes(run, counting, anchors)] if anchors else []),
                _attempts(attempts),
            ),
            notes=(*([Note(no_gold)] if no_gold else []), *notes(explanation)),
            identity={"run": item.key, "content": run.seal.content, "evidence": str(policy)},
        ),
        template="question.html.j2",
        form=() if anchors else _expecting(name, address),
        trail=(
            ("Runs", Address.of("runs")),
            (item.label, Address.of("run", item.key)),
            *_board(library, item, contract),
        ),
        more=(
            *([("Previous question", address.but(id=previous_id))] if previous_id else []),
            *([("Next question", address.but(id=next_id))] if next_id else []),
        ),
        values={
            "id": name,
            "counting": counting,
            "question": question,
            "gold": gold,
            "evidence": _evidence(gold, case, anchors),
            "sittings": timeline(case.conversation, question, gold, anchors, whole=all_turns) if case else [],
            "turns": None if all_turns else address.but(turns="all"),
            "hits": None if address.get("hits") == "all" else address.but(hits="all"),
            "vectors": vectors if explanation.missed and not with_vectors else None,
            "answers": answers_to(library, run, question, gold, name, policy),
            "others": _others(library, item, address),
        },
    )


def _asked(
    library: Library, run: Run, name: str, conversation: str
) -> tuple[Question | None, Gold | None, Case | None, str]:
    """Return question, gold and conversation, or why they cannot be shown."""
    ref = run.manifest.dataset.ref
    try:
        table = library.gold(ref)
        table.require(run)
        place = table.number.get(name)
        case = library.case(ref, conversation)
    except MemgaugeError as error:
        library.note_momentary()
        return None, None, None, f"Question, gold and conversation are not shown: {error}"
    if place is None:
        return None, None, case, "The data has no such question."
    return table.questions[place], table.golds[place], case, ""


def _missed(explanation: ExplainedSearch) -> str:
    return (
        f"Missed: {explanation.reason.cause}, {explanation.reason.detail}. "
        if explanation.reason and explanation.missed
        else ""
    )


def _expecting(name: str, address: Address) -> tuple[Choice, ...]:
    """Let a reader say what should have come back, where the data does not."""
    return Choice("id", "Question", name), Choice("memory", "Memory that you expected", address.get("memory"))


def _memories(item: Item, counting: Record) -> Callable[[str], Address]:
    """Lead to the pages of the memories of one attempt."""
    home = {part: counting[part] for part in ("conversation", "attempt")}
    return lambda memory: Address.of("memory", item.key, memory=memory, **home)


def _lead(counting: Record, item: Item) -> str:
    n = counting["returned"]
    parts = [f"{n:,} {'memory' if n == 1 else 'memories'}"]
    parts += [] if counting["ms"] is None else [f"{milliseconds(counting['ms'])} ms"]
    parts += [] if counting["tokens"] is None else [f"{counting['tokens']:,} tokens"]
    parts += [] if counting["coverage"] is None else [f"{percent(counting['coverage'])} of the conversation"]
    reason = f" ({counting['reason']})" if counting["reason"] else ""
    return f"{item.label}: {counting['outcome']}{reason}; {', '.join(parts)}."


def _evidence(gold: Gold | None, case: Case | None, anchors: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return id, speaker and text of every evidence turn, and the entries that no turn answers to."""
    if gold is None:
        return []
    turns = {turn.id: turn for turn in case.conversation.turns()} if case else {}
    quoted = [(name, turns[name].speaker, turns[name].text) for name in anchors if name in turns]
    without_turns = [entry.raw for entry in gold.evidence if not set(entry.turns) & set(anchors)]
    return [*quoted, *((raw, "", "") for raw in without_turns)]


def _hits(run: Run, item: Item, counting: Record, anchors: Sequence[str], *, deep: bool) -> Table:
    name = counting["question"]
    hits, gold_turns = run.hits_of([name], 10_000)[name], set(anchors)
    shown_hits = [hit for hit in hits if deep or hit["rank"] <= SHOWN or gold_turns & set(hit["sources"])]
    conversation = {part: counting[part] for part in ("conversation", "attempt")}
    rows_ = []
    for hit in shown_hits:
        descends = bool(gold_turns & set(hit["sources"]))
        credit = {target: descends and credits_form(target, hit["form"]) for target in Target}
        rows_.append(
            (
                Cell(str(hit["rank"]), value=hit["rank"], mark="gold" if credit[Target.SOURCE] else ""),
                *(Cell("✓" if credit[target] else "", mark="gold" if credit[target] else "") for target in Target),
                Cell(_text(hit), mark="text"),
                Cell(number(hit["score"]) if hit["score"] is not None else "", value=hit["score"]),
                Cell(
                    hit["memory"],
                    f"version {hit['version']}, {hit['form']}",
                    leads=Address.of("memory", item.key, memory=hit["memory"], **conversation),
                ),
                Cell(", ".join(hit["sources"]) or "none", str(hit["lineage"]), mark="text"),
            )
        )
    n_hidden = len(hits) - len(shown_hits)
    return Table.of(
        "hits",
        f"What was found: {len(hits):,} ranked",
        ("rank", *map(str, Target), Column("text", Kind.PROSE), "score", "memory", "sources"),
        rows_,
        "✓: the target credits this memory: it descends from an evidence turn and has the target's form."
        + (f" {n_hidden:,} without gold below rank {SHOWN} are not shown." if n_hidden else ""),
    )


def _writes(run: Run, counting: Record, anchors: Sequence[str]) -> Table:
    writes = writes_of(run, str(counting["conversation"]), int(counting["attempt"]), anchors)
    return Table.of(
        "writes",
        "How the evidence was written",
        ("event", "turns", "outcome", Column("ms", Kind.MILLISECONDS), "memories changed"),
        [
            (
                Cell(str(write["event"]), write["session"] or "", write["event"]),
                Cell(", ".join(write["turns"] or []), mark="text"),
                Cell(write["outcome"], write["reason"] or "", mark="" if write["outcome"] == "ok" else "warn"),
                Cell(milliseconds(write["ms"]), value=write["ms"]),
                Cell(
                    "not said" if write["changed"] is None else ", ".join(write["changed"]) or "none", mark="text"
                ),
            )
            for write in writes
        ],
    )


def _attempts(attempts: Sequence[Record]) -> Table:
    return Table.of(
        "attempts",
        "Attempts",
        ("attempt", "outcome", "returned", "ms", "tries", "asked at", "counts"),
        [
            (
                str(attempt["attempt"]),
                Cell(
                    attempt["outcome"],
                    attempt["reason"] or "",
                    mark="" if attempt["outcome"] in {"ok", "empty"} else "warn",
                ),
                attempt["returned"],
                Cell(milliseconds(attempt["ms"]), value=attempt["ms"]),
                attempt["tries"],
                attempt["asked_at"] or "",
                "yes" if attempt["counts"] else "",
            )
            for attempt in attempts
        ],
        "The first valid attempt counts.",
    )


def _neighbours(library: Library, item: Item, run: Run, name: str) -> tuple[str, str]:
    """Return the questions before and after this one in the run; empty at its ends."""

    def listed() -> list[str]:
        return [
            str(row["question"]) for row in rows(run, "SELECT question FROM {questions} WHERE counts ORDER BY row")
        ]

    order = library.made("questions", [item], listed)
    at = order.index(name) if name in order else -1
    if at < 0:
        return "", ""
    return order[at - 1] if at else "", order[at + 1] if at + 1 < len(order) else ""


def _others(library: Library, item: Item, address: Address) -> list[tuple[str, Address, bool]]:
    """Name the same question in every other run of the board; the one it is compared with is marked."""
    board_group = group_of(library, item)
    return [
        (
            sibling.label,
            Address("question", (sibling.key,), address.but(beside=None).asked),
            sibling.key == address.get("beside"),
        )
        for sibling in (board_group.items if board_group else ())
        if sibling.key != item.key
    ]


def _board(library: Library, item: Item, contract: dict[str, str]) -> list[tuple[str, Address]]:
    board_group = group_of(library, item)
    return [(board_group.title, Address.of("board", board_group.key, **contract))] if board_group else []


def _text(hit: Mapping[str, Any]) -> str:
    return "(text not in this bundle)" if hit["text"] is None else str(hit["text"])


def valid(memory: Mapping[str, Any]) -> str:
    """Say from when to when a memory holds, as far as its system does."""
    if not memory["valid_from"] and not memory["valid_to"]:
        return ""
    return f"{memory['valid_from'] or '…'} to {memory['valid_to'] or '…'}"
