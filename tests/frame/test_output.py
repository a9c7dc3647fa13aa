"""Where a document goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.frame.output import Format, Output, Printing, present, told
from memgauge.show import CountedCheck, Document

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_folder_gets_the_checks_that_there_are(tmp_path: Path) -> None:
    """Page and data of everything; what a build server takes, JUnit XML and a comment, of what has checks."""
    present(Document("Title"), Output(out=tmp_path / "plain"), name="x")
    assert sorted(path.name for path in (tmp_path / "plain").iterdir()) == ["x.html", "x.json"]
    checked = Document("Title", checks=(CountedCheck("suite", "group", "name"),))
    assert present(checked, Output(out=tmp_path / "checked"), name="x", code=1) == 1
    written = sorted(path.name for path in (tmp_path / "checked").iterdir())
    assert written == ["x.html", "x.json", "x.md", "x.xml"]
    assert 'tests="1"' in (tmp_path / "checked" / "x.xml").read_text("utf-8")


def test_what_a_command_did_is_counted_wherever_it_is_kept(tmp_path: Path) -> None:
    """Folders on the way to a file are made."""
    done = told({"made": 1}, "made it", checks=(CountedCheck("suite", "group", "name"),))
    present(done, Output(out=tmp_path / "not" / "yet" / "there.xml"))
    assert 'name="name"' in (tmp_path / "not" / "yet" / "there.xml").read_text("utf-8")


def test_what_stands_beside_a_document_is_not_printed_into_it(capsys: pytest.CaptureFixture[str]) -> None:
    """For people it stands among the results, beside a page on standard error, beside data nowhere."""
    said = {}
    for shown in (Printing(), Printing(format=Format.HTML), Printing(json=True)):
        shown.tell("made it")
        captured = capsys.readouterr()
        said[shown.form] = (captured.out, captured.err)
    assert said == {Format.TEXT: ("made it\n", ""), Format.HTML: ("", "made it\n"), Format.JSON: ("", "")}
