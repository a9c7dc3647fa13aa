"""A preflight as a document: for people, for build servers, and read back."""

from __future__ import annotations

import json
from dataclasses import replace

from memgauge.records import Verdict
from memgauge.results import plain
from memgauge.show.html import page
from memgauge.show.junit import junit
from memgauge.show.markdown import markdown
from memgauge.show.terminal import printed
from memgauge.systems.aml.preflight.report import PREFLIGHT, PreflightReport, PreflightRow
from memgauge.systems.aml.preflight.rules import RULES
from memgauge.systems.aml.preflight.show import preflight_document


def row(key: str, verdict: Verdict, detail: str = "") -> PreflightRow:
    """Make a row."""
    rule = RULES[key]
    return PreflightRow(
        key, rule.title, verdict, detail, rule.text, rule.sure, rule.then, rule.remedy, {"hits": 3.0}
    )


RED = PreflightReport(
    address="https://memory.example.org",
    is_private=False,
    cycle=2,
    prefix="preflight:abc",
    timeout_s=60,
    calls=7,
    rows=(
        row("health", Verdict.PASS),
        row("shape", Verdict.FAIL, "Search was answered with a bare array"),
        row("top_k", Verdict.ERROR, "not decided, see shape"),
        row("durable", Verdict.VACUOUS, "not tried"),
        row("deletion", Verdict.UNSUPPORTED),
    ),
)
GREEN = replace(RED, rows=(RED.rows[0], RED.rows[3], RED.rows[4]), is_private=True)


def test_the_first_sentence_says_how_it_ended() -> None:
    """What could not be decided is counted apart from what is broken."""
    assert preflight_document(RED).lead == "1 of 3 rules broken, and 1 could not be decided because of them."
    assert preflight_document(GREEN).lead == "All 1 rules that could be tried are kept."
    assert [each.key for each in RED.failed] == ["shape"]
    assert (RED.green, GREEN.green) == (False, True)


def test_what_is_broken_comes_with_a_remedy() -> None:
    """And with what the platform does, on every surface; none of them promises a place on the board."""
    document = preflight_document(RED)
    for text in (markdown(document), page(document), " ".join(printed(document).split())):
        assert "Put hits under data" in text
        assert "The stage fails at once" in text
        assert "●●●" in text
        assert "predicts a score or a place on the board" in text
    assert "refuses private" not in markdown(document)
    assert "refuses private" in markdown(preflight_document(GREEN))


def test_a_build_server_counts_every_row() -> None:
    """Broken, undecided and not tried are three things."""
    text = junit([preflight_document(RED)])
    assert 'tests="5"' in text
    assert (text.count("<failure"), text.count("<error"), text.count("<skipped")) == (1, 1, 2)


def test_it_reads_back() -> None:
    """What is written is the same when it is read."""
    written = json.loads(json.dumps(plain(preflight_document(RED).data)))
    assert PREFLIGHT.read(written) == RED
