"""`memgauge results pack`: runs become a submission to a registry of results."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.options import Repeatable
from memgauge.frame.output import PLAIN, Printing, present, told

RESULTS = Path("results")
"""Where a checkout keeps its registry."""


def pack(
    *runs: Path,
    who: Annotated[str, Parameter(name="--as")],
    out: Path = RESULTS,
    registry: Path | None = None,
    division: Literal["closed", "open"] = "closed",
    relation: Literal["none", "vendor", "competitor", "memgauge-author"] = "none",
    slug: str = "default",
    product: str = "",
    lane: str = "",
    contract: str = "",
    adapter: str = "",
    adapter_licence: str = "Apache-2.0",
    licence: Literal["CC0-1.0", "CC-BY-4.0"] = "CC-BY-4.0",
    tuned_on: Annotated[tuple[str, ...], Repeatable] = (),
    supersedes: str = "",
    model_calls: int = 0,
    statement: Path | None = None,
    card: Path | None = None,
    on: str = "",
    shown: Printing = PLAIN,
) -> int:
    """Pack sealed runs of one system into a submission: rows without texts, and all that must stand beside them.

    What the runs and the registry know is written for you: version, lane, contract, options, lock, card, costs. What
    only you know is left open in STATEMENT.md. Then `memgauge results check` says what is missing.

    Example: memgauge results pack runs --as ann --slug default

    Parameters
    ----------
    runs
        Run folders of one system under one setting, or folders of them; `runs` when none is named.
    who
        Your name on GitHub.
    out
        Root of the registry that the submission is written into, or any folder.
    registry
        Registry whose products, lanes and contracts the sheet names, where --out is none.
    division
        closed (the board's contract, three planned runs or more) or open (anything, described).
    relation
        What you have to do with the product.
    slug
        What tells this submission from your others of the day: the setting, in a word.
    product
        Name in the registry; by default that of the system.
    lane
        Name in the registry; by default the one whose models the runs declare.
    contract
        Name in the registry; by default that of the dataset's boards.
    adapter
        Where the code lies that asks the product: owner/repository@commit; by default memgauge itself.
    adapter_licence
        Of that code.
    licence
        Under which you give the rows away.
    tuned_on
        Dataset or split that was looked at while settings were chosen; repeat for several, leave out for none.
    supersedes
        The submission that this one corrects.
    model_calls
        Calls of a model for one question.
    statement
        A STATEMENT.md that is written already.
    card
        What `memgauge systems card --out card.json` wrote; by default the one that memgauge ships.
    on
        Day of the submission, YYYY-MM-DD; today where nothing is said.
    """
    from memgauge.frame.choosing import finished
    from memgauge.submissions.packing.about import Submitted, adapter_source
    from memgauge.submissions.packing.pack import pack as pack_runs
    from memgauge.submissions.repository import Repository

    about = Submitted(
        who=who,
        on=_day(on),
        relation=relation,
        division=division,
        slug=slug,
        product=product,
        lane=lane,
        contract=contract,
        adapter=adapter_source(adapter, adapter_licence) if adapter else None,
        licence=licence,
        tuned_on=tuned_on,
        supersedes=supersedes,
        model_calls=model_calls,
        statement=statement,
        card=card,
    )
    with working("packing"):
        packed = pack_runs(finished(runs), Repository.at(registry or out), about, out)
    place = packed.folder.folder
    lines = [f"{place} ({packed.bytes / 1e6:.1f} MB): {packed.folder.id}"]
    if packed.unsaid:
        lines.append(f"Left for you to say, in {place / 'STATEMENT.md'}: {', '.join(packed.unsaid)}.")
    lines.append(f"Next: memgauge results check {place}")
    data = {"folder": str(place), "id": packed.folder.id, "bytes": packed.bytes, "unsaid": list(packed.unsaid)}
    return present(told(data, *lines), shown)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text) if text else datetime.now(UTC).date()
    except ValueError as error:
        raise ConfigError(f"--on {text!r} is no day.", "Write YYYY-MM-DD.") from error
