"""A run that changed after it was sealed is shown with a mark, in the list and wherever its numbers stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.web.address import Address
from memgauge.web.library import Library
from memgauge.web.site import Site

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_that_is_not_as_it_was_sealed_is_marked(tmp_path: Path) -> None:
    """The file is named; restored, the run is like any other."""
    (folder,) = execute(plan(["synthetic:tiny"], ["none"]), tmp_path, executor=Inline(), check=False)
    site = Site(Library((tmp_path,), clock=iter(range(0, 10**6, 10)).__next__))
    pages = [Address.of("run", folder.name), Address.of("memories", folder.name)]
    assert not any("Not as sealed" in site.html(page) for page in pages)
    hits = folder / "hits.parquet"
    whole = hits.read_bytes()
    hits.write_bytes(whole + b"x")
    assert "not as sealed" in site.html(Address.of("runs"))
    for page in pages:
        assert "(hits.parquet changed): believe no number of it" in site.html(page)
    hits.write_bytes(whole)
    assert "not as sealed" not in site.html(Address.of("runs"))
    assert not any("Not as sealed" in site.html(page) for page in pages)


def test_a_seal_that_is_none_is_marked(tmp_path: Path) -> None:
    """The list is shown all the same."""
    (folder,) = execute(plan(["synthetic:tiny"], ["none"]), tmp_path, executor=Inline(), check=False)
    (folder / SEAL).write_text("rubbish")
    shown = Site(Library((tmp_path,))).html(Address.of("runs"))
    assert "not as sealed" in shown
    assert "SEAL changed" in shown


@pytest.mark.parametrize("name", ["questions.parquet", "hits.parquet", "memories.parquet", "writes.parquet"])
def test_a_table_that_is_gone_spoils_no_other_page(tmp_path: Path, name: str) -> None:
    """The list says what is gone; a page that needs it says so in a sentence, and all others are shown."""
    lame, whole = execute(plan(["synthetic:tiny"], ["none", "bm25"]), tmp_path, executor=Inline(), check=False)
    (lame / name).unlink()
    site = Site(Library((tmp_path,)))
    assert f"{name} is gone" in site.html(Address.of("runs"))
    assert "bm25" in site.html(Address.of("run", whole.name))
    for page in (Address.of("run", lame.name), Address.of("memories", lame.name)):
        assert name in _shown(site, page)


def _shown(site: Site, page: Address) -> str:
    """Return a page, or the sentence in its place."""
    try:
        return site.html(page)
    except RunError as refused:
        return str(refused)
