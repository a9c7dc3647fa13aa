"""The program of a model's process: open the engine, say where it listens, and end when nobody holds its input."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from memgauge.errors import MemgaugeError
from memgauge.foreign import Raised, call_foreign
from memgauge.models.serving import LocalServer
from memgauge.registry import load_target
from memgauge.systems.models.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.models.engines import Engine


def serve_model(arguments: Mapping[str, Any], lifeline: BinaryIO, answers: BinaryIO) -> None:
    """Serve the model that *arguments* describe; the first line that is written says where, or why not."""
    settings = EngineSettings(**arguments)
    engine = call_foreign(
        lambda: cast("Callable[[EngineSettings], Engine]", load_target(settings.engine))(settings)
    )
    if isinstance(engine, Raised):
        why = str(engine.error) if isinstance(engine.error, MemgaugeError) else repr(engine.error)
        answers.write(json.dumps({"error": why}).encode() + b"\n")
        answers.flush()
        return
    with LocalServer(engine, settings) as server:
        identity = replace(engine.about, name=settings.name)
        answers.write(json.dumps({"url": server.url, "identity": identity.listing}).encode() + b"\n")
        answers.flush()
        lifeline.read()  # it ends when whoever started it closes it, or is gone
