"""Documents on a terminal."""

from __future__ import annotations

from memgauge.show import Document, Figure, Fold, Prose, Section
from memgauge.show.terminal import lines


def printed(*blocks: Section, everything: bool = False) -> list[str]:
    """Return the lines of sections."""
    return [str(line) for line in lines(Document("Title", blocks=blocks), everything=everything)]


def test_a_section_that_holds_nothing_for_a_terminal_has_no_heading() -> None:
    """Figures are for pages, and what is folded waits until everything is asked for."""
    figure = Figure("f", "Picture", "", lambda: None)
    folded = Section("in", "Inside", (Prose("words"),), Fold.CLOSED)
    assert printed(Section("a", "Drawn", (figure,))) == ["Title"]
    assert printed(Section("a", "Outside", (folded,))) == ["Title"]
    assert printed(Section("a", "Outside", (folded,)), everything=True) == [
        "Title", "", "Outside", "", "Inside", "words",
    ]  # fmt: skip
    assert printed(Section("a", "Both", (figure, Prose("words")))) == ["Title", "", "Both", "words"]
