"""What the shift study says: every number, on the page and on the terminal, and back from a file."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from memgauge.errors import MalformedDataError
from memgauge.results import plain
from memgauge.show.html import page as page_of
from memgauge.show.terminal import lines
from memgauge.stats import Interval
from memgauge.studies.shift.findings.sensitivity import words
from memgauge.studies.shift.published import TABLE_1, TABLE_5
from memgauge.studies.shift.report import SENSITIVITY, SHIFT, SensitivityReport
from memgauge.studies.shift.show import document, sensitivity
from support import known
from support.shift_result import RATES, READINGS, reported, study

if TYPE_CHECKING:
    from memgauge.studies.shift.findings.result import ShiftResult
    from memgauge.studies.shift.findings.sensitivity import DefinitionResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec
    from memgauge.studies.shift.report import ShiftReport

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """What a page holds: tags, text by section, and whether every tag that opens also closes in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self._section = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect a tag."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self._section = dict(attrs).get("id") or ""

    def handle_endtag(self, tag: str) -> None:
        """Close the last open tag, which must be this one."""
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect a tag that closes itself, as drawings have them."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Collect text where it stands."""
        if data.strip() and self.open[-1] not in {"style", "script"}:
            self.texts.setdefault(self._section, []).append(data.strip())

    def values(self, attribute: str) -> list[str]:
        """Return every value of one attribute."""
        return [value for _, attrs in self.tags if (value := attrs.get(attribute)) is not None]


def page(
    result: ShiftResult,
    spec: ShiftSpec,
    *,
    beside: bool = True,
    readings: tuple[DefinitionResult, ...] = READINGS,
) -> str:
    """Write the page of a study, of LoCoMo or of something that the paper did not play."""
    played = reported(result, spec, dataset="locomo:captions=false" if beside else "synthetic", readings=readings)
    return page_of(document(played))


@cache
def usual() -> tuple[ShiftResult, ShiftSpec]:
    """Analyse the usual study once."""
    return study()


@cache
def usual_page() -> str:
    """Write its page once."""
    return page(*usual())


def terminal(report: ShiftReport, *, everything: bool = False) -> str:
    """Print a study on a wide terminal."""
    console = Console(file=StringIO(), width=200)
    for line in lines(document(report), everything=everything):
        console.print(line)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return] # a StringIO


def test_the_page_is_well_formed_and_its_links_lead_somewhere() -> None:
    """Every tag closes in turn, ids occur once, references find one, nothing comes from elsewhere."""
    made = Page(usual_page())
    assert made.open == []
    ids = made.values("id")
    assert len(ids) == len(set(ids))
    named = {part for v in made.values("aria-labelledby") for part in v.split()}
    links = made.values("href")
    assert all(link.startswith("#") for link in links)
    assert {link[1:] for link in links} | named <= set(ids)
    assert made.values("src") == []


def test_the_policy_allows_the_style_of_the_page_and_nothing_else() -> None:
    """The hash is that of the style as written, there is no script, no inline style and no handler."""
    text = usual_page()
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    made = Page(text)
    policy = next(a["content"] for tag, a in made.tags if tag == "meta" and "http-equiv" in a)
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "script" not in {tag for tag, _ in made.tags}
    assert not [name for _, attrs in made.tags for name in attrs if name == "style" or name.startswith("on")]


def test_data_is_text_wherever_it_appears() -> None:
    """Markup in names, reasons, notes, definitions and identity stays text."""
    result, spec = study({EVIL: (0.6, 0.3), "hsr": (0.5, 0.5)}, categories=(EVIL,))  # type: ignore[arg-type]
    reading = replace(READINGS[0], name=EVIL, recovery={EVIL: 0.5, "hsr": 0.4})
    rows = tuple(replace(row, overall=Interval(None, None, None, 0, EVIL)) for row in result.rows)
    for shown in (result, replace(result, rows=rows)):
        played = reported(shown, spec, dataset=EVIL, readings=(reading,), left_out=EVIL)
        made = Page(page_of(document(replace(played, preset=EVIL, memgauge=EVIL))))
        assert not {"script", "img"} & {tag for tag, _ in made.tags}


@pytest.mark.parametrize("beside", [True, False])
def test_table_1_holds_every_number_with_its_interval(beside: bool) -> None:
    """Ours with brackets, published in parentheses when wanted."""
    result, spec = usual()
    shown = Page(page(result, spec, beside=beside)).texts["scores"]
    for row in result.rows:
        assert row.policy in shown
        for value in (row.overall, *row.recovery.values(), *row.recovery_over_questions.values()):
            assert f"{value.mean:.3f}" in shown
            assert f"[{value.low:.3f}, {value.high:.3f}]" in shown
        assert all(f"{value:.3f}" in shown for m, value in row.polluted.items() if m)
    printed = [text for text in shown if text.startswith("(")]
    assert sorted(printed) == (sorted(f"({v:.3f})" for p in RATES for v in TABLE_1[p]) if beside else [])


