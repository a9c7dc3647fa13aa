"""A run of the golden suite, told five ways: complete, and harmless whatever a memory returned."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from memgauge.errors import MalformedDataError
from memgauge.results import plain
from memgauge.show.html import page as page_of
from memgauge.show.junit import junit
from memgauge.show.markdown import markdown
from memgauge.show.safety import visible
from memgauge.show.terminal import lines
from memgauge.show.terminal import printed as everything
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.checking import AnomalyFinding
from memgauge.studies.golden.drift import drift
from memgauge.studies.golden.history import HISTORY, AcceptedBaseline, History, HistoryRun, rows_of
from memgauge.studies.golden.kinds import GOLDEN
from memgauge.studies.golden.outcome import outcome
from memgauge.studies.golden.show import document
from memgauge.studies.golden.show_history import document as history_document
from memgauge.studies.golden.suite_run import run_suites
from memgauge.studies.golden.summary import Negatives
from memgauge.studies.golden.words import bounded, drift_lines, headline
from support.golden import BROKEN, GOOD, loaded

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.golden.summary import GoldenReport

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> \x1b[31m \x00 \u202e |`*"
DAY = "2026-11-{:02d}T06:00:00+00:00"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> GoldenReport:
    """Run the small suite, one scenario of which cannot be read, on BM25."""
    return run_suites(loaded(tmp_path_factory.mktemp("suite"), GOOD + BROKEN), "bm25")


@pytest.fixture(scope="module")
def hostile(report: GoldenReport) -> GoldenReport:
    """Put what nobody should print wherever a memory or a suite has a say."""
    finding = AnomalyFinding(Anomaly.GARBAGE_READ, 1, "recall", EVIL)
    one = next(one for one in report.played if one.result.scenario == "mutation.deadline")
    result = replace(one.result, findings=(finding,), detail=EVIL, family=EVIL)
    program = replace(report.verdict.programs[0], text=EVIL)
    told = replace(one, result=result, title=EVIL, path=EVIL, provenance=EVIL, story=(EVIL,), programs=(program,))
    system = replace(report.system, name=EVIL, ref=EVIL, problem=EVIL)
    return replace(report, system=system, played=(told,), broken=(EVIL,))


def printed(report: GoldenReport) -> str:
    """Print a run as the command does."""
    console = Console(file=io.StringIO(), width=120, highlight=False)
    for part in lines(document(outcome(report))):
        console.print(part, markup=False)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def page_with(report: GoldenReport, history: History | None = None) -> str:
    """Write the page of a run."""
    return page_of(document(outcome(report, history)))


def test_what_nobody_sees_is_made_visible() -> None:
    """Escapes, bidirectional controls, zero-width characters, surrogates; letters of all scripts stay."""
    assert (
        visible("a\x1b[2Jb\u202ec\u200bd\ud800\U000e0041\n\t")
        == "a\\x1b[2Jb\\u202ec\\u200bd\\ud800\\U000e0041\n\t"
    )
    assert visible("Köln 密码 \N{KEY}") == "Köln 密码 \N{KEY}"


def test_the_terminal_names_every_failure_with_its_witness(report: GoldenReport) -> None:
    """Verdict, table by family, anomaly, layer, witness, file and line, program, and what passed."""
    text = printed(report)
    flat = " ".join(text.split())
    assert "bm25: NOT let through. 2 of 6 scenarios pass; 2 fail, 1 unsupported, 1 xfail. 1 scenario could" in flat
    assert "Suites: small 1.0.0 (sha256 " in flat
    assert "Weakest promise that is broken: current; also not: coexisting, bitemporal." in flat
    assert flat.index("values came back that must not") < flat.index("Methods not tried")
    assert "0 of 6 values were shown to somebody else: at most 50 % (3/N, 95 %)." in flat
    assert "mutation.deadline fail MIXED_VERSIONS at recall" in flat
    assert "replaced it by" in flat
    assert "small.memsuite.yaml:13, hard gate, severity critical, public-issue mem0ai/mem0#4957" in flat
    assert "What the memory does not support - needs a memory that is durable: durability.restart." in flat
    assert "there is no step 'sing'" in flat
    assert "MIXED_VERSIONS in 3 steps" in flat
    assert "What passed persistence.next, mutation.known (xfail), isolation.other" in flat


@pytest.mark.parametrize(
    ("checks", "violated", "sentence"),
    [
        (0, 0, "It was never looked whether values were shown to somebody else."),
        (3, 0, "0 of 3 values were shown to somebody else: too few to say how often that may happen."),
        (4, 0, "0 of 4 values were shown to somebody else: at most 75 % (3/N, 95 %)."),
        (1, 1, "1 of 1 value were shown to somebody else."),
    ],
)
def test_what_never_came_back_is_bounded_by_how_often_it_was_looked_for(
    checks: int, violated: int, sentence: str
) -> None:
    """A memory of which nothing was tried is not praised, and no bound is everything."""
    assert bounded(Negatives.of("were shown to somebody else", checks, violated)) == sentence


def test_markdown_fits_a_pull_request(report: GoldenReport) -> None:
    """The same facts as a table and a list."""
    text = markdown(document(outcome(report)))
    assert text.startswith("## Golden suite: bm25\n\nbm25: NOT let through.")
    assert "| family | n | pass | fail | unsupported | xfail | anomalies |" in text
    assert "mutation.deadline" in text
    assert "replaced it by" in text
    assert "not readable" in text


def test_junit_tells_a_build_server_what_to_stop_for(report: GoldenReport) -> None:
    """A hard failure fails; soft, unsupported and known ones are skipped; properties say the rest."""
    root = ET.fromstring(junit([document(outcome(report))]))  # noqa: S314 - made a line above
    cases = {case.get("name", ""): case for case in root.iter("testcase")}
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "7", "failures": "1", "errors": "1", "skipped": "3",
    }  # fmt: skip
    failed = cases["mutation.deadline"]
    assert failed.get("line") == "13"
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("type") == "MIXED_VERSIONS"
    assert {node.get("name"): node.get("value") for node in failed.iter("property")} == {
        "anomaly": "MIXED_VERSIONS",
        "layer": "recall",
        "family": "mutation",
        "severity": "critical",
        "gate": "hard",
        "provenance": "public-issue mem0ai/mem0#4957",
    }
    soft = cases["mutation.soft"].find("skipped")
    assert soft is not None
    assert (soft.get("message") or "").startswith("soft gate: fail MIXED_VERSIONS")
    assert cases["persistence.next"].find("failure") is None


def test_an_error_is_an_error_of_its_case(report: GoldenReport) -> None:
    """A memory that raises is told from one that is wrong."""
    result = replace(report.played[0].result, verdict="error", detail="search raised ValueError")
    failed = replace(report, played=(replace(report.played[0], result=result),))
    root = ET.fromstring(junit([document(outcome(failed))]))  # noqa: S314 - made here
    error = next(root.iter("error"))
    assert (error.get("type"), error.get("message")) == ("error", "error: search raised ValueError")


def test_data_holds_everything(report: GoldenReport) -> None:
    """Elle's fields, coverage, bounds, and every scenario."""
    data = json.loads(json.dumps(plain(outcome(report))))
    verdict = data["verdict"]
    assert (verdict["valid"], verdict["weakest"], verdict["also"]) == (
        False,
        "current",
        ["coexisting", "bitemporal"],
    )
    assert verdict["anomalies"] == ["MIXED_VERSIONS"]
    assert verdict["ids"]["unsupported"] == ["durability.restart"]
    assert verdict["negatives"][0]["bound"] == pytest.approx(0.5)
    assert verdict["families"] == {"isolation": 1, "mutation": 3, "persistence": 2}
    assert verdict["steps"]["ask"] == 7
    assert verdict["programs"][0]["anomaly"] == "MIXED_VERSIONS"
    assert len(data["report"]["played"]) == 6
    assert data["report"]["suites"][0]["sha256"] == report.suites[0].sha256


