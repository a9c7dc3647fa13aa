"""One trace: whose every operation is, which of two spans of one act counts, and what it cost in tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.otlp.answers import longest_runs
from memgauge.exchange.traffic.rows import ScopeFrom, TrafficKind, TrafficOperation, TrafficRecord
from memgauge.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.exchange.otlp.sightings import SightedSpan

_NEXT: Final = 8
"""Answers behind a search that are looked at: a trace may be a conversation of thousands."""
_DEPTH: Final = 256
"""How far up parents are followed."""
INSIDE: Final = "it lies inside another operation, which counts"
_USER, _SESSION, _AGENT = 0, 1, 2


class ResolvedTrace:
    """The spans of one trace, each with its ancestors."""

    def __init__(self, spans: Sequence[SightedSpan]) -> None:
        self._spans = spans
        self._by_id = {(span.trace, span.span): span for span in spans}
        self._runs: dict[tuple[str, str], tuple[set[str], set[str]]] | None = None
        self._answers: list[SightedSpan] | None = None
        self._tokens: defaultdict[tuple[str, str], Counter[int]] = defaultdict(Counter)
        for span in spans:
            self._count_tokens(span)

    def ancestors(self, span: SightedSpan) -> list[SightedSpan]:
        """List the ancestors of a span that were seen, the nearest first."""
        chain: list[SightedSpan] = []
        start = span
        while span.parent and len(chain) < _DEPTH:
            above = self._by_id.get((span.trace, span.parent)) or self._by_id.get((span.home, span.parent))
            if above is None or above is span or above is start:
                break
            chain.append(above)
            span = above
        return chain

    def operations(
        self, left_out: Counter[str], noted: Counter[str]
    ) -> Iterator[tuple[SightedSpan, TrafficOperation, list[TrafficRecord], bool]]:
        """Yield every operation that counts, with its records, and whether its parent was never seen."""
        for span in self._spans:
            if not span.operations:
                continue
            above = self.ancestors(span)
            if any(ancestor.operations for ancestor in above):
                left_out[INSIDE] += len(span.operations)
                continue
            whose = self._whose(span, above, noted)
            token_counts = self._tokens.get((span.trace, span.span), Counter())
            for row in span.operations:
                answers = self._answers_after(row["fields"]["ended_ns"])
                model = next((neighbour.model for neighbour in (span, *above, *answers) if neighbour.model), "")
                operation = _operation(row, span, whose | {"model": model}, token_counts)
                runs = longest_runs(row["words"], [answer.answered[1] for answer in answers if answer.answered[1]])
                yield span, operation, _records(row, runs), bool(span.parent) and not above

    def _answers_after(self, ended_ns: int) -> list[SightedSpan]:
        """List the spans of answers behind a search, the next one first; a memory's own are none."""
        if self._answers is None:
            self._answers = [
                span
                for span in sorted(self._spans, key=lambda span: (span.answered[0], span.span))
                if span.answered[0] and not any(ancestor.operations for ancestor in self.ancestors(span))
            ]
        start = bisect_left(self._answers, ended_ns, key=lambda span: span.answered[0])
        return self._answers[start : start + _NEXT]

    def _whose(self, span: SightedSpan, above: list[SightedSpan], noted: Counter[str]) -> dict[str, Any]:
        """Find user, conversation and agent: on the span, above it, under the same agent, else on the resource."""
        user, source = self._fact(_USER, span, above)
        if source is ScopeFrom.NONE and span.resource_user and user is not None:
            user, source = span.resource_user, ScopeFrom.RESOURCE
        if user is None:
            noted["users that contradict each other on the way up"] += 1
        session, _ = self._fact(_SESSION, span, above)
        if session is None:
            noted["conversations that contradict each other on the way up"] += 1
        agent = next((name for ancestor in (span, *above) if (name := ancestor.facts.names[_AGENT])), "")
        scope = f"{span.tenant}/{user}" if user and span.tenant else user or ""
        return {"scope": scope, "session": session or "", "agent": agent, "scope_from": source}

    def _fact(self, place: int, span: SightedSpan, above: list[SightedSpan]) -> tuple[str | None, ScopeFrom]:
        """Return a name and where it was found; ``None`` where two places say different things."""
        name, source = span.facts.names[place], ScopeFrom.SPAN
        for ancestor in above:
            name_above = ancestor.facts.names[place]
            if name_above and name_above != name:
                if name:
                    return None, ScopeFrom.NONE
                name, source = name_above, ScopeFrom.ANCESTOR
        if name:
            return name, source
        agent_run = next((ancestor for ancestor in above if ancestor.facts.runs_agent), None)
        names = self._under(agent_run)[place] if agent_run is not None else set()
        if len(names) > 1:
            return None, ScopeFrom.NONE
        return (next(iter(names)), ScopeFrom.SIBLING) if names else ("", ScopeFrom.NONE)

    def _under(self, agent_run: SightedSpan) -> tuple[set[str], set[str]]:
        """Gather the users and conversations that all spans below the run of an agent name."""
        if self._runs is None:
            self._runs = {}
            for span in self._spans:
                if any(span.facts.names[:_AGENT]):
                    nearest = next(
                        (ancestor for ancestor in self.ancestors(span) if ancestor.facts.runs_agent), None
                    )
                    if nearest is not None:
                        names = self._runs.setdefault((nearest.trace, nearest.span), (set(), set()))
                        for place, values in enumerate(names):
                            values.update(filter(None, (span.facts.names[place],)))
        return self._runs.get((agent_run.trace, agent_run.span), (set(), set()))

    def _count_tokens(self, span: SightedSpan) -> None:
        """Add the tokens of a call of a model to the operation that it was made for."""
        tokens = span.facts.tokens_in, span.facts.tokens_out
        if tokens == (None, None):
            return
        for ancestor_or_self in (span, *self.ancestors(span)):
            if ancestor_or_self.operations:
                for place, number in enumerate(tokens):
                    if number is not None:
                        self._tokens[ancestor_or_self.trace, ancestor_or_self.span][place] += number


def _operation(
    row: dict[str, Any], span: SightedSpan, whose: dict[str, Any], token_counts: Counter[int]
) -> TrafficOperation:
    """Put together what a span says and what was found around it."""
    return TrafficOperation(
        **row["fields"],
        operation=TrafficKind(row["operation"]),
        outcome=Outcome(row["outcome"]),
        **whose,
        trace=span.trace,
        span=span.span,
        dialect=span.dialect,
        service=span.service,
        tokens_in=token_counts.get(0),
        tokens_out=token_counts.get(1),
    )


def _records(row: dict[str, Any], runs: list[int | None]) -> list[TrafficRecord]:
    """Spell records, each with the run that an answer has of it; what was written or removed has none."""
    if not runs:
        return [TrafficRecord(*record) for record in row["records"]]
    return [
        TrafficRecord(*record)._replace(traceable=longest)
        for record, longest in zip(row["records"], runs, strict=True)
    ]
