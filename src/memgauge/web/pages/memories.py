"""The memory browser: what a run stored, where it came from, and what became of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from memgauge.errors import MemgaugeError, UnknownNameError
from memgauge.show import Cell, Column, Document, Figure, Kind, Table
from memgauge.show.numbers import plural
from memgauge.web.address import Address
from memgauge.web.lineage import LineageTree, drawn
from memgauge.web.pages.question import valid
from memgauge.web.rows import MEMORY, retrievals_of, rows, versions_of
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.runs.record.store import Run
    from memgauge.web.library import Item, Library

EACH = 50
"""Records on one page."""
MOST = 200
"""Retrievals listed of one memory."""


def page(library: Library, address: Address) -> View:
    """List what a run stored."""
    item = library.item(address.parts[0])
    run = library.run(item)
    condition, values = _where(address)
    (total,) = rows(run, f"SELECT count(*) AS n FROM {{memories}} WHERE {condition}", values)  # noqa: S608 - our own
    at = address.whole("page", 1)
    records = rows(
        run,
        f"SELECT {MEMORY} FROM {{memories}} WHERE {condition} ORDER BY row LIMIT ? OFFSET ?",  # noqa: S608 - our own
        [*values, EACH, (at - 1) * EACH],
    )
    return View(
        document=Document(
            title=f"What {item.label} stored",
            lead=f"{total['n']:,} versions of memories{' fit' if values else ''}.",
            blocks=(_records(item, records, total["n"]),),
            identity={"run": item.key, "content": run.seal.content},
        ),
        form=_form(run, address),
        trail=(("Runs", Address.of("runs")), (item.label, Address.of("run", item.key))),
        more=(
            *([("Records before", address.but(page=at - 1))] if at > 1 else []),
            *([("Further records", address.but(page=at + 1))] if at * EACH < total["n"] else []),
        ),
    )


def memory(library: Library, address: Address) -> View:
    """Show one memory: its versions, what it descends from, what it was returned for."""
    item = library.item(address.parts[0])
    run = library.run(item)
    home, attempt, name = address.get("conversation"), address.whole("attempt", 1), address.get("memory")
    versions = versions_of(run, home, attempt, name)
    if not versions:
        raise UnknownNameError(f"{item.key} stored no memory {name!r} there.", "Choose one of its list.")
    retrievals = retrievals_of(run, home, attempt, name, MOST)
    sources = list(dict.fromkeys(turn for version in versions for turn in version["sources"]))
    question_ids = {retrieval["question"] for retrieval in retrievals}
    lineage = LineageTree(tuple(versions), tuple(sources), tuple(retrievals))
    return View(
        document=Document(
            title=f"Memory {name}",
            lead=f"{plural(len(versions), 'version')}, from {plural(len(sources), 'turn')}, returned for "
            f"{plural(len(question_ids), 'question')}{' or more' if len(retrievals) == MOST else ''}.",
            blocks=(
                Figure(
                    "lineage",
                    "From what was said to what was asked",
                    "Left: turns it descends from. Middle: versions, the first on top. Right: questions.",
                    partial(drawn, lineage),
                ),
                _versions(versions),
                _sources(sources, _turns(library, run, home)),
                _retrievals(item, retrievals, _questions(library, run)),
            ),
            identity={"run": item.key, "conversation": home, "attempt": str(attempt)},
        ),
        trail=(
            ("Runs", Address.of("runs")),
            (item.label, Address.of("run", item.key)),
            ("Memories", Address.of("memories", item.key, conversation=home)),
        ),
    )


def _sources(sources: Sequence[str], turns: Mapping[str, tuple[str, str]]) -> Table:
    return Table.of(
        "sources",
        "What it descends from",
        ("turn", "speaker", Column("text", Kind.PROSE)),
        [(turn, *(Cell(text, mark="text") for text in turns.get(turn, ("", "")))) for turn in sources],
    )


def _retrievals(item: Item, retrievals: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> Table:
    return Table.of(
        "retrievals",
        "What it was returned for",
        ("question", Column("text", Kind.PROSE), "rank", "version", "score", "counts"),
        [
            (
                Cell(retrieval["question"], leads=Address.of("question", item.key, id=retrieval["question"])),
                Cell(texts.get(retrieval["question"], ""), mark="text"),
                retrieval["rank"],
                retrieval["version"],
                retrieval["score"],
                "yes" if retrieval["counts"] else "",
            )
            for retrieval in retrievals
        ],
    )


def _where(address: Address) -> tuple[str, list[object]]:
    """Write the condition of a list; every value is bound."""
    parts, values = ["true"], list[object]()
    for name in ("conversation", "form", "lineage"):
        if value := address.get(name):
            parts.append(f"{name} = ?")
            values.append(value)
    if turn := address.get("turn"):
        parts.append("list_contains(sources, ?)")
        values.append(turn)
    for word in address.get("words").split():
        parts.append("contains(lower(coalesce(text, '') || ' ' || memory), lower(?))")
        values.append(word)
    return " AND ".join(parts), values


def _form(run: Run, address: Address) -> tuple[Choice, ...]:
    kinds = {
        name: [
            str(row["value"])
            for row in rows(run, f"SELECT DISTINCT {name} AS value FROM {{memories}} ORDER BY 1")  # noqa: S608 - ours
        ]
        for name in ("conversation", "form", "lineage")
    }
    return (
        Choice("words", "Words in a memory", address.get("words")),
        Choice("turn", "From turn", address.get("turn")),
        *(
            Choice(
                name,
                name.capitalize(),
                address.get(name),
                (("", f"every {name}"), *((value, value) for value in values)),
            )
            for name, values in kinds.items()
        ),
    )


def _records(item: Item, records: Sequence[Mapping[str, Any]], of: int) -> Table:
    return Table.of(
        "memories",
        f"Records: {len(records):,} of {of:,}",
        ("memory", Column("text", Kind.PROSE), "form", "sources", "valid", "stored at", "conversation"),
        [
            (
                Cell(
                    record["memory"],
                    f"version {record['version']}",
                    leads=Address.of(
                        "memory",
                        item.key,
                        memory=record["memory"],
                        conversation=record["conversation"],
                        attempt=record["attempt"],
                    ),
                ),
                Cell("(text not in this bundle)" if record["text"] is None else record["text"], mark="text"),
                record["form"],
                Cell(", ".join(record["sources"]) or "none", str(record["lineage"]), mark="text"),
                valid(record),
                record["stored_at"] or "",
                Cell(record["conversation"], f"attempt {record['attempt']}" if record["attempt"] > 1 else ""),
            )
            for record in records
        ],
    )


def _versions(versions: Sequence[Mapping[str, Any]]) -> Table:
    return Table.of(
        "versions",
        "Versions over time",
        ("version", Column("text", Kind.PROSE), "form", "sources", "event at", "valid", "stored at", "channel"),
        [
            (
                str(record["version"]),
                Cell("(text not in this bundle)" if record["text"] is None else record["text"], mark="text"),
                record["form"],
                Cell(", ".join(record["sources"]) or "none", str(record["lineage"]), mark="text"),
                record["event_at"] or "",
                valid(record),
                record["stored_at"] or "",
                record["channel"] or "",
            )
            for record in versions
        ],
        "A version is what the memory said from one write to the next; hits point to the visible one.",
    )


def _turns(library: Library, run: Run, conversation: str) -> dict[str, tuple[str, str]]:
    try:
        case = library.case(run.manifest.dataset.ref, conversation)
    except MemgaugeError:
        library.note_momentary()
        return {}
    return {turn.id: (turn.speaker, turn.text) for turn in case.conversation.turns()} if case else {}


def _questions(library: Library, run: Run) -> dict[str, str]:
    try:
        return {question.id: question.text for question in library.gold(run.manifest.dataset.ref).questions}
    except MemgaugeError:
        library.note_momentary()
        return {}
