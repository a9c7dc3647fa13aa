"""Options of every command that may ask a language model, and what it would take."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from memgauge.frame.console import aside
from memgauge.frame.numbers import COUNT, DURATION, MONEY, NUMBER, PER_MINUTE
from memgauge.frame.options import RUNS, Flag
from memgauge.frame.output import told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.llm.access import Access
    from memgauge.llm.messages import Request
    from memgauge.show import Document


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """How a model is reached, and what may be spent."""

    base_url: str | None = None
    """Another OpenAI-compatible address than the provider's own."""
    cassette: Path = RUNS / "replies.sqlite"
    """Where replies are kept, so that nothing is paid for twice."""
    mode: Literal["live", "record", "replay", "refuse"] = "record"
    """What the record is used for; replay asks nothing."""
    max_usd: Annotated[float | None, MONEY] = None
    """Stop before a call that could cost more in all."""
    max_calls: Annotated[int | None, NUMBER] = None
    """Stop after so many calls."""
    per_minute: Annotated[float | None, PER_MINUTE] = None
    """Calls a minute at most."""
    workers: Annotated[int, COUNT] = 4
    """Calls at a time."""
    timeout: Annotated[float, DURATION] = 60.0
    """Seconds that one call may take."""
    plan: Annotated[bool, Flag] = False
    """Only say what it would take."""

    def open(self, ref: str) -> Access:
        """Open a model behind the record, retries, budget and pace."""
        from memgauge.llm.access import Access, SpendingLimits
        from memgauge.systems.models.writing import open_writer_model

        self.cassette.parent.mkdir(parents=True, exist_ok=True)
        model = open_writer_model(ref, base_url=self.base_url, timeout_s=self.timeout)
        limits = SpendingLimits(self.max_usd, self.max_calls, workers=self.workers, per_minute=self.per_minute)
        return Access(model, limits, cassette=self.cassette, mode=self.mode, tell=aside)

    def estimate(self, accesses: dict[str, Access], requests: Iterable[Request]) -> dict[str, Any]:
        """Say what requests would take; what the record holds is free."""
        from memgauge.llm.budget import SpendingLedger
        from memgauge.llm.prices import expect, price_of

        priced = {name: price_of(name, self.base_url) or price_of(name) for name in accesses}
        held, ledger = 0, SpendingLedger()
        for request in requests:
            cassette = accesses[request.model].cassette
            if cassette is not None and cassette.holds(request):
                held += 1
            else:
                ledger = ledger.plus(expect(request, priced[request.model]))
        return {
            "calls": ledger.calls,
            "held": held,
            "input_tokens": ledger.input_tokens,
            "output_tokens": ledger.output_tokens,
            "usd": None if ledger.unpriced else ledger.usd,
            "minutes": ledger.calls / self.per_minute if self.per_minute else None,
        }


def tell_if_kept(accesses: Iterable[Access], what: str, folder: Path) -> None:
    """Say where no model was asked, since *what* is shown was kept before: it may come from another server."""
    ledgers = [access.ledger for access in accesses]
    if ledgers and not any(ledger.calls or ledger.replayed for ledger in ledgers):
        aside(
            f"Nothing was asked: {what} were kept before, in {folder}, whichever server is named now. "
            "Remove it to ask anew."
        )


def estimated(estimate: dict[str, Any]) -> Document:
    """Say what it would take."""
    usd = "no price is known" if estimate["usd"] is None else f"about {estimate['usd']:.2f} USD"
    minutes = "" if estimate["minutes"] is None else f", about {estimate['minutes']:.0f} min"
    return told(
        estimate,
        f"{estimate['calls']:,} calls ({estimate['held']:,} more are in the record), "
        f"{estimate['input_tokens']:,} tokens in, up to {estimate['output_tokens']:,} out: {usd}{minutes}.",
    )


def spent(accesses: Iterable[Access]) -> dict[str, Any]:
    """Return what was taken, model by model, and the hash of the record that replies came from.

    A sum of which a part has no known price is not known.
    """
    return {
        access.name: asdict(access.ledger)
        | {"usd": None if access.ledger.unpriced else access.ledger.usd}
        | {"cassette": access.cassette.digest() if access.cassette is not None else ""}
        for access in accesses
    }
