"""Whose memory: what a span says of user, conversation and agent, in the words of many emitters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memgauge.exchange.otlp.drafts import count_of, name_of

if TYPE_CHECKING:
    from memgauge.exchange.otlp.spans import Attributes, SpanResource
    from memgauge.text.pseudonyms import Pseudonyms

USER: Final = (
    "user.id",
    "enduser.id",
    "memory.scope.user_id",
    "latitude.memory.scope",
    "langfuse.user.id",
    "traceloop.association.properties.user_id",
)
"""Where a user is looked for, unless it is said otherwise."""
_SESSION: Final = (
    "gen_ai.conversation.id",
    "session.id",
    "memory.scope.run_id",
    "cognee.session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
)
_AGENT: Final = ("gen_ai.agent.id", "gen_ai.agent.name", "memory.scope.agent_id", "agent.name")
_TENANT: Final = ("service.namespace", "tenant.id", "tenant")
_AGENT_SPANS: Final = (
    ("gen_ai.operation.name", frozenset({"invoke_agent", "create_agent"})),
    ("openinference.span.kind", frozenset({"AGENT"})),
    ("traceloop.span.kind", frozenset({"agent"})),
    ("langfuse.observation.type", frozenset({"agent"})),
)
_TOKENS: Final = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"


class SpanFacts(NamedTuple):
    """What one span says of whose it is; empty where it does not."""

    names: tuple[str, str, str] = ("", "", "")
    """User, conversation and agent."""
    runs_agent: bool = False
    """Whether it is the run of an agent, under which its siblings belong to one user."""
    tokens_in: int | None = None
    tokens_out: int | None = None


_NO_FACTS: Final = SpanFacts()
_TELLING: Final = frozenset({*_SESSION, *_AGENT, *_TOKENS, *(name for name, _ in _AGENT_SPANS[1:])})
"""Attributes one of which a span has that says anything but a user; runs of agents name their agent."""


def facts_of(attributes: Attributes, names: Pseudonyms, users: tuple[str, ...]) -> SpanFacts:
    """Read the facts of a span, already under their pseudonyms."""
    if _TELLING.isdisjoint(attributes) and attributes.keys().isdisjoint(users):  # most spans
        return _NO_FACTS
    user = name_of(attributes, *users)
    return SpanFacts(
        (
            names.name("user", user),
            names.name("session", name_of(attributes, *_SESSION)),
            names.name("agent", name_of(attributes, *_AGENT)),
        ),
        any(isinstance(value := attributes.get(key), str) and value in runs for key, runs in _AGENT_SPANS),
        count_of(attributes, _TOKENS[0]),
        count_of(attributes, _TOKENS[1]),
    )


def tenant_of(resource: SpanResource, names: Pseudonyms) -> str:
    """Return the tenant that a resource belongs to."""
    return names.name("tenant", name_of(resource.attributes, *_TENANT))


def service_of(resource: SpanResource) -> str:
    """Name the service and its version."""
    return " ".join(
        filter(None, (name_of(resource.attributes, name) for name in ("service.name", "service.version")))
    )
