"""`memgauge data build`: a dataset from one's own chats."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import program, working
from memgauge.frame.numbers import PAUSE, SHARE
from memgauge.frame.options import Flag
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from memgauge.datasets.building.chats import Chats
    from memgauge.datasets.building.origin import ExportOrigin
    from memgauge.show import Document
    from memgauge.show.document import Block

build = App("build", help="Make a dataset from your own chats: start from an export, label it, finish.")


@build.command
def start(
    export: Path,
    *,
    into: Path,
    layout: Literal["jsonl", "chatgpt", "claude", "csv"] | None = None,
    gap_hours: Annotated[float, PAUSE] = 6.0,
    names: Path | None = None,
    key: Annotated[str, Parameter(env_var="MEMGAUGE_SCRUB_KEY", show_default=False)] = "",
    shown: Printing = PLAIN,
) -> int:
    """Read an export, replace what names or reaches a person, and write turns and a worksheet to label them in.

    Nothing leaves this machine. Look through turns.jsonl before it does: nicknames, places and employers are not
    found by themselves.

    Example: memgauge data build start conversations.json --into mine

    Parameters
    ----------
    export
        conversations.json of ChatGPT or Claude, or messages one a line as JSON or CSV.
    into
        Folder to write to.
    layout
        What the export is, where its content does not tell.
    gap_hours
        Silence that ends a session, for exports without sessions.
    names
        File with a name a line to replace beside those of speakers; # begins a remark.
    key
        Secret text that made-up names follow from; it is written nowhere.
    """
    from memgauge.datasets.building.assemble import write_files
    from memgauge.datasets.building.chats import read_chats
    from memgauge.datasets.building.messages import read_file
    from memgauge.datasets.building.origin import ORIGIN, origin_of, write_origin
    from memgauge.datasets.building.scrub import scrub
    from memgauge.datasets.building.turns import TURNS, write_turns
    from memgauge.datasets.building.worksheet import WORKSHEET, write_worksheet

    _require_fresh(into / WORKSHEET, key)
    listed = [] if names is None else _listed(read_file(names))
    with working(f"reading {export}"):
        chats = read_chats(export, layout, gap=timedelta(hours=gap_hours))
        scrubbed = scrub(chats.conversations, key=key, names=listed)
    origin = origin_of(chats, scrubbed, names_given=len(listed))
    files = {
        TURNS: write_turns(scrubbed.conversations),
        ORIGIN: write_origin(origin),
        WORKSHEET: write_worksheet(scrubbed.conversations),
    }
    write_files(into, files)
    data = {"files": [str(into / name) for name in files], **_counts(chats), **origin.model_dump(mode="json")}
    return present(_started(into, chats, origin, data), shown)


def _require_fresh(worksheet: Path, key: str) -> None:
    """Refuse to go on without a key, or over a worksheet that may hold labels.

    Raises:
        ConfigError: One of the two is so.
    """
    if not key:
        remedy = "Choose a text that nobody can guess, and pass it as --key or in MEMGAUGE_SCRUB_KEY."
        raise ConfigError("Made-up names need a key.", remedy)
    if worksheet.exists():
        remedy = "Choose another folder, or remove it if its labels are not needed."
        raise ConfigError(f"{worksheet} exists already.", remedy)


def _listed(text: str) -> list[str]:
    """Return the names of a file with one a line, without remarks."""
    return [name for line in text.splitlines() if (name := line.partition("#")[0].strip())]


@build.command
def finish(
    folder: Path,
    *,
    all_drafts: Annotated[bool, Flag] = False,
    licence: str = "",
    split_seed: str = "0",
    dev_share: Annotated[float, SHARE] = 0.3,
    shown: Printing = PLAIN,
) -> int:
    """Check the filled worksheet and write the dataset beside it.

    Example: memgauge data build finish mine --licence CC-BY-4.0

    Parameters
    ----------
    folder
        Folder that `memgauge data build start` wrote.
    all_drafts
        Also take lines that nobody has reviewed; the datasheet says so.
    licence
        What others may do with the data, in one line.
    split_seed
        Decides the split; keep it once scores exist.
    dev_share
        Share of the questions that are for tuning.
    """
    from memgauge.datasets.building.assemble import assemble, write_files
    from memgauge.datasets.building.origin import ORIGIN, read_origin
    from memgauge.datasets.building.turns import TURNS, read_turns
    from memgauge.datasets.building.worksheet import WORKSHEET, read_worksheet
    from memgauge.version import __version__

    conversations = read_turns(folder / TURNS)
    sheet = read_worksheet(folder / WORKSHEET, conversations, drafts=all_drafts)
    made = assemble(
        conversations,
        sheet,
        generator=f"memgauge data build {__version__}",
        origin=read_origin(folder / ORIGIN),
        licence=licence,
        seed=split_seed,
        dev_share=dev_share,
    )
    write_files(folder, made.files)
    doubts = [{"where": doubt.where, "what": doubt.what} for doubt in sheet.warnings]
    parts = {"dev": len(made.split.dev), "test": len(made.split.test)}
    files = [str(folder / name) for name in made.files]
    data = {"files": files, "counts": made.counts, "split": parts, "lines": sheet.statuses, "warnings": doubts}
    counts = ", ".join(f"{n:,} {name}" for name, n in made.counts.items())
    ref = f"own:{folder if len(folder.parts) > 1 else f'./{folder}'}"
    lines = (
        *(f"Look again: {doubt['where']}: {doubt['what']}" for doubt in doubts),
        f"{folder}: {counts}; {parts['dev']} questions for dev, {parts['test']} for test.",
        f"Next: {program()} data validate {typed(ref)}",
    )
    return present(told(data, *lines), shown)


def _counts(chats: Chats) -> dict[str, int]:
    return {
        "conversations": len(chats.conversations),
        "sessions": sum(len(each.sessions) for each in chats.conversations),
        "turns": sum(1 for each in chats.conversations for _ in each.turns()),
    }


def _started(into: Path, chats: Chats, origin: ExportOrigin, data: object) -> Document:
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Prose, Table

    counts = ", ".join(f"{n:,} {name}" for name, n in _counts(chats).items())
    rows = [(kind, count["distinct"], count["occurrences"]) for kind, count in origin.counts.items()]
    columns = ("replaced", Column("values", Kind.COUNT), Column("occurrences", Kind.COUNT))
    blocks: tuple[Block, ...] = (
        Prose(f"{into}: {counts}, read as {chats.format}."),
        *(Prose(f"Left out: {n:,} messages {reason}.") for reason, n in origin.left_out.items()),
        Table.of("replaced", "", columns, rows),
        Prose(
            f"{origin.speakers} speakers were renamed. Read turns.jsonl: what no form and no list tells is left."
        ),
        Prose(
            f"Next: fill worksheet.jsonl, set status to reviewed, then {program()} data build finish {typed(into)}"
        ),
    )
    return Document("", blocks=blocks, data=ReadyData(data))
