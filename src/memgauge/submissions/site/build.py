"""A registry → its site: pages and feeds, the same bytes however often, in however many processes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError
from memgauge.runs.record.files import small
from memgauge.show.assets import asset
from memgauge.show.exports import write_records
from memgauge.show.html import STYLES
from memgauge.submissions.boards.build import build_boards
from memgauge.submissions.boards.entrants import entrants, newest_day
from memgauge.submissions.boards.moves import MovedRow, moved_rows
from memgauge.submissions.claims.ledger import CLAIMS as LEDGER_OF_CLAIMS
from memgauge.submissions.claims.ledger import judged_ledger
from memgauge.submissions.claims.show import claims_document
from memgauge.submissions.rows.ledger import read_ledger
from memgauge.submissions.site.board_page import board_document, trail
from memgauge.submissions.site.drawers import ALONE
from memgauge.submissions.site.drawing import drawn_files
from memgauge.submissions.site.feeds import LEDGER_COLUMNS, BoardFeed, board_feed, ledger_rows, submissions_feed
from memgauge.submissions.site.frame import SitePage
from memgauge.submissions.site.home import boards_document, home_document
from memgauge.submissions.site.other_pages import (
    dataset_document,
    datasets_document,
    history_document,
    rules_document,
)
from memgauge.submissions.site.places import (
    BOARDS,
    CLAIMS,
    DATASETS,
    FEED,
    HISTORY,
    HOME,
    LEDGER,
    PRODUCTS,
    RULES,
    STYLE,
    board_place,
    dataset_place,
    product_place,
    submission_place,
)
from memgauge.submissions.site.product_page import product_document, products_document
from memgauge.submissions.site.registry_view import RegistryView
from memgauge.submissions.site.submission_page import submission_document, trail_of
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.submissions.repository import Repository
    from memgauge.submissions.site.drawers import Drawers

FILES: Final = "files.json"
"""What a build wrote, so that the next one may replace it, and nothing else."""


@dataclass(frozen=True)
class BuiltSite:
    """What was written."""

    pages: int
    files: int
    bytes: int


def view_of(repository: Repository, cache: Path, *, jobs: int = 1, day: str = "") -> RegistryView:
    """Compute everything that the site shows.

    Rows, and what is inferred of them, are kept in *cache*. Ages are counted from *day*, by default that of the
    newest entry.

    Raises:
        UserError: A sheet is not as its kind is, or a dataset is not at hand.
    """
    folders = list(repository.submissions())
    ledger = read_ledger(repository, folders, cache, jobs)
    today = day or newest_day(repository, folders)
    everybody = entrants(repository, folders, ledger, today)
    boards = build_boards(repository, ledger, everybody, cache)
    claims = judged_ledger(repository.root) if (repository.root / LEDGER_OF_CLAIMS).is_dir() else ()
    return RegistryView(repository, ledger, everybody, boards, today, claims)


def pages(view: RegistryView) -> Iterator[SitePage]:
    """Yield every page."""
    yield SitePage(HOME, home_document(view))
    yield SitePage(BOARDS, boards_document(view))
    yield from (SitePage(board_place(board.name), board_document(board), trail()) for board in view.boards)
    yield SitePage(PRODUCTS, products_document(view))
    for name, product in view.repository.products.items():
        yield SitePage(product_place(name), product_document(view, product), (("Products", PRODUCTS),))
    yield SitePage(DATASETS, datasets_document(view))
    for name, sheet in view.repository.datasets.items():
        yield SitePage(dataset_place(name), dataset_document(view, sheet), (("Datasets", DATASETS),))
    for each in view.entrants:
        place = submission_place(each.id, each.sheet.product, each.sheet.version)
        yield SitePage(place, submission_document(view, each), trail_of(each))
    yield SitePage(CLAIMS, claims_document(view.claims))
    yield SitePage(HISTORY, history_document(view))
    yield SitePage(RULES, rules_document(view))


def write_site(view: RegistryView, out: Path, rows: Path | None = None, drawers: Drawers = ALONE) -> BuiltSite:
    """Write the site below *out*.

    Files are kept beside the folder *rows*; without it every one is drawn anew.

    Raises:
        ConfigError: The folder holds what no build wrote.
    """
    before = _earlier(out)
    written: dict[str, int] = {}

    def write(place: str, content: bytes) -> None:
        path = out / place
        if not _holds(path, content):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        written[place] = len(content)

    out.mkdir(parents=True, exist_ok=True)
    ledger = drawers.begun(partial(write_records, LEDGER_COLUMNS, path=out / LEDGER), list(ledger_rows(view)))
    write(STYLE, "".join(map(asset, STYLES)).encode())
    feeds = [BoardFeed(board_place(board.name, "json"), board) for board in view.boards]
    for place, content in drawn_files(chain(feeds, pages(view)), rows, drawers):
        write(place, content)
    count = sum(place.endswith(".html") for place in written)
    write(FEED, submissions_feed(view).encode())
    ledger()
    written[LEDGER] = (out / LEDGER).stat().st_size
    for place in before - set(written):
        (out / place).unlink(missing_ok=True)
    (out / FILES).write_text(json.dumps(sorted(written), indent=1) + "\n", "utf-8")
    return BuiltSite(count, len(written) + 1, sum(written.values()))


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file is already as it would be written."""
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _earlier(out: Path) -> set[str]:
    """Return what an earlier build wrote there; nothing where the folder is new."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return set()
    if not (out / FILES).is_file():
        raise ConfigError(
            f"{out} is not empty, and holds no site that was built before.", "Choose another folder."
        )
    names = json_of(small(out / FILES))
    known = {str(name) for name in names} if isinstance(names, list) else set()
    return {name for name in known if not name.startswith("/") and ".." not in name.split("/")}


def read_boards(site: Path) -> Mapping[str, Any]:
    """Read the boards that a build wrote, by name.

    Raises:
        ConfigError: There is no site.
    """
    if not (site / FILES).is_file():
        raise ConfigError(f"{site} is no site that was built before.", "Name the folder of an earlier --out.")
    return {path.stem: json_of(small(path, 1 << 28)) for path in sorted((site / "boards").glob("*.json"))}


def unexplained(view: RegistryView, previous: Path, product: str | None = None) -> tuple[MovedRow, ...]:
    """List rows that vanished or moved since *previous* was built, and that nothing new explains.

    *product* is the only one that may explain anything; by default, every one that something new is of.
    """
    before = read_boards(previous)
    known = {item["id"]: item for item in json_of(small(previous / FEED, 1 << 28))["items"]}
    touched = {product} if product is not None else _touched(view, known)
    now = {board.name: json_of(board_feed(board)) for board in view.boards}
    return moved_rows(before, now, touched)


def _touched(view: RegistryView, known: Mapping[str, Any]) -> set[str]:
    """Name the products of what came or went since an earlier build."""
    return {
        each.sheet.product for each in view.entrants if each.id not in known or each.gone != known[each.id]["gone"]
    }
