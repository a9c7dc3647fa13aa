"""Pages and boards that are kept are the bytes of fresh ones, and never stale."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import seal
from memgauge.scoring.leaderboard import leaderboard
from memgauge.web import derived
from memgauge.web.address import Address
from memgauge.web.app import application
from memgauge.web.groups import groups
from memgauge.web.keeping import ContentStore
from memgauge.web.library import Library
from memgauge.web.pages import board as boards
from memgauge.web.security import Door
from memgauge.web.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.scoring.board import Board


class Clock:
    """A clock that goes on when told."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def later(self) -> None:
        """Let more time pass than anything is held for."""
        self.now += 10


@pytest.fixture
def runs(shelf: Path, tmp_path: Path) -> Path:
    """Copy the finished runs, to be changed."""
    for path in (shelf / "runs").glob("*"):
        if (path / SEAL).is_file():
            shutil.copytree(path, tmp_path / "runs" / path.name)
    return tmp_path / "runs"


@pytest.fixture
def clock() -> Clock:
    """Make a clock."""
    return Clock()


@pytest.fixture
def ask(runs: Path, tmp_path: Path, clock: Clock) -> Callable[[str], str]:
    """Ask an application that keeps what it makes on disk."""
    library = Library((runs,), clock=clock, store=ContentStore(tmp_path / "kept"))
    client = TestClient(application(library, Door.of("127.0.0.1", "")), base_url="http://127.0.0.1")
    return lambda path: client.get(path).text


def fresh(runs: Path, path: str) -> str:
    """Ask an application that has kept nothing."""
    return all_fresh(runs, [path])[0]


def all_fresh(runs: Path, paths: list[str]) -> list[str]:
    """Ask one application that has kept nothing for all of them."""
    client = TestClient(application(Library((runs,)), Door.of("127.0.0.1", "")), base_url="http://127.0.0.1")
    return [client.get(path).text for path in paths]


def addresses(runs: Path) -> list[str]:
    """Name a page, table and drawing of every kind."""
    library = Library((runs,))
    (own,) = groups(library)
    a, b = own.items[0].key, own.items[1].key
    board = f"/board/{own.key}"
    return [
        "/",
        "/runs",
        "/board",
        board,
        f"{board}?target=canonical&k=10&measure=Recall@5",
        f"{board}?as=csv&of=leaderboard",
        f"{board}?as=json&of=leaderboard",
        f"{board}?as=svg&of=scores",
        f"/multiverse/{own.key}",
        f"/questions/{own.key}?who=split",
        f"/failures/{own.key}",
        f"/failures/{a}?partly=yes",
        f"/compare?a={a}&b={b}",
        f"/run/{a}?category=none",
        f"/question/{a}?id=u000000_q01",
        f"/memories/{a}",
        "/studies",
        "/run/none",
    ]


