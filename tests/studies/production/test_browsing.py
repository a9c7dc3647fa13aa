"""Labels on a page of this machine: who may answer, what is kept, and how it reads on a phone."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest

from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.browsing import LabelServer
from memgauge.studies.production.drawing import DrawHow, LabelDraw, draw
from memgauge.studies.production.judgments import JUDGMENTS, LabelVerdict
from memgauge.studies.production.sitting import LabelSitting
from support.browser import AXE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from memgauge.exchange.traffic.reading import Traffic

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def drawn(small: Traffic) -> LabelDraw:
    """Draw twenty questions."""
    return draw(TrafficArrays.of(small), "seal", 20, DrawHow.RANDOM, 4)


def sitting_of(drawn: LabelDraw, path: Path, rater: str = "ada") -> LabelSitting:
    """Sit a rater down."""
    return LabelSitting(drawn, path, rater, lambda: "2026-11-25T09:00:00+00:00")


@pytest.fixture
def server(small: Traffic, drawn: LabelDraw, tmp_path: Path) -> Iterator[LabelServer]:
    """Ask Ada on a free port."""
    with LabelServer(small, sitting_of(drawn, tmp_path / "judgments.jsonl")) as asking:
        thread = Thread(target=asking.serve_forever, args=(0.01,))
        thread.start()
        yield asking
        asking.shutdown()
        thread.join()


def asked(address: str, method: str = "GET", body: dict[str, str] | None = None, **heads: str) -> tuple[int, str]:
    """Ask for an address; return status and text."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=20)
    content = None if body is None else urlencode(body)
    given = {} if body is None else dict(FORM)
    given |= {name.replace("_", "-"): value for name, value in heads.items()}
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    connection.request(method, path, content, given)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text


def said(server: LabelServer) -> list[tuple[str, LabelVerdict]]:
    """List what was kept."""
    return [(each.question, each.verdict) for each in JUDGMENTS.read(server.sitting.path)]


def test_an_answer_is_kept_and_leads_to_the_next_question(server: LabelServer) -> None:
    """With who and when; another answer to the same question counts, and the first stays."""
    names = [question.name for question in server.sitting.drawn.questions]
    status, page = asked(server.address)
    assert (status, "Question 1 of 20" in page, names[0] in page) == (200, True, True)
    assert asked(f"{server.address}say", "POST", {"question": names[0], "verdict": "hit"})[0] == 303
    assert "Question 2 of 20" in asked(server.address)[1]
    again = asked(f"{server.address}?at=1")[1]
    assert 'value="hit" data-key="y" aria-keyshortcuts="y" aria-pressed="true"' in again
    asked(f"{server.address}say", "POST", {"question": names[0], "verdict": "miss"})
    assert said(server) == [(names[0], LabelVerdict.HIT), (names[0], LabelVerdict.MISS)]
    assert server.sitting.verdicts == {names[0]: LabelVerdict.MISS}
    for name in names[1:]:
        asked(f"{server.address}say", "POST", {"question": name, "verdict": "unclear"})
    assert "Nothing is left to ask" in asked(server.address)[1]
    assert server.answered == 21


def test_nobody_else_may_read_or_answer(server: LabelServer) -> None:
    """Neither who does not know the address, nor a page of another site, under whatever name."""
    body = {"question": server.sitting.drawn.questions[0].name, "verdict": "hit"}
    root = f"http://127.0.0.1:{server.server_address[1]}"
    secret = f"{server.address}say"
    assert asked(f"{root}/")[0] == 404
    assert asked(f"{root}/guessed/")[0] == 404
    assert asked(f"{root}/guessed/say", "POST", body)[0] == 404
    assert asked(secret, "POST", body, Origin="http://elsewhere.example")[0] == 403
    assert asked(secret, "POST", body, Origin="null")[0] == 403
    assert asked(secret, "POST", body, Sec_Fetch_Site="cross-site")[0] == 403
    assert asked(server.address, Host="elsewhere.example")[0] == 421
    assert asked(secret, "POST", body, Content_Type="text/plain")[0] == 404
    assert said(server) == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"question": "a/b", "verdict": "hit"}, 400),
        ({"verdict": "hit"}, 400),
        ({"question": "a/b", "verdict": "perhaps"}, 400),
        ({str(n): "x" for n in range(20)}, 400),
        ({"question": "x" * 20_000, "verdict": "hit"}, 413),
    ],
)
def test_what_is_no_answer_is_refused(server: LabelServer, body: dict[str, str], status: int) -> None:
    """And nothing is written."""
    assert asked(f"{server.address}say", "POST", body)[0] == status
    assert said(server) == []


