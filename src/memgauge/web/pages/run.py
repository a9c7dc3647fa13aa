"""One run: who it is, how its questions ended, and each of them to be looked into."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from memgauge.errors import MemgaugeError
from memgauge.report.sheet import Cell, Sheet
from memgauge.runs.seal import Seal
from memgauge.show.numbers import milliseconds, percent, plural
from memgauge.web.address import Address
from memgauge.web.groups import group_of
from memgauge.web.layering import layers_of
from memgauge.web.rows import rows
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from memgauge.runs.store import Run
    from memgauge.web.library import Item, Library

EACH = 100
"""Questions on one page."""


def page(library: Library, address: Address) -> View:
    """Show one run."""
    item = library.item(address.parts[0])
    if not item.finished:
        return _unfinished(item)
    run = library.run(item)
    texts, missing = _texts(library, run)
    asked = _questions(run)
    chosen = [one for one in asked if _fits(one, texts, address)]
    at = address.whole("page", 1)
    shown = chosen[(at - 1) * EACH : at * EACH]
    outcomes = Counter(one["outcome"] for one in asked)
    group = group_of(library, item)
    return View(
        title=run.label,
        lead=f"{plural(len(asked), 'question')} of {run.manifest.dataset.ref}: "
        + ", ".join(f"{n:,} {outcome}" for outcome, n in sorted(outcomes.items()))
        + ".",
        notes=(missing,) if missing else (),
        form=_form(asked, address),
        sheets=(
            _listed(item, shown, len(chosen), len(asked), texts),
            *_layers(library, run),
            _writes(run),
            identity(item, run),
        ),
        trail=(("Runs", Address.of("runs")),),
        more=(
            *([("Its board", Address.of("board", group.key))] if group else []),
            ("What it stored", Address.of("memories", item.key)),
            *([("Questions before", address.but(page=at - 1))] if at > 1 else []),
            *([("Further questions", address.but(page=at + 1))] if at * EACH < len(chosen) else []),
        ),
        identity={"run": run.manifest.id, "content": run.seal.content},
    )


def identity(item: Item, run: Run) -> Sheet:
    """Write out everything that must be equal for two runs to be the same experiment."""
    data = run.manifest.model_dump(mode="json")
    pairs = [(name, value) for part, held in data.items() for name, value in _flat(part, held)]
    pairs += [("folder", item.folder.name), ("content", run.seal.content)]
    return Sheet.of("identity", "Identity", ("what", "value"), [(name, str(value)) for name, value in pairs])


def _flat(name: str, held: Any) -> list[tuple[str, Any]]:
    if isinstance(held, dict):
        return [pair for key, value in held.items() for pair in _flat(f"{name}.{key}", value)]
    return [(name, ", ".join(map(str, held)) if isinstance(held, list) else "" if held is None else held)]


def _unfinished(item: Item) -> View:
    said = item.problem or "This run is not sealed: the command that began it goes on with it."
    return View(
        title=item.label,
        template="unfinished.html.j2",
        lead=said,
        trail=(("Runs", Address.of("runs")),),
        values={"item": item},
        identity={"sealed": str(Seal.read(item.folder).content)} if item.sealed and not item.problem else {},
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
        return {one.id: one.text for one in gold.questions}, ""
    except MemgaugeError as error:
        return {}, f"The texts of questions are not shown: {error}"


def _fits(one: dict[str, Any], texts: dict[str, str], address: Address) -> bool:
    words = address.get("words").casefold().split()
    text = f"{one['question']} {one['conversation']} {texts.get(one['question'], '')}".casefold()
    return (
        address.get("category") in {"", one["category"]}
        and address.get("outcome") in {"", one["outcome"]}
        and all(word in text for word in words)
    )


def _form(asked: list[dict[str, Any]], address: Address) -> tuple[Choice, ...]:
    kinds = [("category", "every category"), ("outcome", "every outcome")]
    return (
        Choice("words", "Words in a question or its id", address.get("words")),
        *(
            Choice(
                kind,
                kind.capitalize(),
                address.get(kind),
                (("", every), *((name, name) for name in sorted({one[kind] for one in asked}))),
            )
            for kind, every in kinds
        ),
    )


def _listed(item: Item, shown: list[dict[str, Any]], fitting: int, of: int, texts: dict[str, str]) -> Sheet:
    return Sheet.of(
        "questions",
        f"Questions: {len(shown):,} of {fitting:,} that fit"
        if fitting < of
        else f"Questions: {len(shown):,} of {of:,}",
        ("question", "text", "category", "outcome", "returned", "ms"),
        [
            (
                Cell(
                    one["question"],
                    one["conversation"],
                    leads=Address.of("question", item.key, id=one["question"]),
                ),
                Cell(texts.get(one["question"], ""), mark="text"),
                one["category"],
                Cell(
                    one["outcome"], one["reason"] or "", mark="" if one["outcome"] in {"ok", "empty"} else "warn"
                ),
                one["returned"],
                Cell(milliseconds(one["ms"]), value=one["ms"]),
            )
            for one in shown
        ],
    )


def _layers(library: Library, run: Run) -> list[Sheet]:
    found = [
        (kind, one)
        for kind in ("answers", "verdicts", "witness", "writes")
        for one in layers_of(library, run, kind)
    ]
    if not found:
        return []
    rows_ = [
        (one.layer.manifest.label, kind, sum(map(len, one.places.values())), one.layer.hash[:16])
        for kind, one in found
    ]
    return [Sheet.of("layers", "Layers on this run", ("label", "kind", "rows", "hash"), rows_)]


def _writes(run: Run) -> Sheet:
    found = rows(
        run,
        "SELECT kind, outcome, count(*) AS n, count(DISTINCT conversation) AS conversations, "
        "median(ms) AS p50, quantile_cont(ms, 0.95) AS p95 FROM {writes} GROUP BY kind, outcome ORDER BY ALL",
    )
    (held,) = rows(
        run,
        "SELECT count(*) AS n, count(DISTINCT form) AS forms, avg((len(sources) > 0)::INTEGER) AS sourced "
        "FROM {memories}",
    )
    return Sheet.of(
        "writes",
        "Writes",
        ("kind", "outcome", "n", "conversations", "p50, ms", "p95, ms"),
        [
            (
                one["kind"],
                one["outcome"],
                one["n"],
                one["conversations"],
                Cell(milliseconds(one["p50"]), value=one["p50"]),
                Cell(milliseconds(one["p95"]), value=one["p95"]),
            )
            for one in found
        ],
        f"{plural(held['n'], 'version')} of memories in {plural(held['forms'], 'form')}; "
        f"{percent(held['sourced'])} name the turns that they descend from.",
    )
