"""Documents for tests of the renderers: one that holds every kind of block, and strategies for hostile ones."""

from __future__ import annotations

from hypothesis import strategies as st

from memgauge.show import (
    Cell,
    CheckOutcome,
    Code,
    Column,
    CountedCheck,
    Document,
    Figure,
    Fold,
    Kind,
    Note,
    Notes,
    Prose,
    Section,
    Step,
    Steps,
    Table,
    Tone,
    Value,
    Way,
    Ways,
)
from memgauge.show.figures import Drawing
from memgauge.stats import Interval

NASTY = st.sampled_from(
    [
        "<script>window.owned = 1</script>",
        "</td></table><img src=x onerror='window.owned = 1'>",
        "\x1b[2J\x1b[31mpassed\x1b[0m",
        "user\u202e\u2066gnp.exe\u2069",
        "=1+1",
        "| cell | `code` **bold** [x](javascript:alert(1))",
        "{{ 7 * 7 }}",
        "lone \ud800 and \uffff",
        "two\nlines",
        "",
    ]
)
TEXTS = NASTY | st.text(max_size=30)


def spec() -> Drawing:
    """Draw a line that is clipped."""
    return Drawing(
        {
            "data": {"values": [{"x": 1, "y": 2}, {"x": 2, "y": 3}]},
            "mark": {"type": "line", "clip": True},
            "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}},
        },
        "It rises.",
    )


def scores() -> Table:
    """Make a table with every kind of column."""
    columns = (
        "system",
        Column("nDCG", Kind.NUMBER, means="how early evidence comes"),
        Column("gain", Kind.SIGNED),
        Column("share", Kind.SHARE, yields=1, aside=True),
        Column("n", Kind.COUNT, under="questions"),
        Column("ms", Kind.MILLISECONDS, yields=2),
        Column("why", Kind.PROSE),
    )
    rows: list[tuple[Cell | Interval | Value, ...]] = [
        (
            Cell("bm25", badges=("marked",)),
            Interval(0.512345678, 0.4, 0.6, 9),
            0.1,
            0.25,
            1234,
            0.456,
            "it is old",
        ),
        ("nobody", Interval(None, None, None, 0, "no question"), None, None, None, None, None),
    ]
    return Table.of("scores", "Scores", columns, rows, "A note.")


def whole(text: str = "words", *, table: Table | None = None) -> Document:
    """Make a document with every kind of block, which says *text* wherever it can."""
    return Document(
        title=text,
        lead=text,
        facts=(text,),
        blocks=(
            Figure("rise", text, text, spec),
            Figure("empty", "Nothing", "", lambda: None),
            table or scores(),
            Prose(text, Tone.WARN),
            Section("card", text, (Ways((Way(text, text), Way("plain"))), Prose(text)), Fold.CARD),
            Section("folded", text, (Table.of("inner", text, ("a", text), [(text, text)], text),), Fold.CLOSED),
            Section(
                "open",
                "What happened",
                (
                    Steps((Step(text, "1", (text,), text, stands_out=True, more=text), Step("plain"))),
                    Code(text),
                    Notes((Note(text, text),)),
                ),
                badges=(Note(text, tone=Tone.WARN),),
                beside=text,
            ),
        ),
        notes=(Note(text, text, Tone.WARN), Note(text)),
        next=text,
        identity={"seed": text},
        data={"text": text, "value": 0.25},
        checks=(
            CountedCheck("suite", text, "passes", output=text),
            CountedCheck(
                "suite", text, "fails", CheckOutcome.FAIL, text, text, text, facts={"gate": text}, place=("f", "3")
            ),
            CountedCheck("suite", text, "breaks", CheckOutcome.ERROR, text),
            CountedCheck("other", text, "waits", CheckOutcome.SKIP, text),
        ),
        suites={"suite": {"seed": text}},
    )
