"""Leaderboards: under the contract that the reader picks, with everything that must be read beside a rank."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.report import charts
from memgauge.report.sheet import Cell, Sheet
from memgauge.report.templating import bar
from memgauge.report.words import contract_sentence, detectable, interval, places, verdict
from memgauge.runs.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.leaderboard import leaderboard
from memgauge.scoring.score import fitted
from memgauge.show.numbers import milliseconds, number, percent, plural
from memgauge.web.address import Address
from memgauge.web.apart import apart
from memgauge.web.contracts import asked_of, picker, settings_of
from memgauge.web.groups import group, groups
from memgauge.web.pages.multiverse import LARGEST, strip
from memgauge.web.view import Chart, View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memgauge.report.svg import Figure
    from memgauge.scoring.board import Board, Entry, Score
    from memgauge.scoring.score import Settings
    from memgauge.web.groups import Group
    from memgauge.web.library import Library


def boards(library: Library, _: Address) -> View:
    """List the boards."""
    found = groups(library)
    rows: list[tuple[Cell | str | int | float | None, ...]] = [
        (
            Cell(one.title, leads=Address.of("board", one.key)),
            len(one.items),
            Cell(", ".join(item.label for item in one.items), mark="text"),
        )
        for one in found
    ]
    return View(
        title="Leaderboards",
        lead="Runs stand on one board where they differ in nothing but their system.",
        sheets=(Sheet.of("boards", "Boards", ("board", "runs", "systems"), rows),),
        trail=(("Runs", Address.of("runs")),),
    )


def page(library: Library, address: Address) -> View:
    """Show one board."""
    if not address.parts:
        return boards(library, address)
    own, settings = group(library, address.parts[0]), settings_of(address)
    board = board_of(library, own, settings)
    keys = {str(item.folder): item.key for item in own.items}
    contract = asked_of(address)
    return View(
        title=own.title,
        template="board.page.html.j2",
        lead=verdict(board),
        facts=(
            (
                f"{plural(board.questions, 'question')} in {plural(board.conversations, 'conversation')} of "
                f"{board.dataset.name} (sha256 {board.dataset.sha256[:12]}); at most {board.k} memories each."
            ),
            f"{contract_sentence(board.contract).capitalize()}.",
            f"Contract: {board.contract}",
        ),
        notes=tuple(_notes(board)),
        form=picker(address),
        sheets=(
            _ranked(board, keys, contract),
            *_tables(board),
            *strip(library, own, settings),
            _cards(board),
            _exclusions(board, own, contract),
        ),
        charts=tuple(_charts(board)),
        trail=(("Runs", Address.of("runs")), ("Boards", Address.of("board"))),
        more=tuple(_variants(own, address, board, keys)),
        identity={"contract": str(board.contract), "k": str(board.k), "dataset": board.dataset.sha256},
        values={"group": own, "contract": contract, "runs": [(item.key, item.label) for item in own.items]},
    )


def board_of(library: Library, own: Group, settings: Settings) -> Board:
    """Score the runs of a group, once under each contract."""
    ref, folders = own.manifest.dataset.ref, [one.folder for one in own.items]

    def make() -> Board:
        if len(folders) > LARGEST:
            return apart(scored, folders, ref, settings)
        gold = library.gold(ref)
        fit = fitted(settings, gold)
        judged = [align(library.run(one), gold, fit.contract, fit.depth) for one in own.items]
        return leaderboard(judged, gold, fit)

    return library.made(("board", own.key, settings), own.items, make)


def scored(folders: Sequence[Path], ref: str, settings: Settings) -> Board:
    """Score many runs, all of which are held while it lasts."""
    gold = GoldTable.read(open_dataset(ref, allow_unpinned=True))
    fit = fitted(settings, gold)
    return leaderboard(
        [align(load(one, altered=True), gold, fit.contract, fit.depth) for one in folders],
        gold,
        fit,
    )


def _variants(own: Group, address: Address, board: Board, keys: dict[str, str]) -> Iterator[tuple[str, Address]]:
    """Name the same board under the targets that a reader should look at beside it."""
    for target in ("raw", "source", "canonical"):
        if address.get("target", "source") != target:
            yield f"Under target {target}", address.but(target=None if target == "source" else target)
    if len(own.items) > LARGEST:
        yield "Does the order survive?", Address("multiverse", (own.key,), address.asked)
    defined = _comparable(board)
    if len(defined) > 1:
        b, a = (keys[one.run] for one in defined[:2])
        yield "Compare the first two", Address.of("compare", a=a, b=b, **asked_of(address))


def _comparable(board: Board) -> list[Entry]:
    """Return the entries that have a score: others share no question with anybody."""
    return [one for one in board.entries if one.scores[board.measures[0]].value is not None]


def _ranked(board: Board, keys: dict[str, str], contract: dict[str, str]) -> Sheet:
    first, named = board.measures[0], places(board.entries)
    highs = [one.scores[first].high or one.scores[first].value or 0.0 for one in board.entries]
    top = max(1.0, *highs, 0.0)
    rows: list[tuple[Cell | str | int | float | None, ...]] = [
        (
            named[one.label],
            Cell(
                one.label,
                f"{one.system} {one.version}{_said_of(one)}",
                leads=Address.of("run", keys[one.run]),
                mark="" if one.role == "system" else "bench",
            ),
            _scored(one.scores[first], bar(one.scores[first], top)),
            *(_scored(one.scores[measure]) for measure in board.measures[1:]),
            Cell(
                f"{one.scores[first].denominator.scored:,}",
                f"of {one.scores[first].denominator.total:,}",
                one.scores[first].denominator.scored,
            ),
            Cell(percent(one.coverage), value=one.coverage),
            Cell("n/a" if one.context_tokens is None else f"{one.context_tokens:,.0f}", value=one.context_tokens),
            Cell(f"{milliseconds(one.latency.search_p50)} / {milliseconds(one.latency.search_p95)}"),
            *([_beside(one, board, keys, contract)] if len(board.entries) > 1 else []),
        )
        for one in board.entries
    ]
    heads = ("#", "system", *board.measures, "n", "coverage", "tokens", "search p50 / p95, ms")
    return Sheet.of(
        "leaderboard",
        "Leaderboard",
        (*heads, "compare") if len(board.entries) > 1 else heads,
        rows,
        "Brackets and bars: 95 % interval over conversations. #: the ranks that a system may have, all at once in "
        "95 % of cases. n: questions scored of all. Coverage: share of the conversation's turns that the returned "
        "memories bear.",
    )


def _said_of(entry: Entry) -> str:
    if entry.role != "system":
        return f", {entry.role}"
    return ", unranked" if entry.rank is None else ", marked" if entry.marks else ""


def _beside(one: Entry, board: Board, keys: dict[str, str], contract: dict[str, str]) -> Cell:
    """Compare with the first, and the first with the second, where both have a score."""
    defined = _comparable(board)
    if len(defined) < 2 or one not in defined:
        return Cell("")
    first, second = defined[:2]
    other = second if one is first else first
    return Cell("beside", leads=Address.of("compare", a=keys[other.run], b=keys[one.run], **contract))


def _scored(score: Score, drawing: object = None) -> Cell:
    said = interval(score) or score.reason
    return Cell(number(score.value), said, score.value, drawing=drawing or None)  # type: ignore[arg-type]


def _tables(board: Board) -> Iterator[Sheet]:
    categories = tuple(dict.fromkeys(name for one in board.entries for name in one.by_category))
    ks = tuple(sorted({k for one in board.entries for k in one.by_k}))
    if categories:
        yield Sheet.of(
            "categories",
            f"{board.measures[0]} by category",
            ("system", *categories),
            [(one.label, *(_cell(one.by_category.get(name)) for name in categories)) for one in board.entries],
        )
    if ks:
        yield Sheet.of(
            "recall",
            "Recall by k",
            ("system", *(f"k={k}" for k in ks)),
            [(one.label, *(_cell(one.by_k.get(k)) for k in ks)) for one in board.entries],
        )


def _cell(score: Score | None) -> Cell:
    if score is None:
        return Cell("")
    return Cell(
        number(score.value), f"{interval(score) or score.reason} n={score.denominator.scored:,}", score.value
    )


def _cards(board: Board) -> Sheet:
    asked = ("Transforms memory?", "Retrieval unit?", "Mapping to evidence?", "Credit?")
    return Sheet.of(
        "cards",
        "Reporting cards",
        ("system", *asked),
        [(one.label, *(Cell(said, mark="text") for said in one.card)) for one in board.entries],
    )


def _exclusions(board: Board, own: Group, contract: dict[str, str]) -> Sheet:
    rows: list[tuple[Cell | str | int | float | None, ...]] = [
        (
            Cell(question, leads=Address.of("question", own.items[0].key, id=question, **contract)),
            Cell(one.reason, mark="text"),
        )
        for one in board.exclusions
        for question in one.questions
    ]
    return Sheet.of("exclusions", f"Questions without a score: {len(rows):,}", ("question", "why"), rows)


def _notes(board: Board) -> Iterator[str]:
    if told := detectable(board):
        yield told
    yield from (f"{one.label}: {mark}" for one in board.entries for mark in one.marks)
    yield from board.notes
    yield from (f"{one.label}: {note}" for one in board.entries for note in one.notes)


def _charts(board: Board) -> Iterator[Chart]:
    drawn: tuple[tuple[str, str, str, Callable[[Board, str], Figure | None]], ...] = (
        (
            "scores",
            f"{board.measures[0]} of every system",
            "Line: 95 % interval over conversations. Grey triangles: floors and ceilings.",
            charts.leaderboard_chart,
        ),
        (
            "by-category",
            f"{board.measures[0]} by category of question",
            "Stronger colour is higher; n is the number of questions scored.",
            charts.category_chart,
        ),
        (
            "by-tokens",
            "Evidence found by the tokens that a reader is handed",
            charts.BUDGETS,
            charts.budget_chart,
        ),
        (
            "by-k",
            "Recall by the number of memories allowed",
            "k on a log scale; bands are 95 % intervals; dashed: floors, ceilings.",
            charts.k_chart,
        ),
        (
            "latency",
            "Time per call as the harness measured it",
            "Dot: median; bar: 95th percentile; upper line: search, lower line: write. Log scale.",
            charts.latency_chart,
        ),
    )
    for key, title, caption, draw in drawn:
        yield Chart(key, title, caption, partial(draw, board, f"chart-{key}"))
