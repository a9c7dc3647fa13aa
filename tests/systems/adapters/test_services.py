"""A service is asked once, by the address and the key that a user names."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from memgauge.errors import CallFailed, ConfigError
from memgauge.systems.adapters.services import Service, ServiceNames, ServiceRefused, in_path
from support.services import Answer, RefusedRequest, ServiceDouble, served

if TYPE_CHECKING:
    from support.services import Routes

NAMES = ServiceNames("Somebody's", "SOMEBODY_URL", "SOMEBODY_KEY")


class Numbers(ServiceDouble):
    """Lists seven numbers, and says what it was asked."""

    def _list(self, *, query: dict[str, list[str]], body: object) -> Answer:
        page, size = int(query["page"][0]), int(query["size"][0])
        numbers = [{"n": n} for n in range(7)][(page - 1) * size : page * size]
        return 200, {"items": numbers, "pages": -(-7 // size)}

    def _said(self, name: str, *, query: dict[str, list[str]], body: object) -> Answer:
        return 200, {"name": name, "query": query, "body": body}

    def _nothing(self, *, query: object, body: object) -> Answer:
        raise RefusedRequest(404, "nothing")

    ROUTES: ClassVar[Routes] = (
        ("POST", "numbers", _list),
        ("GET", "said/([^/]+)", _said),
        ("POST", "nothing", _nothing),
    )


def test_paths_and_queries_hold_any_text() -> None:
    """A step of a path is one step, whatever it holds; a list is said several times."""
    with served(Numbers(), NAMES.url, NAMES.key):
        service = Service(NAMES)
        answer = service.request("GET", f"said/{in_path('a/b ü')}", ids=["1", "2"], q="x&y")
        assert answer == {"name": "a/b ü", "query": {"ids": ["1", "2"], "q": ["x&y"]}, "body": {}}
        assert service.host == "127.0.0.1"
        service.close()


def test_a_list_is_read_to_its_last_page() -> None:
    """Of what is not there, there is nothing; what is refused otherwise is a failure."""
    double = Numbers()
    with served(double, NAMES.url, NAMES.key):
        service = Service(NAMES)
        assert [each["n"] for each in service.pages("numbers", 3)] == list(range(7))
        assert list(service.pages("nothing", 3)) == []
        double.next = [(500, b"")]
        with pytest.raises(ServiceRefused, match="refused with HTTP 500"):
            list(service.pages("numbers", 3))
        double.next = [(204, b"")]
        assert service.request("GET", "said/x") is None
        service.close()


def test_a_service_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what went wrong; a key is not needed where none is named."""
    monkeypatch.delenv(NAMES.key, raising=False)
    monkeypatch.setenv(NAMES.url, "http://127.0.0.1:9")
    with pytest.raises(CallFailed, match="broke off during GET said/x"):
        Service(NAMES).request("GET", "said/x")
    monkeypatch.setenv(NAMES.url, "nowhere")
    with pytest.raises(ConfigError, match="no address"):
        Service(NAMES)