def test_a_kept_page_has_the_bytes_of_a_fresh_one(
    runs: Path, tmp_path: Path, ask: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages, tables, drawings and problems: made, held, read from the disk, made of boards that were kept."""
    paths = addresses(runs)
    wanted = all_fresh(runs, paths)
    assert [ask(path) for path in paths] == wanted
    assert [ask(path) for path in paths] == wanted

    def nothing(*_: object) -> str:
        raise AssertionError

    again = Library((runs,), store=ContentStore(tmp_path / "kept"))
    client = TestClient(application(again, Door.of("127.0.0.1", "")), base_url="http://127.0.0.1")
    with monkeypatch.context() as patch:
        patch.setattr(Site, "html", nothing)
        assert [client.get(path).text for path in paths[:-1]] == wanted[:-1]
    for path in (tmp_path / "kept").glob("*/*"):  # pages go, boards stay
        if path.is_file() and b"text/html" in path.read_bytes()[:200]:
            path.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(derived, "_opened_and_made", nothing)
        patch.setattr(boards, "leaderboard", nothing)
        later = Library((runs,), store=ContentStore(tmp_path / "kept"))
        client = TestClient(application(later, Door.of("127.0.0.1", "")), base_url="http://127.0.0.1")
        assert [client.get(path).text for path in paths] == wanted


def test_a_run_that_was_added_is_there(
    runs: Path, tmp_path: Path, ask: Callable[[str], str], clock: Clock
) -> None:
    """On the list, on its board, and in the count of the first page."""
    away = tmp_path / "away"
    path = next(runs.glob("*bm25*"))
    shutil.move(path, away)
    for page in ("/", "/runs", "/board"):
        assert "bm25" not in ask(page)
    shutil.move(away, path)
    clock.later()
    pages = addresses(runs)
    assert [ask(page) for page in pages] == all_fresh(runs, pages)
    assert "bm25" in ask("/runs")


def test_a_run_that_was_removed_is_gone(runs: Path, ask: Callable[[str], str], clock: Clock) -> None:
    """Everywhere, and its own page too."""
    key = next(item.key for item in Library((runs,)).finished() if item.label == "bm25")
    before = addresses(runs)
    assert key in ask("/runs")
    assert "Questions" in ask(f"/run/{key}")
    for page in before:
        ask(page)
    shutil.rmtree(next(runs.glob("*bm25*")))
    clock.later()
    assert key not in ask("/runs")
    assert "There is no run" in ask(f"/run/{key}")
    pages = addresses(runs)
    assert [ask(page) for page in pages] == all_fresh(runs, pages)


def test_a_run_that_was_sealed_again_is_scored_again(runs: Path, ask: Callable[[str], str], clock: Clock) -> None:
    """Its board follows from the new seal, under which every ranking is the other way round."""
    (own,) = groups(Library((runs,)))
    page = f"/board/{own.key}?as=json&of=leaderboard"
    before = ask(page)
    folder = next(runs.glob("*bm25*"))
    lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    changed = []
    for line in lines:
        row = json.loads(line)
        if row.get("t") != "question" or len(row["memories"]) < 2:
            changed.append(line)
            continue
        row["memories"] = row["memories"][::-1]
        changed.append(json.dumps(row, separators=(",", ":")).encode() + b"\n")
    assert changed != lines
    (folder / SEAL).unlink()
    (folder / "journal.jsonl").write_bytes(b"".join(changed))
    seal(folder)
    clock.later()
    assert ask(page) != before
    pages = addresses(runs)
    assert [ask(each) for each in pages] == all_fresh(runs, pages)


def test_a_spoilt_run_is_marked_and_nothing_kept_is_believed_of_it(
    runs: Path, ask: Callable[[str], str], clock: Clock
) -> None:
    """While it is spoilt every page of it says so; restored, it is as before, and nothing between stays."""
    (own,) = groups(Library((runs,)))
    page = f"/board/{own.key}"
    before = ask(page)
    hits = next(runs.glob("*bm25*")) / "hits.parquet"
    other = next(runs.glob("*random*")) / "hits.parquet"
    whole = hits.read_bytes()
    hits.write_bytes(other.read_bytes())
    clock.later()
    assert "believe no number of it" in ask(page)
    assert ask(page) == fresh(runs, page)
    hits.write_bytes(whole)
    clock.later()
    assert ask(page) == before


def test_progress_is_never_kept(shelf: Path, tmp_path: Path) -> None:
    """A page that shows how far a run is follows its journal."""
    shutil.copytree(shelf / "runs", tmp_path / "runs")
    begun = tmp_path / "runs" / "begun"
    shutil.copytree(next((shelf / "runs").glob("*random*")), begun)
    (begun / SEAL).unlink()
    clock = Clock()
    library = Library((tmp_path / "runs",), clock=clock, store=ContentStore(tmp_path / "kept"))
    client = TestClient(application(library, Door.of("127.0.0.1", "")), base_url="http://127.0.0.1")
    before = client.get("/").text
    with (begun / "journal.jsonl").open("ab") as file:
        file.write(b'{"t":"end","conversation":"one more","attempt":1,"failed":0}\n')
    clock.later()
    assert client.get("/").text != before


def test_a_board_is_scored_once_for_its_contract(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another contract is another board; a run of another kind changes none, one more of its kind does."""
    scored = list[int]()

    def counting(judged: list[object], *rest: object) -> Board:
        scored.append(len(judged))
        return leaderboard(judged, *rest)  # type: ignore[arg-type] # as it is called

    monkeypatch.setattr(boards, "leaderboard", counting)

    def shown(**asked: object) -> None:
        library = Library((runs,), store=ContentStore(tmp_path / "kept"))
        (own,) = groups(library)
        Site(library).html(Address.of("board", own.key, **asked))

    for _ in range(2):
        shown()
    assert scored == [4]
    shown(target="raw")
    assert scored == [4, 4]
    (tmp_path / "runs" / "note.json").write_text("{}")
    shown()
    assert scored == [4, 4]
    shutil.rmtree(next(runs.glob("*bm25*")))
    shown()
    assert scored == [4, 4, 3]


def test_a_large_board_is_made_apart_while_others_read(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is put off, made in a process of its own, and has the bytes of one that is made here."""
    (own,) = groups(Library((runs,)))
    monkeypatch.setattr(derived, "LARGEST", 1)
    monkeypatch.setattr(boards, "leaderboard", None)  # it would fail here
    library = Library((runs,), store=ContentStore(tmp_path / "kept"))
    client = TestClient(application(library, Door.of("127.0.0.1", "")), base_url="http://127.0.0.1")
    page = f"/board/{own.key}?as=json&of=leaderboard"
    apart = client.get(page)
    monkeypatch.undo()
    assert apart.status_code == 200
    assert apart.text == fresh(runs, page)