def test_a_result_is_read_back_as_it_was_written(report: GoldenReport) -> None:
    """What a file says is the run again with its past, told in the same words; another version is refused."""
    value = outcome(report, past(report, 6))
    written = json.loads(json.dumps(plain(GOLDEN.of(value))))
    again = GOLDEN.read(written)
    assert plain(again) == plain(value)
    assert everything(document(again)) == everything(document(value))
    assert [figure.key for figure in document(again).figures] == [figure.key for figure in document(value).figures]
    assert junit([document(again)]) == junit([document(value)])
    with pytest.raises(MalformedDataError, match="version 2"):
        GOLDEN.read({**written, "version": 2})
    with pytest.raises(MalformedDataError, match="no result of this version"):
        GOLDEN.read({"scenarios": [], "let_through": True, "suites": []})


def test_the_page_of_a_result_has_its_identity_and_history(report: GoldenReport) -> None:
    """Memory, fingerprint, suites, seed, and of how many runs the history is."""
    shown = document(outcome(report, past(report, 3)))
    assert shown.identity["memory"].endswith(", bm25")
    assert shown.identity["fingerprint"] == report.system.fingerprint
    assert shown.identity["small 1.0.0"] == report.suites[0].sha256
    assert (shown.identity["seed"], shown.identity["history"]) == ("0", "3 runs")
    assert {table.key for table in shown.tables} == {"families", "runs"}
    assert all(f'id="{table.key}"' in page_of(shown) for table in shown.tables)


