"""What is relied on of a model that is served, tried out by asking it."""

from __future__ import annotations

import json
import math
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from memgauge.errors import ConfigError, ModelError
from memgauge.records import Verdict
from memgauge.systems.adapters.listing import headers, identity_at, listed
from memgauge.systems.adapters.vectors import ServedVectors, as_queries
from memgauge.systems.models.catalogue import names_model
from memgauge.systems.models.starting import start_model
from memgauge.text.jsons import json_of, object_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Probe = Callable[[str, str], str]
    """Takes address and model; says what it saw, behind an exclamation mark where that is a fault."""

TEXTS: Final = (
    "Caroline went to a support group last May.",
    "She takes her coffee black.",
    "The engine of the old van failed on the way to the coast.",
)
_NEAR: Final = 1e-3
"""How far a vector may be from the same text's in another batch."""
_SCHEMA: Final = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "sure": {"type": "boolean"}},
    "required": ["city", "sure"],
    "additionalProperties": False,
}
ASK_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class ModelProbe:
    """One thing that was tried."""

    name: str
    verdict: Verdict
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ModelReport:
    """Everything that was tried of one model."""

    about: str
    probes: tuple[ModelProbe, ...]

    @property
    def good(self) -> bool:
        """Whether something works, and nothing fails."""
        verdicts = {probe.verdict for probe in self.probes}
        return Verdict.PASS in verdicts and verdicts <= {Verdict.PASS, Verdict.UNSUPPORTED}


def check_model(name: str) -> ModelReport:
    """Try a model by its name, by the path of its file, or at ``MODEL@ADDRESS``.

    Raises:
        UserError: It cannot be started, or there is no such model.
    """
    with _served(name) as (model, url):
        identity = identity_at(url, model)
        known = [entry for entry in listed(url) if entry.get("id") == model]
        probes = [
            ModelProbe(
                "says who it is",
                Verdict.PASS if identity else Verdict.UNSUPPORTED,
                "" if identity else f"{url} says nothing of weights",
            )
        ]
        kinds = ("embeddings",) if identity and identity.dim else ("chat",) if identity else ("embeddings", "chat")
        for kind in kinds:
            probes += _tried(_EMBEDDING if kind == "embeddings" else _WRITING, url, model, only=bool(identity))
        about = identity.label if identity else f"{model} at {url}, {'listed' if known else 'not listed'}"
        return ModelReport(about, tuple(probes))


@contextmanager
def _served(name: str) -> Iterator[tuple[str, str]]:
    model, _, url = name.removeprefix("openai:").partition("@")
    if url:
        yield model, url
        return
    if not names_model(name):
        raise ConfigError(
            f"There is no model {name!r}.", "Write one of `memgauge models list`, or MODEL@http://…."
        )
    with start_model(name, cache="") as started:
        yield started.name, started.url


def _tried(probes: Mapping[str, Probe], url: str, model: str, *, only: bool) -> Iterator[ModelProbe]:
    """Try every probe; a server that does another kind of work altogether does not support it."""
    for name, probe in probes.items():
        try:
            fault = probe(url, model)
        except ModelError as error:
            yield ModelProbe(name, Verdict.ERROR if only else Verdict.UNSUPPORTED, str(error))
            continue
        yield ModelProbe(name, Verdict.FAIL if fault.startswith("!") else Verdict.PASS, fault.lstrip("!"))


def _vectors(url: str, model: str) -> str:
    started, vectors = time.monotonic(), ServedVectors(model, url)
    rows = vectors.embed(TEXTS)
    lone = [vectors.embed([text])[0] for text in TEXTS]
    off = max(math.dist(row, other) for row, other in zip(rows, lone, strict=True))
    if off > _NEAR:
        return f"!a vector is {off:.4f} away from that of the same text in another batch"
    speed = 2 * len(TEXTS) / (time.monotonic() - started)
    return f"{len(rows[0])} numbers, {speed:.0f} texts a second, the same in any batch"


def _sides(url: str, model: str) -> str:
    vectors = ServedVectors(model, url)
    documents = vectors.embed(TEXTS)
    with as_queries(vectors):
        queries = vectors.embed(TEXTS)
    told_apart = any(math.dist(a, b) > _NEAR for a, b in zip(documents, queries, strict=True))
    identity = identity_at(url, model)
    if identity is not None and identity.sided != told_apart:
        return f"!it says {'that it tells' if identity.sided else 'nothing of telling'} them apart"
    return "told apart" if told_apart else "the same to it"


def _meaning(url: str, model: str) -> str:
    vectors = ServedVectors(model, url)
    rows = vectors.embed(TEXTS)
    with as_queries(vectors):
        query = vectors.embed(["Which hot drink does she like?"])[0]
    scores = [sum(map(float.__mul__, query, row)) for row in rows]
    return "" if max(scores) == scores[1] else "!a question is not nearest to the text that answers it"


def _reply(url: str, model: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "I moved to Lisbon in May. Where do I live?"}]
    body = json.dumps({"model": model, "messages": messages, "temperature": 0, **more}).encode()
    request = Request(f"{url.rstrip('/')}/chat/completions", body, headers())  # noqa: S310 - the user's address
    try:
        with urlopen(request, timeout=ASK_S) as answer:  # noqa: S310 - as above
            completion = json_of(answer.read())
            return {"choice": completion["choices"][0], "usage": completion.get("usage") or {}}
    except HTTPError as error:
        raise ModelError(
            f"{url} answered {error.code}: {error.read()[:200].decode('utf-8', 'replace')}"
        ) from error
    except (URLError, OSError, ValueError, LookupError, TypeError) as error:
        raise ModelError(f"{url} gave no reply: {error!r}") from error


def _words(url: str, model: str) -> str:
    started = time.monotonic()
    used = _reply(url, model, max_tokens=24)["usage"]
    tokens = int(used.get("completion_tokens") or 0)
    if not tokens:
        return "!it does not count its tokens"
    return f"{tokens} tokens, {tokens / (time.monotonic() - started):.1f} a second"


def _cut(url: str, model: str) -> str:
    choice = _reply(url, model, max_tokens=3)["choice"]
    return (
        ""
        if choice.get("finish_reason") == "length"
        else f"!a reply that was cut says {choice.get('finish_reason')}"
    )


def _structured(url: str, model: str) -> str:
    wanted = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": _SCHEMA}}
    text = str(_reply(url, model, max_tokens=60, response_format=wanted)["choice"]["message"].get("content"))
    value = object_of(text)
    fits = value is not None and set(value) == {"city", "sure"} and isinstance(value["sure"], bool)
    return f"{text[:60]!r}" if fits else f"!it wrote {text[:60]!r}"


_EMBEDDING: Final = {"embeds": _vectors, "tells queries from documents": _sides, "finds by meaning": _meaning}
_WRITING: Final = {"writes": _words, "says when it was cut": _cut, "keeps to a schema": _structured}
