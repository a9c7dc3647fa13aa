"""The Slack methods behind the addresses that clients ask: ``POST /slack/api/METHOD``."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from memgauge.studies.track.tools.router import ToolFailed, ToolRouter
from memgauge.studies.track.tools.slack_api import SlackApi
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from memgauge.studies.track.tools.recording import Recorder
    from memgauge.studies.track.world.state import World


def slack_routes(world: World, recorder: Recorder) -> list[Route]:
    """Make the routes; calls are numbered and kept with those of *recorder*, and time goes on as with them."""
    from anyio.to_thread import run_sync
    from starlette.responses import Response
    from starlette.routing import Route

    tools = SlackApi(world).tools()
    caller = recorder.over(ToolRouter(tools.values(), after=partial(world.tick, "call")))

    async def method(request: Request) -> Response:
        name = request.path_params["method"]
        parameters = await _given(request)
        token = parameters.pop("token", "") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if name not in tools:
            return Response(_UNKNOWN, media_type=_JSON)
        body = await run_sync(_call, caller, name, _known(parameters, tools[name].schema), token)
        return Response(body, media_type=_JSON)

    return [Route("/{method}", method, methods=["GET", "POST"])]


_JSON = "application/json; charset=utf-8"
_UNKNOWN = json.dumps({"ok": False, "error": "unknown_method"})


def _call(caller: Recorder, name: str, parameters: Mapping[str, Any], token: str) -> str:
    if not token:
        return json.dumps({"ok": False, "error": "not_authed"})
    try:
        return caller.call(name, parameters).text
    except ToolFailed as failed:
        return json.dumps({"ok": False, "error": failed.code, "detail": failed.message})


async def _given(request: Request) -> dict[str, Any]:
    body = await request.body()
    parameters: dict[str, Any] = dict(request.query_params)
    if "json" in request.headers.get("content-type", ""):
        return parameters | (object_of(body) or {})
    return parameters | dict(parse_qsl(body.decode("utf-8", "replace")))


def _known(parameters: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the parameters of a method, read as what they are; Slack ignores others, and so do we."""
    values = {}
    for name, value in parameters.items():
        types = schema["properties"].get(name, {}).get("type", ())
        if name in schema["properties"] and value is not None:
            values[name] = _read(value, types[0] if isinstance(types, list) else types)
    return values


def _read(value: Any, kind: str) -> Any:
    if kind == "integer" and isinstance(value, str) and value.isdecimal():
        return int(value)
    if kind == "boolean" and isinstance(value, str | int):
        return str(value).lower() in {"1", "true"}
    return value
