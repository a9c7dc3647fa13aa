"""Does the order survive another contract: a cell for each, with who stands first and whether the rest follows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import Coverage, Credit
from memgauge.results import result
from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.show.numbers import listed, plural
from memgauge.studies.targets.lineup import TARGETS, AuditSpec, line_up
from memgauge.studies.targets.verdicts import Terms, grid
from memgauge.web.address import Address
from memgauge.web.contracts import picker, settings_of
from memgauge.web.derived import LARGEST, Derivation
from memgauge.web.groups import group
from memgauge.web.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.runs.record.store import Run
    from memgauge.scoring.score import Settings
    from memgauge.web.derived import ScoredTogether
    from memgauge.web.groups import Group
    from memgauge.web.library import Library


@result
@dataclass(frozen=True)
class Multiverse:
    """The order of some runs under every contract of a grid."""

    orders: tuple[tuple[Terms, tuple[str, ...], int], ...]
    """The contract, labels best first, and questions that count for all of them."""
    unsupported: tuple[str, ...]
    empty: tuple[Terms, ...] = ()
    """The contracts under which none of them finds anything: there is no order."""
    unserved: tuple[str, ...] = ()
    """The targets of which not every run stores anything that they credit."""

    @property
    def usual(self) -> tuple[str, ...]:
        """Return the order that most contracts give; of equals the first of the grid."""
        return Counter(order for _, order, _ in self.orders).most_common(1)[0][0] if self.orders else ()


def page(library: Library, address: Address) -> View:
    """Show the strip of one board by itself."""
    board_group = group(library, address.parts[0])
    return View(
        document=Document(
            title=f"Does the order survive? {board_group.title}",
            lead="The same frozen lists under every contract that all runs can be scored by.",
            blocks=strip(library, board_group, settings_of(address), whole=True),
        ),
        form=picker(address),
        trail=(
            ("Runs", Address.of("runs")),
            (board_group.title, Address("board", (board_group.key,), address.asked)),
        ),
    )


def strip(library: Library, board_group: Group, settings: Settings, *, whole: bool = False) -> tuple[Table, ...]:
    """Return the strip of a board; nothing where one run cannot be set beside another."""
    if len(board_group.items) < 2 or (len(board_group.items) > LARGEST and not whole):
        return ()
    multiverse = library.derived(_MULTIVERSE, board_group.items, settings.k)
    return (table(multiverse),) if multiverse.orders else ()


def _scored(together: ScoredTogether, k: int) -> Multiverse:
    # Floors and ceilings stand where they must under any contract: the order of systems is what may turn.
    systems = [run for run in together.runs if _role(run) == "system"]
    if len(systems) < 2:
        return Multiverse((), ())
    try:
        lineup = line_up(systems, together.gold, AuditSpec(k=k), together.dataset)
    except ConfigError:  # nothing of these runs can be set beside another: there is no order to survive
        return Multiverse((), ())
    orders, empty_terms = [], []
    for terms in grid(lineup):
        rows = [audited.rows(terms.target, terms.metric, terms.credit, terms.coverage) for audited in lineup.runs]
        mask = lineup.inside.copy()
        for run_rows in rows:
            mask &= run_rows.defined
        if not mask.any():
            continue
        means = [float(run_rows.values[mask].mean()) for run_rows in rows]
        if not any(means):
            empty_terms.append(terms)
            continue
        order = sorted(range(len(rows)), key=lambda place: (-means[place], lineup.runs[place].label))
        orders.append((terms, tuple(lineup.runs[place].label for place in order), int(mask.sum())))
    unserved = (str(target) for target in TARGETS if not all(run_rows.serves(target) for run_rows in lineup.runs))
    return Multiverse(tuple(orders), tuple(lineup.unsupported), tuple(empty_terms), tuple(unserved))


_MULTIVERSE = Derivation("multiverse", Multiverse, _scored)


def _role(run: Run) -> str:
    return str(run.manifest.system.capabilities.get("role", "system"))


def table(multiverse: Multiverse) -> Table:
    """Set out the orders, a cell for each contract."""
    usual = multiverse.usual
    by_row: dict[tuple[str, str], dict[tuple[str, str], tuple[str, ...]]] = {}
    for terms, order, _ in multiverse.orders:
        by_row.setdefault((terms.target, terms.metric), {})[terms.credit, terms.coverage] = order
    columns = [(str(credit), str(coverage)) for credit in Credit for coverage in Coverage]
    rows: list[tuple[Cell | str | int | float | None, ...]] = [
        (
            f"{target}, {metric}",
            *(_cell(orders.get(column), usual) for column in columns),
        )
        for (target, metric), orders in by_row.items()
    ]
    n_same = sum(order == usual for _, order, _ in multiverse.orders)
    n_led = sum(order[0] == usual[0] for _, order, _ in multiverse.orders)
    return Table.of(
        "multiverse",
        f"Does the order survive? It is the same under {n_same:,} of "
        f"{plural(len(multiverse.orders), 'contract')}; {usual[0]} stands first under {n_led:,}",
        ("target, measure", *(Column(f"{credit}, {coverage}", Kind.TEXT) for credit, coverage in columns)),
        rows,
        " ".join(_below(multiverse)),
    )


def _below(multiverse: Multiverse) -> Iterator[str]:
    """Say what the words mean, which measures are gone over, and what is left out."""
    measures = listed(list(dict.fromkeys(terms.metric for terms, _, _ in multiverse.orders)))
    yield (
        f"The usual order: {', '.join(multiverse.usual)}. Same: this order; same first: others change places; "
        f"else who stands first instead. By point estimates of {measures}, over the questions that all runs "
        "can be scored on: standing first is not leading, which is shown beyond doubt."
    )
    if multiverse.empty:
        targets = listed(list(dict.fromkeys(str(terms.target) for terms in multiverse.empty)))
        yield (
            f"Left out: {plural(len(multiverse.empty), 'contract')} under which none of them finds anything "
            f"(target {targets})."
        )
    if multiverse.unserved:
        yield f"Left out, because not every run stores what it credits: target {listed(multiverse.unserved)}."
    if multiverse.unsupported:
        yield f"Left out, without lineage: {', '.join(multiverse.unsupported)}."


def _cell(order: tuple[str, ...] | None, usual: tuple[str, ...]) -> Cell:
    if order is None:
        return Cell("")
    full_order = ", ".join(order)
    if order == usual:
        return Cell("same", value=full_order, mark="same")
    same_first = order[0] == usual[0]
    return Cell("same first" if same_first else order[0], value=full_order, mark="led" if same_first else "turned")
