"""`memgauge view`: walk through runs in a browser, or write the pages as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.errors import ConfigError, RunNotFoundError
from memgauge.frame.console import aside, working
from memgauge.frame.exits import OK
from memgauge.frame.numbers import NUMBER, PORT
from memgauge.frame.options import RUNS
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.frame.tokens import chosen_token
from memgauge.show.numbers import in_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKEN = "MEMGAUGE_VIEW_TOKEN"  # noqa: S105 - the name of a variable, and no token


def view(
    *runs: Path,
    host: str = "127.0.0.1",
    port: Annotated[int, PORT] = 8765,
    jobs: Annotated[int, Parameter(show_default=False), NUMBER] = 0,
    token_file: Path | None = None,
    export: Annotated[Path | None, Parameter(show_default=False)] = None,
    questions: Annotated[int, NUMBER] = 100,
    memories: Annotated[int, NUMBER] = 200,
    shown: Printing = PLAIN,
) -> int:
    """Walk through runs and studies in a browser; nothing is changed, and nothing leaves this machine.

    Example: memgauge view runs --port 0

    Parameters
    ----------
    runs
        Run folders, folders of them and of what studies wrote, or patterns (`'runs/*bm25*'`); `runs` when none
        is named.
    host
        Where to serve. Anything but this machine itself needs a token.
    port
        Where to serve; 0 takes any that is free.
    jobs
        Processes that make pages; by default one a core, four at most. They share what they made.
    token_file
        A file with a token of 16 characters or more that every reader must show; or set MEMGAUGE_VIEW_TOKEN.
    export
        Write the pages as files into this folder instead, to be hosted anywhere.
    questions
        Of an export: questions told of each board, the most telling ones.
    memories
        Of an export: memories shown one by one.
    """
    from memgauge.web.library import Library

    roots = _roots(runs)
    if export is not None:
        return _export(Library(tuple(roots)), export, questions, memories, shown)
    from memgauge.web.keeping import ContentStore, viewer_cache
    from memgauge.web.processes import usual_jobs
    from memgauge.web.security import Door
    from memgauge.web.server import serve

    if jobs < 0:
        raise ConfigError(f"{jobs} processes cannot serve.", "Choose --jobs 1 or more, or leave it out.")

    door = Door.of(host, chosen_token(token_file, TOKEN))

    def ready(address: str) -> None:
        line = f"{address} shows {', '.join(map(str, roots))}. Ctrl+C ends it."
        present(told({"address": address}, line), shown)
        if door.token:
            aside("Readers are asked for the token.")

    library = Library(tuple(roots), store=ContentStore(viewer_cache()))
    serve(library, door, port, ready=ready, jobs=jobs or usual_jobs())
    return OK


def _roots(runs: Sequence[Path]) -> list[Path]:
    from memgauge.runs.record.store import matching

    roots = [place for path in runs or (RUNS,) for place in matching(path)]
    for root in roots:
        if not root.exists():
            raise RunNotFoundError(f"There is no {root}.", "Make runs with `memgauge run` or `memgauge demo`.")
    return roots


def _export(library: object, out: Path, questions: int, memories: int, shown: Printing) -> int:
    from memgauge.web.export import export
    from memgauge.web.library import Library

    assert isinstance(library, Library)  # noqa: S101 - imported late, so that help stays fast
    with working("choosing what is told", minutes=True) as update:

        def on_page(written: int, known: int) -> None:
            update(f"{written:,} of {known:,} pages known so far")

        done = export(library, out, questions=questions, memories=memories, on_page=on_page)
    for problem in done.problems:
        aside(f"Not shown: {problem}")
    data = {"folder": str(out), "pages": done.pages, "files": done.files, "problems": list(done.problems)}
    size = in_bytes(done.bytes)
    line = f"{out / 'index.html'}: {done.pages:,} pages and {done.files:,} tables and drawings, {size}"
    return present(told(data, line), shown)
