"""An OpenAI-compatible server on loopback, as the tests of language models need it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from werkzeug import Response

from memgauge.llm.messages import Message, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked

KEY = "sk-this-is-no-real-key-0123456789"
NAME = "openai:tiny"


def ask(text: str = "How are you?", **parameters: Any) -> Request:
    """Make a request to the served model."""
    return Request(NAME, (Message("user", text),), parameters)


def completion(text: str | None = "Fine.", finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    """Spell a reply of the chat completions API, of 3 and 2 tokens."""
    return {
        "id": "reply-1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


def answer(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Make a response of JSON."""
    return Response(json.dumps(content), status=status, headers=headers, content_type="application/json")


def failure(
    status: int, message: str = "no", *, code: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """Make an error as OpenAI's API spells it."""
    return answer({"error": {"message": message, "code": code or None}}, status, headers)


def serve(
    server: HTTPServer, *responses: Response | Callable[[Asked], Response], path: str = "chat/completions"
) -> str:
    """Let *server* give these responses in turn, the last one for ever, and return its address."""
    left = list(responses)

    def respond(asked: Asked) -> Response:
        response = left.pop(0) if len(left) > 1 else left[0]
        return response if isinstance(response, Response) else response(asked)

    server.expect_request(f"/v1/{path}").respond_with_handler(respond)
    return server.url_for("/v1")


def bodies(server: HTTPServer) -> list[dict[str, Any]]:
    """List what was asked so far."""
    return [json.loads(asked.get_data()) for asked, _ in server.log]
