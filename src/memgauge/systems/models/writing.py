"""``local:NAME``: an installed language model answers, judges and extracts, under the name of its weights."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.llm.provider import open_model
from memgauge.records.identities import SHORT
from memgauge.systems.adapters.listing import identity_at
from memgauge.systems.models.catalogue import local_model
from memgauge.systems.models.lending import served_at

if TYPE_CHECKING:
    from memgauge.llm.messages import ChatModel, Reply, Request

LOCAL: Final = "local:"


class LocalWriter:
    """A local model, started when it is named; its name holds its weights, and so does every key of a record."""

    def __init__(self, name: str, timeout_s: float) -> None:
        """Start the model, or find where it is served.

        Raises:
            UserError: It is not installed, cannot be served, or writes nothing.
        """
        served, url = local_model(name).name, served_at(name)
        about = identity_at(url, served)
        if about is None or about.dim:
            raise ConfigError(f"{LOCAL}{name} embeds texts and writes none.", "See `memgauge models list`.")
        self.name = f"{LOCAL}{served}@{about.weights[:SHORT]}"
        self._served, self._url, self._timeout_s = served, url, timeout_s

    @cached_property
    def _model(self) -> ChatModel:
        return open_model(
            f"openai:{self._served}", base_url=self._url, timeout_s=self._timeout_s, noted_as=LOCAL + self._served
        )

    def complete(self, request: Request) -> Reply:
        """Reply to one request; it raises what a provider's model raises."""
        return self._model.complete(replace(request, model=self._model.name))


def open_writer_model(ref: str, *, base_url: str | None = None, timeout_s: float = 60) -> ChatModel:
    """Open ``local:NAME``, or ``provider:name`` as :func:`memgauge.llm.provider.open_model` does.

    Raises:
        UserError: There is no such model, or it cannot be served.
    """
    if ref.startswith(LOCAL):
        return LocalWriter(ref.removeprefix(LOCAL), timeout_s)
    return open_model(ref, base_url=base_url, timeout_s=timeout_s)
