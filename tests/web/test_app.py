"""The application over HTTP: what goes out, who comes in, and what happens to nonsense."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from memgauge.errors import ConfigError
from memgauge.web import sending
from memgauge.web.app import application
from memgauge.web.library import Library
from memgauge.web.security import COOKIE, POLICY, Door, is_loopback

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.web.address import Address
    from memgauge.web.library import Item

TOKEN = "a token that is long enough"  # noqa: S105 - of these tests


def client(library: Library, door: Door | None = None, base: str = "http://127.0.0.1") -> TestClient:
    """Open the application."""
    return TestClient(
        application(library, door or Door.of("127.0.0.1", "")), base_url=base, follow_redirects=False
    )


@pytest.mark.parametrize("path", ["/", "/board", "/nothing", "/static/view.css", "/static/none", "/run/none"])
def test_every_answer_carries_the_policy(library: Library, path: str) -> None:
    """Pages, files and refusals allow our own style and script and nothing else."""
    found = client(library).get(path)
    assert found.headers["content-security-policy"] == POLICY
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["referrer-policy"] == "no-referrer"
    assert "unsafe" not in POLICY


def test_no_page_holds_script_or_style_of_its_own(library: Library, bm25: Item) -> None:
    """Markup holds no inline script, no style and no handler, so the policy takes nothing away."""
    for path in ("/", "/compare", f"/run/{bm25.key}", f"/question/{bm25.key}?id=u000000_q01"):
        html = client(library).get(path).text
        assert "<style" not in html
        assert " style=" not in html
        assert html.count("<script") == html.count('<script src="/static/view.js" defer></script>') == 1


@pytest.mark.parametrize(
    ("path", "status"),
    [("/nothing", 404), ("/run/none", 404), ("/board?target=no", 200), ("/compare?a=x", 404), ("/run", 404)],
)
def test_what_cannot_be_shown_is_said_with_a_status(library: Library, path: str, status: int) -> None:
    """A mistake is a page with one sentence, never a traceback."""
    found = client(library).get(path)
    assert found.status_code == status
    assert "Traceback" not in found.text


def test_nothing_can_be_changed(library: Library) -> None:
    """Only reading is answered."""
    for method in ("post", "put", "delete", "patch", "options"):
        assert getattr(client(library), method)("/").status_code == 405


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "127.0.0.1.nip.io"]
)
def test_a_foreign_name_is_turned_away(library: Library, host: str) -> None:
    """A page elsewhere that points its own name at this machine reads nothing."""
    assert client(library).get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1234", "127.0.0.1:80", "[::1]", "[::1]:8765", "127.8.8.8"]
)
def test_names_of_this_machine_are_known(library: Library, host: str) -> None:
    """Loopback is loopback, with and without a port."""
    assert client(library).get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org"])  # noqa: S104 - what must be refused
def test_no_other_host_without_a_token(host: str) -> None:
    """Whoever wants to be reached by others names a token first, and no short one."""
    assert not is_loopback(host)
    with pytest.raises(ConfigError, match="could read these runs"):
        Door.of(host, "")
    with pytest.raises(ConfigError, match="can be guessed"):
        Door.of(host, "short")
    assert Door.of(host, TOKEN).token == TOKEN


def test_the_token_is_asked_for_and_remembered(library: Library) -> None:
    """Without it there is a form and nothing else; with it a cookie that no script reads and no site sends."""
    one = client(library, Door.of("0.0.0.0", TOKEN), "http://198.51.100.7")  # noqa: S104 - with a token
    refused = one.get("/")
    assert refused.status_code == 401
    assert "bm25" not in refused.text
    assert one.get("/live").status_code == 401
    assert one.post("/enter", data={"token": "wrong"}).status_code == 401
    assert one.post("/enter", content=b"token=" + b"x" * 10_000).status_code == 401
    assert one.get("/", headers={"cookie": f"{COOKIE}=wrong"}).status_code == 401
    entered = one.post("/enter", data={"token": TOKEN})
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    assert "HttpOnly; SameSite=Strict" in entered.headers["set-cookie"]
    assert TOKEN not in entered.headers["set-cookie"]
    assert "bm25" in one.get("/").text


def test_programs_show_the_token_in_a_header(library: Library) -> None:
    """A bearer token opens, another does not."""
    one = client(library, Door.of("0.0.0.0", TOKEN))  # noqa: S104 - with a token
    assert one.get("/", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert one.get("/", headers={"authorization": "Bearer x"}).status_code == 401


def test_tables_and_drawings_are_files(library: Library, bm25: Item) -> None:
    """A table comes as CSV and JSON, a chart as SVG with the page's colours and as PNG."""
    one = client(library)
    table = one.get("/runs?as=csv&of=runs")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.text.splitlines()[0].startswith("run,")
    assert one.get("/runs?as=json&of=runs").json()["heads"][0] == "run"
    board = next(part for part in one.get("/board").text.split('"') if part.startswith("/board/"))
    drawn = one.get(f"{board}?as=svg&of=scores")
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert "prefers-color-scheme" in drawn.text
    assert one.get(f"{board}?as=png&of=scores").content.startswith(b"\x89PNG")
    for wrong in ("/runs?as=csv&of=none", "/runs?as=exe&of=runs", "/runs?as=svg&of=runs"):
        assert one.get(wrong).status_code == 404
    assert bm25.key in table.text


def test_tables_of_a_study_are_files_too(library: Library) -> None:
    """What a study draws can be taken away like any other table."""
    from memgauge.web.address import Address
    from memgauge.web.site import Site
    from memgauge.web.studies import found

    one = client(library)
    key = next(each.key for each in found(library) if each.kind == "attribution")
    document = Site(library).view(Address.of("study", key)).document
    table, figure = next(document.tables), next(document.figures)
    assert one.get(f"/study/{key}?as=json&of={table.key}").json()["rows"]
    assert one.get(f"/study/{key}?as=svg&of={figure.key}").text.startswith("<svg")
    assert one.get(f"/study/{key}?as=svg&of=no-such-figure").status_code == 404
    assert one.get(f"/study/{key}?as=csv&of=no-such-table").status_code == 404


def test_progress_is_told_as_it_happens(library: Library) -> None:
    """The first event names every unfinished run, with what is whole on disk."""
    from memgauge.web.live import Tails

    event = Tails(library).event()
    (one,) = json.loads(event.removeprefix("data: ")).values()
    assert (one["conversations"], one["total"], one["sealed"]) == (2, 2, False)
    assert one["questions"] == 32


def test_a_page_is_made_once_for_all_who_ask_at_the_same_time(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks again within a second gets the same page, and after it a new one."""
    from memgauge.web.site import Site

    now, made = [0.0], list[str]()
    real = Site.html

    def html(self: Site, address: Address) -> str:
        made.append(address.url)
        return real(self, address)

    monkeypatch.setattr(Site, "html", html)
    one = client(Library((shelf,), clock=lambda: now[0]))
    first = one.get("/").text
    assert one.get("/").text == first
    one.get("/runs?words=x")
    one.get("/board")
    now[0] = 1.5
    one.get("/")
    assert made == ["/", "/runs?words=x", "/board", "/"]
    monkeypatch.setattr(sending, "AGAIN", (4, 1 << 18))
    for number in range(12):
        one.get(f"/runs?words={number}")
    assert one.get("/").status_code == 200
    assert made[-1] == "/"