def test_a_history_is_shown_memory_by_memory(report: GoldenReport, tmp_path: Path) -> None:
    """Every run is a row, the baseline is marked, and every metric is a figure."""
    path = tmp_path / "golden.jsonl"
    for run in past(report, 3).runs:
        HISTORY.append(path, run.rows)
    HISTORY.append(path, past(report, 3).accepted)
    shown = history_document(path)
    assert shown.lead == "3 runs of 1 memory; no alarms."
    (runs,) = shown.tables
    assert [row[1].under for row in runs.rows] == ["baseline", "", ""]
    assert len(list(shown.figures)) == 2 + 1 + 3
    assert any("still failing" in note.text for note in shown.notes)


def test_whatever_a_memory_returned_is_text(hostile: GoldenReport) -> None:
    """Markup and control characters reach neither terminal nor page, comment or XML as such."""
    text = printed(hostile)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31m" in text
    assert "\\u202e" in text
    comment = markdown(document(outcome(hostile)))
    assert "<script>" not in comment
    assert "\x1b" not in comment
    ET.fromstring(junit([document(outcome(hostile))]))  # noqa: S314 - made here
    page = page_with(hostile)
    assert "<script>" not in page
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page


class Page(HTMLParser):
    """What a page holds, and whether every tag that opens also closes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect a tag."""
        named = dict(attrs)
        self.ids += [named["id"] or ""] if "id" in named else []
        self.links += [named["href"] or ""] if "href" in named else []
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the last open tag, which must be this one."""
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Pass over what closes itself."""


def past(report: GoldenReport, runs: int) -> History:
    """Make a history in which the run was repeated."""
    made = tuple(HistoryRun(tuple(rows_of(report, DAY.format(day)))) for day in range(1, runs + 1))
    return History(made, (AcceptedBaseline(made[0].id, "Ada", "as released", DAY.format(1)),))


def test_the_page_is_whole_and_shows_each_failure_on_a_timeline(report: GoldenReport) -> None:
    """Well-formed, links lead somewhere, and the steps that a witness names are marked."""
    text = page_with(report)
    page = Page(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert text.count('<span class="badge warn">witness</span>') >= 6
    assert "small.memsuite.yaml:13" in text
    assert "Over time" not in text


def test_a_history_draws_every_metric_over_time(report: GoldenReport) -> None:
    """Verdicts, layers, all cases, and every family; with one run there is nothing to draw."""
    page = Page(page_with(report, past(report, 6)))
    assert page.count["figure"] == 2 + 1 + 3
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert "figure" not in Page(page_with(report, past(report, 1))).count


def test_what_changed_is_put_into_words(report: GoldenReport, tmp_path: object) -> None:
    """The diff with its p-value, lists of names, alarms."""
    better = tuple(
        replace(row, verdict="pass", anomaly="") for row in rows_of(report, DAY.format(1)) if row.layer == "recall"
    )
    runs = (HistoryRun(better), HistoryRun(tuple(rows_of(report, DAY.format(2)))))
    found = drift(History(runs, (AcceptedBaseline(runs[0].id, "Ada", "as released", DAY.format(1)),)))
    assert found is not None
    lines = list(drift_lines(found))
    assert "5 cases: 3 lost, 0 gained, 0 still failing, McNemar p = 0.25; 1 not compared." in lines[0]
    assert lines[1] == "Lost: mutation.deadline, mutation.known, mutation.soft."
    assert "ALARM mutation.deadline: passed in the baseline and does not now" in lines
    same = drift(past(report, 1))
    assert same is not None
    assert next(iter(drift_lines(same))).endswith("is the baseline.")
    assert "- Lost: mutation.deadline" in markdown(document(replace(outcome(report), drift=found)))


def test_a_headline_needs_no_failure(report: GoldenReport) -> None:
    """A run that is right says so and no more."""
    passed = tuple(one for one in report.played if one.result.verdict == "pass")
    right = replace(report, played=passed, broken=())
    assert headline(right) == "bm25: let through. 2 of 2 scenarios pass."
