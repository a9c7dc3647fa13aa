"""Where a document goes: one way of showing for every command, on the terminal, as data, or into files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import aside, emit, say
from memgauge.frame.counting import countable
from memgauge.frame.exits import OK
from memgauge.frame.options import Flag
from memgauge.frame.streams import put, results
from memgauge.refusals import remedy
from memgauge.results import ReadyData, plain
from memgauge.runs.record.files import write_atomically
from memgauge.show.document import Document, Prose
from memgauge.show.exports import csv_text, data_text, write_parquet
from memgauge.show.merging import main_table
from memgauge.show.terminal import lines, printed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.show import CountedCheck, Table


class Format(StrEnum):
    """What a document can be shown as."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    MARKDOWN = MD = "md"
    CSV = "csv"
    JUNIT = "junit"
    PARQUET = "parquet"


_SUFFIXES = {
    ".txt": Format.TEXT,
    ".json": Format.JSON,
    ".html": Format.HTML,
    ".md": Format.MARKDOWN,
    ".csv": Format.CSV,
    ".xml": Format.JUNIT,
    ".parquet": Format.PARQUET,
}


_CHOICE: Final = Parameter(show_default=False, show_choices=False)
"""Help says in words which formats there are: not every one is for every command."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Printing:
    """How what a command did is shown."""

    format: Annotated[Format | None, _CHOICE] = None
    """Shown as text, json, html, md or csv; as junit where something is checked; parquet needs --out."""
    json: Annotated[bool, Flag] = False
    """The result as data: the same as --format json."""
    plain: Annotated[bool, Flag] = False
    """No colour, no bars, no drawn lines; NO_COLOR takes away colour alone."""

    @property
    def as_data(self) -> bool:
        """Whether a program reads what is printed."""
        return self.form is Format.JSON

    @property
    def form(self) -> Format:
        """What is printed."""
        return Format.JSON if self.json else self.format or Format.TEXT

    def tell(self, what: str) -> None:
        """Print what stands beside the document: among it for people, else apart; nothing beside data."""
        if self.form is Format.TEXT:
            say(what)
        elif not self.as_data:
            aside(what)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Output(Printing):
    """How the result is shown, and where it is kept."""

    out: Path | None = None
    """File to write, its kind by its ending; or a folder, for page and data, and JUnit and Markdown of checks."""
    tables: Annotated[bool, Flag] = False
    """Print every table, not the main ones."""

    def folder(self, default: Path) -> Path:
        """Return where what belongs to the result goes: the folder that is written to, else *default*.

        Raises:
            ConfigError: The file's ending is unknown, which is better known before a long run.
        """
        _files(self.out, "")
        return default if self.out is None or self.out.suffix else self.out


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class UncheckedOutput(Output):
    """How the result of a command is shown that checks nothing, so that a build server has nothing to count."""

    format: Annotated[Format | None, _CHOICE] = None
    """Shown as text, json, html, md or csv; parquet needs --out."""


PLAIN = Printing()
SHOWN = Output()
SHOWN_UNCHECKED = UncheckedOutput()
"""On the terminal, unless something else is said."""


def told(data: Any, *lines: str, checks: Iterable[CountedCheck] = ()) -> Document:
    """Make a document of what a command did: a line each for people, *data* for programs, *checks* to count."""
    return Document("", blocks=tuple(map(Prose, lines)), data=ReadyData(data), checks=tuple(checks))


def present(document: Document, shown: Printing, *, name: str = "result", code: int | None = None) -> int:
    """Show a document as *shown* says, keep it where it says, and return *code*.

    Files in a folder are called by *name*. A command that judges nothing has no *code*, and ends well.

    Raises:
        ConfigError: What is asked for cannot be printed, or the file's ending is unknown.
    """
    output = shown if isinstance(shown, Output) else Output(format=shown.format, json=shown.json)
    files = _files(output.out, name)
    if document.checks and output.out is not None and not output.out.suffix:
        files |= {output.out / f"{name}.xml": Format.JUNIT, output.out / f"{name}.md": Format.MARKDOWN}
    form = output.form
    if Format.JUNIT in {form, *files.values()}:
        document = countable(document, name, code)
    for path, kind in files.items():
        write(document, path, kind)
    if form is Format.TEXT:
        for line in lines(document, everything=output.tables):
            say(line)
        if files:
            say(f"Written: {' and '.join(map(str, files))}")
    elif form is Format.JSON:
        emit(plain(document.data))
    elif form is Format.PARQUET:
        raise ConfigError("Parquet is not for terminals.", "Name a file: --out FILE.parquet.")
    else:
        put(text_of(document, form), results())
    return OK if code is None else code


def write(document: Document, path: Path, kind: Format) -> None:
    """Write a document as one file.

    Raises:
        ConfigError: Nothing can be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"Cannot write {path}: {error.strerror}.", remedy(error)) from error
    if kind is Format.PARQUET:
        write_parquet(_main_table(document), path)
    else:
        write_atomically(path, text_of(document, kind))


def text_of(document: Document, kind: Format) -> str:
    """Write a document as text of a kind."""
    match kind:
        case Format.JSON:
            return data_text(plain(document.data))
        case Format.HTML:
            from memgauge.show.html import page

            return page(document)
        case Format.MARKDOWN:
            from memgauge.show.markdown import markdown

            return markdown(document)
        case Format.CSV:
            return csv_text(_main_table(document))
        case Format.JUNIT:
            from memgauge.show.junit import junit

            return junit([document])
        case _:
            return printed(document)


def _main_table(document: Document) -> Table:
    """Return the table that a document is about.

    Raises:
        ConfigError: It has none.
    """
    table = main_table(document)
    if table is None:
        raise ConfigError("There is no table in this result.", "Take --format json.")
    return table


def _files(out: Path | None, name: str) -> dict[Path, Format]:
    """Return what is written where."""
    if out is None:
        return {}
    if not out.suffix:
        return {out / f"{name}.html": Format.HTML, out / f"{name}.json": Format.JSON}
    if out.suffix not in _SUFFIXES:
        raise ConfigError(
            f"{out.name} has no ending that says what to write.", f"End it in {', '.join(_SUFFIXES)}."
        )
    return {out: _SUFFIXES[out.suffix]}