@pytest.mark.parametrize("beside", [True, False])
def test_table_5_holds_every_agreement(beside: bool) -> None:
    """Inversion and rank correlation under every reading, published beside."""
    result, spec = usual()
    shown = Page(page(result, spec, beside=beside)).texts["ranks"]
    for row in result.ranks:
        assert str(row.burst) in shown
        agreements = (
            row.inversion,
            row.rho,
            row.inversion_beyond_noise,
            row.rho_beyond_noise,
            row.rho_same_stream,
        )
        assert all(("undefined" if a.value is None else f"{a.value:.2f}") in shown for a in agreements)
        assert (f"({TABLE_5[row.burst][1]:.2f})" in shown) is beside


def test_gaps_say_whether_they_hold() -> None:
    """Every pair has its two intervals and a yes or a no with its reason."""
    result, _ = usual()
    shown = Page(usual_page()).texts["gaps"]
    assert len(result.gaps) == shown.count("yes") + shown.count("no") == 10
    assert shown.count("not told from 0") == shown.count("no") > 0
    for gap in result.gaps:
        assert f"{gap.a} - {gap.b}" in shown
        for value in (gap.over_conversations, gap.over_questions):
            assert f"{value.mean:+.3f}" in shown
            assert f"[{value.low:+.3f}, {value.high:+.3f}]" in shown


def test_figures_verdict_counts_and_notes_are_there() -> None:
    """The verdict stands on top, both figures name every policy, the notes are written out."""
    text = usual_page()
    made = Page(text)
    assert made.texts[""][:2] == ["Shift study of locomo:captions=false"] * 2
    assert any(
        t.startswith("fusion is highest overall on the clean stream, but hsr is highest") for t in made.texts[""]
    )
    assert any(t.startswith("240 questions, 180 after a shift, 90 in Recovery@5.") for t in made.texts[""])
    drawn = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(drawn) == 2
    assert all(policy in svg for policy in RATES for svg in drawn)
    assert "Only six conversations." in made.texts["notes"]
    assert "not yet" in made.texts["times"]
    assert any(re.fullmatch(r"T=\d+", text) for text in made.texts["times"])


def test_every_knob_is_explained() -> None:
    """Name, setting and a sentence."""
    shown = Page(page(*study(budget=50))).texts["protocol"]
    assert {"place", "after_evidence", "budget", "50"} <= set(shown)
    assert "A policy may search the newest 50 items." in shown


def test_other_definitions_come_with_their_paragraph() -> None:
    """The grid holds every number, the undefined ones with a reason, and the computed words."""
    shown = Page(usual_page()).texts["definitions"]
    assert words(READINGS) in shown
    for reading in READINGS:
        assert reading.name in shown
        assert all(f"{value:.3f}" in shown for value in reading.recovery.values())
    assert shown[shown.index("undefined") + 1] == "the policies cannot be ordered"


def test_what_was_not_asked_for_leaves_no_trace() -> None:
    """Without readings there is neither a section nor a link to one."""
    made = Page(page(*study(), readings=()))
    assert "definitions" not in made.values("id")
    assert "#definitions" not in made.values("href")


def test_a_study_with_nothing_to_compare_says_so() -> None:
    """One policy and no burst: no gap, no deficit, and ranks that say why they are undefined."""
    result, spec = study({"flat": (0.5, 0.4)}, (0,))
    made = Page(page(result, spec))
    assert "With one policy there is no gap." in made.texts["gaps"]
    assert "Gaps at m=0 that hold over conversations (95 %, Holm over all pairs): none." in made.texts["gaps"]
    assert "No interruption was played." in made.texts["times"]
    assert "fewer than two to order" in made.texts["ranks"]
    assert "Dashed" not in " ".join(made.texts[""])


def test_nothing_undefined_is_shown_as_a_number() -> None:
    """Scores, agreements and gaps without a value say why, and nothing is drawn from them."""
    result, spec = study({"flat": (0.6, 0.3), "hsr": (0.5, 0.5)}, (0, 100))
    none = Interval(None, None, None, 0, "no question is left")
    rows = tuple(
        replace(
            row,
            overall=none,
            recovery=dict.fromkeys((0, 100), none),
            curves=dict.fromkeys((0, 100), (none,) * 10),
        )
        for row in result.rows
    )
    ranks = tuple(
        replace(row, rho_spread=Interval(None, None, None, 0, "nothing to rank")) for row in result.ranks
    )
    gaps = tuple(replace(gap, over_conversations=none, p_adjusted=None) for gap in result.gaps)
    made = Page(page(replace(result, rows=rows, ranks=ranks, gaps=gaps), spec))
    assert made.texts["scores"].count("no question is left") == 6
    assert made.texts["ranks"].count("nothing to rank") == 2
    assert "no interval" in made.texts["gaps"]
    assert "There is nothing to draw: no score is defined." in made.texts[""]
    assert "No policy has a defined score, so nobody leads." in made.texts[""]
    assert "nan" not in " ".join(t for texts in made.texts.values() for t in texts).lower()


