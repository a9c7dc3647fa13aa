"""Drafts by a model: any of the registry, asked again when what it wrote does not fit together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from memgauge.errors import ModelError
from memgauge.llm.asking import Inquiry, ReplyEnding, ask_again, mended
from memgauge.llm.forms import DraftObject
from memgauge.llm.prompts import open_prompt
from memgauge.misfits import first_misfit
from memgauge.studies.track.curation.assemble import InstanceDraft, assembled, changed, in_order, numbered
from memgauge.studies.track.curation.says import says
from memgauge.studies.track.timeline.files import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.llm.messages import ChatModel, Request
    from memgauge.studies.track.curation.record import MisleadingEvent
    from memgauge.studies.track.curation.seed import Seed
    from memgauge.studies.track.timeline.models import Event, Timeline

TRIES = 3
"""How often a model may mend what does not fit."""
TOKENS = 32_000

T = TypeVar("T")


@dataclass(frozen=True)
class ModelTask:
    """What a model is asked for, before it answers."""

    prompt: str
    parts: Mapping[str, str | tuple[str, ...]]

    def inquiry(self, read: Callable[[InstanceDraft], T]) -> Inquiry[T]:
        """Put the task into words; *read* makes something of a draft, or says why not as a :class:`ValueError`."""

        def check(data: dict[str, Any]) -> T:
            try:
                return read(InstanceDraft.model_validate(data))
            except ValidationError as error:
                raise ValueError(str(first_misfit(error))) from error

        messages = open_prompt(self.prompt).render(**self.parts)
        return Inquiry(messages, DraftObject(check), {"temperature": 1, "max_tokens": TOKENS})

    def request(self, model: str) -> Request:
        """Return the first thing that the model is asked."""
        return self.inquiry(lambda draft: draft).request(model)


def label(model: ChatModel, task: ModelTask) -> str:
    """Name who drafts: the model, and the prompt with its hash."""
    prompt = open_prompt(task.prompt)
    return f"{model.name}, {prompt.label} ({prompt.sha256[:8]})"


def draft_of(seed: Seed) -> ModelTask:
    """Ask for an instance."""
    return ModelTask("track-draft", {"source": _source(seed)})


def revision_of(
    timeline: Timeline, roles: Mapping[str, MisleadingEvent], wish: str, pinned: frozenset[str]
) -> ModelTask:
    """Ask for an instance that is changed as a person wishes."""
    pinned_ids = ", ".join(sorted(pinned)) or "none"
    return ModelTask("track-revise", {"wish": wish, "instance": _spelled(timeline, roles), "kept": pinned_ids})


def distraction_of(timeline: Timeline, roles: Mapping[str, MisleadingEvent], count: int) -> ModelTask:
    """Ask for events that mislead."""
    return ModelTask("track-distract", {"instance": _spelled(timeline, roles), "count": str(count)})


def drafted(
    model: ChatModel, task: ModelTask, seed: Seed, bundle: str = ""
) -> tuple[Timeline, dict[str, MisleadingEvent]]:
    """Let a model draft an instance.

    Raises:
        ModelError: Nothing that it wrote can be used.
    """

    def read(draft: InstanceDraft) -> tuple[Timeline, dict[str, MisleadingEvent]]:
        return assembled(seed, draft, bundle), _known(draft, {event.id for event in draft.events})

    return _asked(model, task, read)


def revised(
    model: ChatModel, task: ModelTask, timeline: Timeline, pinned: frozenset[str]
) -> tuple[Timeline, dict[str, MisleadingEvent]]:
    """Let a model change an instance; what a person wrote stays as it is, whatever the model does to it.

    Raises:
        ModelError: Nothing that it wrote can be used.
    """

    def read(draft: InstanceDraft) -> tuple[Timeline, dict[str, MisleadingEvent]]:
        events = {e.id: e for e in draft.events} | {e.id: e for e in timeline.events if e.id in pinned}
        questions = {q.id: q for q in draft.questions} | {q.id: q for q in timeline.questions if q.id in pinned}
        revised_timeline = changed(timeline, events=in_order(events.values()), questions=tuple(questions.values()))
        return revised_timeline, _known(draft, set(events))

    return _asked(model, task, read)


def distracted(
    model: ChatModel, task: ModelTask, timeline: Timeline
) -> tuple[tuple[Event, ...], dict[str, MisleadingEvent]]:
    """Let a model write events that mislead, under ids of ours.

    Raises:
        ModelError: Nothing that it wrote can be used.
    """
    event_ids = {event.id for event in timeline.events}

    def read(draft: InstanceDraft) -> tuple[tuple[Event, ...], dict[str, MisleadingEvent]]:
        unmarked = [event.id for event in draft.events if event.id not in draft.roles]
        if unmarked:
            raise ValueError(f"these events have no role: {', '.join(unmarked)}")
        for event in draft.events:
            for question in timeline.questions:
                if says(event, question.answer):
                    raise ValueError(f"{event.id} says {question.answer!r}, which answers {question.id}")
        roles = _known(draft, event_ids | {event.id for event in draft.events})
        ids = dict(zip((e.id for e in draft.events), numbered("x", event_ids, len(draft.events)), strict=True))
        events = tuple(_renamed(event, ids) for event in draft.events)
        renamed_roles = {
            ids[name]: role.model_copy(update={"superseded_by": ids.get(role.superseded_by, role.superseded_by)})
            for name, role in roles.items()
        }
        changed(timeline, events=in_order((*timeline.events, *events)))
        return events, renamed_roles

    return _asked(model, task, read)


def _renamed(event: Event, ids: Mapping[str, str]) -> Event:
    """Give an event an id of ours, and let a reply follow."""
    target = getattr(event.payload, "reply_to", "")
    payload = event.payload.model_copy(update={"reply_to": ids[target]}) if target in ids else event.payload
    return event.model_copy(update={"id": ids[event.id], "payload": payload})


def _known(draft: InstanceDraft, events: set[str]) -> dict[str, MisleadingEvent]:
    """Return the roles of a draft, all of events that there are."""
    strange = {name for name in draft.roles if name not in events}
    strange |= {role.superseded_by for role in draft.roles.values()} - events - {""}
    if strange:
        raise ValueError(f"roles: no event is called {', '.join(sorted(strange))}")
    return dict(draft.roles)


def _asked(model: ChatModel, task: ModelTask, read: Callable[[InstanceDraft], T]) -> T:
    """Ask, and ask again with the reason while a reply cannot be used."""
    answer = ask_again(model, task.inquiry(read), mended, TRIES)
    if answer.value is not None:
        return answer.value
    if answer.fault is not None:
        raise answer.fault
    if answer.ending is not ReplyEnding.UNREADABLE:
        raise ModelError(f"{model.name} did not finish its draft: the reply {answer.reason}.")
    message = f"{model.name} wrote nothing that can be used in {TRIES} tries; the last problem: {answer.reason}."
    raise ModelError(message)


def _source(seed: Seed) -> tuple[str, ...]:
    parts = [seed.task] if seed.task else []
    if seed.origin is not None:
        local_fields = {"clone", "branch"}
        parts.append(
            json.dumps({n: v for n, v in plain(seed.origin).items() if n not in local_fields}, ensure_ascii=False)
        )
    return tuple(parts) or ("",)


def _spelled(timeline: Timeline, roles: Mapping[str, MisleadingEvent]) -> str:
    parts = {
        "events": plain(timeline.events),
        "questions": plain(timeline.questions),
        "roles": {name: role.model_dump() for name, role in roles.items()},
    }
    return json.dumps(parts, ensure_ascii=False)
