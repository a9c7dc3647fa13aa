"""The memory browser: what a run stored, where it came from, and what became of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from memgauge.errors import MemgaugeError, UnknownNameError
from memgauge.report.sheet import Cell, Sheet
from memgauge.web.address import Address
from memgauge.web.lineage import Lineage, drawn
from memgauge.web.pages.question import valid
from memgauge.web.rows import MEMORY, retrievals_of, rows, versions_of
from memgauge.web.view import Chart, Choice, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.runs.store import Run
    from memgauge.web.library import Item, Library

EACH = 50
"""Records on one page."""
MOST = 200
"""Retrievals listed of one memory."""


def page(library: Library, address: Address) -> View:
    """List what a run stored."""
    item = library.item(address.parts[0])
    run = library.run(item)
    where, values = _where(address)
    (total,) = rows(run, f"SELECT count(*) AS n FROM {{memories}} WHERE {where}", values)  # noqa: S608 - our own
    at = address.whole("page", 1)
    found = rows(
        run,
        f"SELECT {MEMORY} FROM {{memories}} WHERE {where} ORDER BY row LIMIT ? OFFSET ?",  # noqa: S608 - our own
        [*values, EACH, (at - 1) * EACH],
    )
    return View(
        title=f"What {item.label} stored",
        lead=f"{total['n']:,} versions of memories{' fit' if values else ''}.",
        form=_form(run, address),
        sheets=(_records(item, found, total["n"]),),
        trail=(("Runs", Address.of("runs")), (item.label, Address.of("run", item.key))),
        more=(
            *([("Records before", address.but(page=at - 1))] if at > 1 else []),
            *([("Further records", address.but(page=at + 1))] if at * EACH < total["n"] else []),
        ),
        identity={"run": item.key, "content": run.seal.content},
    )


def memory(library: Library, address: Address) -> View:
    """Show one memory: its versions, what it descends from, what it was returned for."""
    item = library.item(address.parts[0])
    run = library.run(item)
    home, attempt, name = address.get("conversation"), address.whole("attempt", 1), address.get("memory")
    versions = versions_of(run, home, attempt, name)
    if not versions:
        raise UnknownNameError(f"{item.key} stored no memory {name!r} there.", "Choose one of its list.")
    found = retrievals_of(run, home, attempt, name, MOST)
    said = _said(library, run, home)
    texts = _questions(library, run)
    sources = list(dict.fromkeys(turn for one in versions for turn in one["sources"]))
    told = Lineage(tuple(versions), tuple(sources), tuple(found))
    return View(
        title=f"Memory {name}",
        lead=f"{_n(len(versions), 'version')}, from {_n(len(sources), 'turn')}, "
        f"returned for {_n(len({one['question'] for one in found}), 'question')}"
        f"{' or more' if len(found) == MOST else ''}.",
        sheets=(
            _versions(versions),
            Sheet.of(
                "sources",
                "What it descends from",
                ("turn", "speaker", "text"),
                [(turn, *(Cell(one, mark="text") for one in said.get(turn, ("", "")))) for turn in sources],
            ),
            Sheet.of(
                "retrievals",
                "What it was returned for",
                ("question", "text", "rank", "version", "score", "counts"),
                [
                    (
                        Cell(one["question"], leads=Address.of("question", item.key, id=one["question"])),
                        Cell(texts.get(one["question"], ""), mark="text"),
                        one["rank"],
                        one["version"],
                        one["score"],
                        "yes" if one["counts"] else "",
                    )
                    for one in found
                ],
            ),
        ),
        charts=(
            Chart(
                "lineage",
                "From what was said to what was asked",
                "Left: turns it descends from. Middle: versions, the first on top. Right: questions.",
                partial(drawn, told),
            ),
        ),
        trail=(
            ("Runs", Address.of("runs")),
            (item.label, Address.of("run", item.key)),
            ("Memories", Address.of("memories", item.key, conversation=home)),
        ),
        identity={"run": item.key, "conversation": home, "attempt": str(attempt)},
    )


def _where(address: Address) -> tuple[str, list[object]]:
    """Write the condition of a list; every value is bound."""
    parts, values = ["true"], list[object]()
    for name in ("conversation", "form", "lineage"):
        if said := address.get(name):
            parts.append(f"{name} = ?")
            values.append(said)
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
            str(one["value"])
            for one in rows(run, f"SELECT DISTINCT {name} AS value FROM {{memories}} ORDER BY 1")  # noqa: S608 - ours
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


def _records(item: Item, found: Sequence[Mapping[str, Any]], of: int) -> Sheet:
    return Sheet.of(
        "memories",
        f"Records: {len(found):,} of {of:,}",
        ("memory", "text", "form", "sources", "valid", "stored at", "conversation"),
        [
            (
                Cell(
                    one["memory"],
                    f"version {one['version']}",
                    leads=Address.of(
                        "memory",
                        item.key,
                        memory=one["memory"],
                        conversation=one["conversation"],
                        attempt=one["attempt"],
                    ),
                ),
                Cell("(text not in this bundle)" if one["text"] is None else one["text"], mark="text"),
                one["form"],
                Cell(", ".join(one["sources"]) or "none", str(one["lineage"]), mark="text"),
                valid(one),
                one["stored_at"] or "",
                Cell(one["conversation"], f"attempt {one['attempt']}" if one["attempt"] > 1 else ""),
            )
            for one in found
        ],
    )


def _versions(versions: Sequence[Mapping[str, Any]]) -> Sheet:
    return Sheet.of(
        "versions",
        "Versions over time",
        ("version", "text", "form", "sources", "event at", "valid", "stored at", "channel"),
        [
            (
                one["version"],
                Cell("(text not in this bundle)" if one["text"] is None else one["text"], mark="text"),
                one["form"],
                Cell(", ".join(one["sources"]) or "none", str(one["lineage"]), mark="text"),
                one["event_at"] or "",
                valid(one),
                one["stored_at"] or "",
                one["channel"] or "",
            )
            for one in versions
        ],
        "A version is what the memory said from one write to the next; hits point to the visible one.",
    )


def _said(library: Library, run: Run, conversation: str) -> dict[str, tuple[str, str]]:
    try:
        case = library.case(run.manifest.dataset.ref, conversation)
    except MemgaugeError:
        return {}
    return {turn.id: (turn.speaker, turn.text) for turn in case.conversation.turns()} if case else {}


def _questions(library: Library, run: Run) -> dict[str, str]:
    try:
        return {one.id: one.text for one in library.gold(run.manifest.dataset.ref).questions}
    except MemgaugeError:
        return {}


def _n(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
