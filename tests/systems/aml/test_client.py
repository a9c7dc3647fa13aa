"""One request, and whatever becomes of it."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.aml.client import address_of, is_private
from support.aml import KEY, RECORDED, client_of, face

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer


@pytest.mark.parametrize("auth", ["token", "bearer", "x-api-key"])
def test_the_key_is_shown_in_three_ways(auth: str) -> None:
    """Our face takes each of them, and no other key."""
    with face() as served:
        assert client_of(served.url, auth=auth).add(RECORDED["add"]).status == 200
        assert client_of(served.url, auth=auth, key="another-of-sixteen").add(RECORDED["add"]).status == 401
        assert client_of(served.url).search(RECORDED["search"], {}).status == 401


def test_a_connection_is_kept_and_made_again(httpserver: HTTPServer) -> None:
    """Paths follow the address; health is asked of the origin, without a key."""
    httpserver.expect_request("/base/v1/add", headers={"Authorization": f"Bearer {KEY}"}).respond_with_json(
        {"a": 1}
    )
    httpserver.expect_request("/health").respond_with_data("fine", status=204)
    client = client_of(httpserver.url_for("/base").rstrip("/"))
    assert client.add({}).value == {"a": 1}
    assert client.health().status == 204
    client.close()
    assert client.add({}).status == 200
    assert "Authorization" not in httpserver.log[1][0].headers


def test_what_does_not_come_is_a_value() -> None:
    """Nobody there, silence, and somebody who hangs up: a status of 0, and why."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        late = client_of(url, timeout_s=0.2).add({})
        assert (late.status, late.late, late.shown) == (0, True, "no answer within 0.2 s")
        threading.Thread(target=_hang_up, args=(silent,), daemon=True).start()
        broken = client_of(url, timeout_s=5).add({})
    assert (broken.status, broken.late) == (0, False)
    assert client_of(url).add({}).shown.startswith("ConnectionRefusedError")


def _hang_up(server: socket.socket) -> None:
    for _ in range(2):
        server.accept()[0].close()


def test_retry_after_is_seconds(httpserver: HTTPServer) -> None:
    """A date, and nonsense, are none."""
    for path, given, wanted in (
        ("/a", "7", 7.0),
        ("/b", "soon", None),
        ("/c", "Wed, 21 Oct 2026 07:28:00 GMT", None),
    ):
        httpserver.expect_request(path).respond_with_data("", status=429, headers={"Retry-After": given})
        assert client_of(httpserver.url_for("")).post(path, {}).retry_after == wanted


def test_a_key_does_not_come_back(httpserver: HTTPServer) -> None:
    """A server that repeats it is not quoted with it."""
    httpserver.expect_request("/v1/add").respond_with_data(f"you sent {KEY}", status=400)
    reply = client_of(httpserver.url_for("").rstrip("/")).add({})
    assert KEY not in reply.shown
    assert "you sent" in reply.shown


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("http://127.0.0.1:80", True),
        ("http://localhost", True),
        ("http://10.0.0.3", True),
        ("http://169.254.1.1", True),
        ("http://[::1]:80", True),
        ("https://memory.example.org", False),
        ("http://8.8.8.8", False),
    ],
)
def test_addresses_that_the_platform_refuses_are_known(url: str, private: bool) -> None:
    """Loopback, private and link-local ones."""
    assert is_private(url) is private


def test_what_cannot_be_asked_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys in addresses, in the clear or absent, forms and paths that are none."""
    monkeypatch.setenv("AML_KEY", KEY)
    for url, options, words in (
        ("https://host/?api_key=abcdefgh12345678", {}, "holds a key"),
        ("http://memory.example.org", {"key": "AML_KEY"}, "in the clear"),
        ("https://host", {"key": "NOT_SET_HERE"}, "is not set"),
        ("https://host", {"auth": "basic"}, "token, bearer, x-api-key"),
        ("https://host", {"add": "add"}, "from the slash"),
    ):
        with pytest.raises(ConfigError, match=words):
            address_of(url, **options)
    address = address_of("http://127.0.0.1:9/", key="AML_KEY", auth="x-api-key")
    assert address.heads == {"X-Api-Key": KEY}
    assert KEY not in repr(address)
