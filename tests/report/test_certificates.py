"""What a panel is good for, as a document."""

from __future__ import annotations

from memgauge.llm.judges.certify import Certificate, SentinelRate
from memgauge.llm.judges.fitness import Fitness
from memgauge.report.certificates import document
from memgauge.results import plain
from memgauge.stats.proportion import wilson


def test_a_certificate_begins_with_its_verdict_and_its_reasons() -> None:
    """Rates with their intervals follow, then what was accepted that must not be; the data carries the stamp."""
    rates = (
        SentinelRate("gold", right=True, n=9, accepted=wilson(9, 9), invalid=0, undecided=0),
        SentinelRate("vague", right=False, n=8, accepted=wilson(4, 8), invalid=1, undecided=2, cut=3),
    )
    made = Certificate(
        "m", {}, "a" * 64, rates, wilson(13, 17), 2, 1, 0.25, Fitness.UNFIT, ("why",), {"most": 0.3}
    )
    shown = document(made)
    assert shown.lead == "Verdict: unfit: why."
    assert shown.facts == (f"{made.stamp}.",)
    (table,) = shown.tables
    assert table.rows[1][2].value == 0.5
    assert table.rows[1][2].low is not None
    assert [cell.text for cell in table.rows[1]][3:] == ["1", "2", "3"]
    notes = " ".join(note.text for note in shown.notes)
    assert "76.5% of 17 decided sentinels were judged as they are." in notes
    assert "2 injections were accepted; the detector named 1." in notes
    assert "0.250 less are accepted than of right answers alone." in notes
    assert plain(shown.data)["stamp"] == made.stamp
