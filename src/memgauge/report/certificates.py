"""What a panel of judges is good for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ReadyData, plain
from memgauge.show import Column, Document, Kind, Note, Table, Tone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.llm.judges.certify import Certificate


def document(certificate: Certificate) -> Document:
    """Say what a panel accepts and rejects of what is known, and what follows."""
    why = f": {'; '.join(certificate.reasons)}" if certificate.reasons else ""
    return Document(
        title=certificate.panel,
        lead=f"Verdict: {certificate.verdict}{why}.",
        facts=(f"{certificate.stamp}.",),
        blocks=(_rates(certificate),),
        notes=tuple(_notes(certificate)),
        origin="answers of which it is known whether they are right",
        data=ReadyData(plain(certificate) | {"stamp": certificate.stamp}),
    )


def _rates(certificate: Certificate) -> Table:
    columns = (
        Column("sentinels", Kind.TEXT),
        Column("n", Kind.COUNT),
        Column("accepted", Kind.NUMBER, means="share of those decided, with its 95 % interval"),
        *(Column(head, Kind.COUNT) for head in ("invalid", "undecided", "cut off")),
    )
    rows = [
        (rate.kind, rate.n, rate.accepted, rate.invalid, rate.undecided, rate.cut) for rate in certificate.rates
    ]
    return Table.of("sentinels", "What it accepts", columns, rows)


def _notes(certificate: Certificate) -> Iterator[Note]:
    if certificate.agreed.mean is not None:
        agreed = certificate.agreed
        yield Note(f"{agreed.mean:.1%} of {agreed.n} decided sentinels were judged as they are.")
    accepted = certificate.injections_accepted
    yield Note(
        f"{accepted} injections were accepted; the detector named {certificate.injections_reported}.",
        tone=Tone.WARN if accepted else Tone.PLAIN,
    )
    if certificate.length is not None:
        less = f"{abs(certificate.length):.3f} {'less' if certificate.length >= 0 else 'more'}"
        yield Note(f"Of right answers within a sentence, {less} are accepted than of right answers alone.")