def test_texts_are_shown_and_never_run(small: Traffic, drawn: LabelDraw, tmp_path: Path) -> None:
    """Whatever a production stored; the page allows no script but its own file."""
    rater = "<script>alert(1)</script>"
    with LabelServer(small, sitting_of(drawn, tmp_path / "judgments.jsonl", rater)) as asking:
        page = asking.page(3)
    assert rater not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_two_raters_at_once_lose_nothing(small: Traffic, drawn: LabelDraw, tmp_path: Path) -> None:
    """Two servers, one file, answers that come together."""
    path = tmp_path / "judgments.jsonl"
    servers = [LabelServer(small, sitting_of(drawn, path, rater)) for rater in ("ada", "bob")]
    threads = [Thread(target=asking.serve_forever, args=(0.01,)) for asking in servers]
    for thread in threads:
        thread.start()
    bodies = [{"question": question.name, "verdict": "miss"} for question in drawn.questions]
    with ThreadPoolExecutor(6) as pool:
        sent = [pool.submit(asked, f"{each.address}say", "POST", body) for body in bodies for each in servers]
        assert {future.result()[0] for future in sent} == {303}
    for asking, thread in zip(servers, threads, strict=True):
        asking.shutdown()
        thread.join()
        asking.server_close()
    kept = JUDGMENTS.read(path)
    assert len(kept) == len({(each.question, each.rater) for each in kept}) == 40


def test_a_killed_process_loses_no_answer_that_it_acknowledged(small_folder: Path, tmp_path: Path) -> None:
    """Whoever goes on is asked only what is left."""
    command = [
        sys.executable, "-m", "memgauge", "study", "production", "label", small_folder, tmp_path / "labels",
        "--rater", "ada", "--n", "20", "--browser",
    ]  # fmt: skip
    for round_ in range(2):
        with subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            address = next(line for line in process.stderr if line.startswith("http://")).strip()
            for number in range(3):
                page = asked(address)[1]
                assert f"Question {3 * round_ + number + 1} of 20" in page
                name = page.partition('name="question" value="')[2].partition('"')[0]
                assert asked(f"{address}say", "POST", {"question": name, "verdict": "hit"})[0] == 303
            process.send_signal(signal.SIGKILL)
    assert len(JUDGMENTS.read(tmp_path / "labels" / "judgments.jsonl")) == 6


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.slow)])
def test_the_page_is_quiet_accessible_and_answered_by_keys(
    server: LabelServer, browser: Browser, width: int, scheme: Any
) -> None:
    """On a phone and on a desk: no violation, no request to elsewhere, no scrolling sideways."""
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda sent: wrong.append(sent.url) if server.address not in sent.url else None)
    page.goto(server.address)
    for key, place in (("y", 2), ("n", 3), ("ArrowLeft", 2), ("u", 3)):
        with page.expect_navigation():  # until it is loaded: what answers keys is loaded after the heading
            page.keyboard.press(key)
        assert page.locator("h1").inner_text().startswith(f"Question {place} of")
    found = Axe().run(page, options=AXE).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    boxes = [button.bounding_box() for button in page.get_by_role("button").all()]
    assert min(box["height"] for box in boxes if box) >= 44
    page.close()
    assert wrong == []
    assert [verdict for _, verdict in said(server)] == [
        LabelVerdict.HIT, LabelVerdict.MISS, LabelVerdict.UNCLEAR,
    ]  # fmt: skip