def test_rendering_is_deterministic() -> None:
    """The same values give the same bytes."""
    assert page(*study()) == usual_page()


@pytest.mark.parametrize("beside", [True, False])
def test_the_terminal_shows_both_tables_and_the_words(beside: bool) -> None:
    """Counts, both tables, the verdict and the gaps; published values only where they belong."""
    result, spec = usual()
    shown = terminal(reported(result, spec, dataset="locomo" if beside else "longmemeval"))
    assert "240 questions, 180 after a shift, 90 in Recovery@5" in shown
    for row in result.rows:
        for value in (row.overall, *row.recovery.values()):
            assert f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]" in shown
    assert ("(0.568)" in shown) is beside
    assert ("(-0.30)" in shown) is beside
    assert "fusion is highest overall on the clean stream, but hsr is highest after bursts of 100 turns." in shown
    assert "Gaps at m=100 that hold over conversations (95 %, Holm over all pairs): none." in shown
    assert "Runs: 1 folder in runs." in shown


def test_gaps_that_hold_are_named() -> None:
    """A gap that is told from 0 after Holm stands with its interval over conversations."""
    result, spec = study({"flat": (0.9, 0.1), "hsr": (0.5, 0.9)}, (0, 100))
    (gap,) = result.gaps
    around = f"-{-known(gap.over_conversations.mean):.3f}"
    assert f"(95 %, Holm over all pairs): flat - hsr {around}" in terminal(reported(result, spec))


def test_the_terminal_is_brief_and_the_page_holds_every_table() -> None:
    """Knobs, times and folded tables come when everything is asked for; on the page they all stand."""
    made = document(reported(*study({**RATES, "mine": (0.5, 0.4)})))
    tables = list(made.tables)
    assert [table.key for table in tables] == [
        "scores", "conversations", "ranks", "ranks-of-all", "gap-table", "times", "definition-table", "protocol",
    ]  # fmt: skip
    assert all(len(row) == len(table.heads) for table in tables for row in table.rows)
    assert all(f'id="{table.key}"' in page_of(made) for table in tables)
    report = reported(*usual())
    assert "A question is asked right after its last evidence turn." not in terminal(report)
    assert "A question is asked right after its last evidence turn." in terminal(report, everything=True)


@pytest.mark.parametrize(
    ("dataset", "k", "beside"),
    [
        ("locomo", 5, True),
        ("locomo:captions=false", 5, True),
        ("locomo:captions=true", 5, True),
        ("locomo", 10, False),
        ("longmemeval:s", 5, False),
    ],
)
def test_published_figures_stand_beside_locomo_in_every_variant(dataset: str, k: int, beside: bool) -> None:
    """Also where the study is read back, as the viewer does; not at other depths or on other data."""
    played = reported(*study(k=k), dataset=dataset)
    read = SHIFT.read(json.loads(json.dumps(plain(SHIFT.of(played)))))
    for report in (played, read):
        page = page_of(document(report))
        assert ("(0.568)" in page) is beside
        assert ("Hollow: published." in page) is beside


def test_a_study_is_read_back_as_it_was_written() -> None:
    """What a file says is the study again, and gives the same page; another version is refused with a sentence."""
    played = reported(*usual())
    written = json.loads(json.dumps(plain(SHIFT.of(played))))
    assert plain(SHIFT.read(written)) == plain(played)
    assert SHIFT.read(written).spec == played.spec
    with pytest.raises(MalformedDataError, match="version 2"):
        SHIFT.read({**written, "version": 2})
    with pytest.raises(MalformedDataError, match=r"result\.rows\.0\.policy"):
        SHIFT.read(
            {**written, "value": {**written["value"], "result": {**written["value"]["result"], "rows": [{}]}}}
        )


def test_definitions_are_shown_and_read_back_in_the_paper_s_order() -> None:
    """The sensitivity document leads with what survives; a file, which sorts its keys, gives the same table."""
    identity = reported(*usual()).dataset
    survey = SensitivityReport(identity, 100, 5, 42, "1.0", READINGS)
    written = json.loads(json.dumps(plain(SENSITIVITY.of(survey))))
    with pytest.raises(MalformedDataError, match="version 2"):
        SENSITIVITY.read({**written, "version": 2})
    read = SENSITIVITY.read({**written, "version": 1})
    assert plain(read) == plain(survey)
    assert sensitivity(read).lead == words(READINGS)
    assert next(sensitivity(read).tables) == next(sensitivity(survey).tables)
    assert next(sensitivity(read).tables).heads[1:3] == ("flat", "hsr")
