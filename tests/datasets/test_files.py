from __future__ import annotations

import hashlib
import socket
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.files import FileSpec, cache_root, fetch, locate, search_roots, sha256_of, verify
from memgauge.errors import ConfigError, DataError, DataMismatchError, DataNotFoundError

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

CONTENT = b"memories\n" * 1000
SPEC = FileSpec("a.json", hashlib.sha256(CONTENT).hexdigest(), "https://example.org/a.json")


@pytest.fixture(autouse=True)
def _no_data_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMGAUGE_DATA", "MEMGAUGE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_the_cache_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache lies where memgauge's own variable says, else where the desktop's says, else in the home."""
    assert cache_root() == tmp_path / ".cache" / "memgauge"
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_root() == Path("/x/memgauge")
    monkeypatch.setenv("MEMGAUGE_CACHE", "/y")
    assert cache_root() == Path("/y")


def test_looks_at_the_chosen_folder_first_and_the_cache_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order is: the chosen folder, shared data above the working folder, the cache."""
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "checkout").mkdir()
    monkeypatch.chdir(tmp_path / "checkout")
    monkeypatch.setenv("MEMGAUGE_DATA", str(tmp_path / "mine"))
    roots = search_roots()
    assert roots[0] == tmp_path / "mine"
    assert roots[1] == tmp_path / "shared" / "data"
    assert roots[-1] == cache_root()


def test_finds_a_file_in_the_folder_of_its_dataset_or_beside_it(tmp_path: Path) -> None:
    """A file may lie in a folder named after its dataset, which wins, or directly below the root."""
    (tmp_path / "a.json").write_bytes(CONTENT)
    assert locate("toy", SPEC, tmp_path) == tmp_path / "a.json"
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "a.json").write_bytes(CONTENT)
    assert locate("toy", SPEC, tmp_path) == tmp_path / "toy" / "a.json"


def test_a_missing_file_says_where_it_was_looked_for(tmp_path: Path) -> None:
    """The message lists every place and the command that fetches the file."""
    with pytest.raises(DataNotFoundError, match=r"toy/a\.json.*memgauge data fetch toy:big") as caught:
        locate("toy", replace(SPEC, variant="big"))
    assert str(cache_root()) in str(caught.value)


def test_verifies_the_hash(tmp_path: Path) -> None:
    """The published file is pinned; another one is refused, or accepted and branded."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(CONTENT)
    bad.write_bytes(CONTENT + b"!")
    assert verify("toy", SPEC, good).pinned
    found = verify("toy", SPEC, bad, allow_unpinned=True)
    assert (found.pinned, found.sha256) == (False, sha256_of(bad))
    with pytest.raises(DataMismatchError) as caught:
        verify("toy", SPEC, bad)
    message = str(caught.value)
    for part in (str(bad), SPEC.sha256, sha256_of(bad), "--allow-unpinned", "memgauge data fetch toy"):
        assert str(part) in message


def test_an_abbreviated_hash_refuses_what_it_does_not_fit(tmp_path: Path) -> None:
    """Where only the ends of a hash are known, a file that fits them is the published one; others are refused."""
    path = tmp_path / "a.json"
    path.write_bytes(CONTENT)
    whole = sha256_of(path)
    known = replace(SPEC, sha256=f"{whole[:8]}…{whole[-4:]}")
    assert verify("toy", known, path).pinned
    path.write_bytes(CONTENT + b" ")
    with pytest.raises(DataMismatchError, match=f"{whole[:8]}…"):
        verify("toy", known, path)


def test_a_file_without_a_known_hash_is_never_pinned(tmp_path: Path) -> None:
    """Where the published hash is not known, no copy is called the published one."""
    path = tmp_path / "a.json"
    path.write_bytes(CONTENT)
    assert not verify("toy", replace(SPEC, sha256=None), path).pinned


def test_fetches_verifies_and_names_the_file_at_the_end(httpserver: HTTPServer, tmp_path: Path) -> None:
    """A download reports its progress and leaves exactly one file, under its final name."""
    httpserver.expect_request("/a.json").respond_with_data(CONTENT)
    seen: list[tuple[int, int | None]] = []
    path = fetch(
        "locomo",
        replace(SPEC, url=httpserver.url_for("/a.json")),
        tmp_path / "to",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert path == tmp_path / "to" / "locomo" / "a.json"
    assert path.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [p.name for p in path.parent.iterdir()] == ["a.json"]


def test_fetches_into_the_cache_where_it_is_found(httpserver: HTTPServer) -> None:
    """Without a destination a file goes where it will be looked for, whatever the server tells of its size."""
    httpserver.expect_request("/a.json").respond_with_data(CONTENT)
    spec = replace(SPEC, url=httpserver.url_for("/a.json"))
    assert fetch("locomo", spec) == locate("locomo", spec)


def test_a_wrong_download_leaves_nothing_behind(httpserver: HTTPServer, tmp_path: Path) -> None:
    """What is not the published file is refused and removed, and an older copy stays."""
    httpserver.expect_request("/a.json").respond_with_data(b"something else")
    old = tmp_path / "locomo" / "a.json"
    old.parent.mkdir()
    old.write_bytes(CONTENT)
    with pytest.raises(DataMismatchError, match="expected sha256"):
        fetch("locomo", replace(SPEC, url=httpserver.url_for("/a.json")), tmp_path)
    assert [p.name for p in old.parent.iterdir()] == ["a.json"]
    assert old.read_bytes() == CONTENT


def test_a_server_error_is_explained(httpserver: HTTPServer, tmp_path: Path) -> None:
    """An address that is gone becomes a message with the status and the way out."""
    httpserver.expect_request("/a.json").respond_with_data("gone", status=404)
    with pytest.raises(DataError, match=r"404.*by hand"):
        fetch("locomo", replace(SPEC, url=httpserver.url_for("/a.json")), tmp_path)


def test_a_refused_connection_is_explained(tmp_path: Path) -> None:
    """Where nobody listens, the message says so and names the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(DataError, match=r"Cannot download a\.json from http://127\.0\.0\.1.*refused"):
        fetch("locomo", replace(SPEC, url=f"http://127.0.0.1:{port}/a.json"), tmp_path)


def test_a_download_that_stops_early_is_refused(tmp_path: Path) -> None:
    """Fewer bytes than announced are no file."""
    import threading

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort")

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.json"
        with pytest.raises(DataError, match="5 of 99 bytes"):
            fetch("locomo", replace(SPEC, url=url), tmp_path)
        thread.join()


def test_only_web_addresses_are_fetched(tmp_path: Path) -> None:
    """A local or odd address is never opened."""
    with pytest.raises(ConfigError, match="file:///etc"):
        fetch("locomo", replace(SPEC, url="file:///etc/hosts"), tmp_path)


def test_a_folder_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    """Where no folder can be made, the message names it."""
    (tmp_path / "locomo").write_text("in the way", encoding="utf-8")
    with pytest.raises(DataError, match="Cannot write to"):
        fetch("locomo", SPEC, tmp_path)
