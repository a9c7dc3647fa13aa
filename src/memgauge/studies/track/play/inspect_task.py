"""The same instances as a task of Inspect, for its logs, its viewer and its limits; needs the package inspect_ai.

The loop, the tools and the measures are ours: Inspect brings the model and keeps the log. A model is asked from a
thread of the sample, in which the loop runs as ever.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from memgauge.errors import MissingExtraError, ModelError
from memgauge.llm.messages import Counted, Finish, Reply, ToolCall, Usage
from memgauge.studies.track.play.context import ContextWindow
from memgauge.studies.track.play.instance import Setup, opened
from memgauge.studies.track.play.limits import PlayLimits
from memgauge.studies.track.play.played import PlayedInstance
from memgauge.studies.track.play.run import answers_of
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.messages import Message, ToolSpec
    from memgauge.studies.track.play.plan import Named
    from memgauge.studies.track.play.trajectory import Call

_FINISHES = {
    "stop": Finish.STOP,
    "tool_calls": Finish.CALLS,
    "max_tokens": Finish.LENGTH,
    "model_length": Finish.LENGTH,
}


def inspect_task(
    instances: Sequence[Named],
    setup: Setup | None = None,
    *,
    limits: PlayLimits | None = None,
    context: ContextWindow | None = None,
) -> Any:
    """Make a task with one sample an instance; its score is correctness by rules, the rest is in the metadata.

    Raises:
        MissingExtraError: Inspect is not installed.
    """
    inspect = _inspect("inspect_ai")
    dataset, scoring, solving = map(_inspect, ("inspect_ai.dataset", "inspect_ai.scorer", "inspect_ai.solver"))
    plays = {play.name: play for play in instances}

    @solving.solver(name="memgauge_track")  # type: ignore[untyped-decorator] # Inspect is found while running
    def player() -> Any:
        async def solve(state: Any, _: Any) -> Any:
            from anyio.to_thread import run_sync

            model = _inspect("inspect_ai.model").get_model()
            sample = plays[str(state.sample_id)]
            rules = (limits or PlayLimits(), context or ContextWindow())
            played_instance = await run_sync(_play, sample, _Agent(model), setup or Setup(), *rules)
            state.metadata["memgauge"] = {
                "calls": [call.row() for call in played_instance.calls],
                "answers": [answer.row() for answer in played_instance.answers],
            }
            return state

        return solve

    @scoring.scorer(metrics=[scoring.mean(), scoring.stderr()], name="memgauge_correctness")  # type: ignore[untyped-decorator] # the same
    def scorer() -> Any:
        async def score(state: Any, _: Any) -> Any:
            from memgauge.studies.track.scoring.card import card

            name = str(state.sample_id)
            rows = {"instance": name, "repeat": 0, **state.metadata["memgauge"]}
            played_instance = TypeAdapter(PlayedInstance).validate_python(rows)
            values = card(played_instance, plays[name].timeline).values()
            value = values["correctness"]
            return scoring.Score(value=0.0 if value is None else value, metadata=values)

        return score

    samples = [dataset.Sample(id=name, input=f"instance {name}", target="") for name in plays]
    return inspect.Task(dataset=samples, solver=player(), scorer=scorer(), name="memgauge_track")


class _Agent:
    """Asks Inspect's model from the thread of a sample."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._types = _inspect("inspect_ai.model")
        self._tools = _inspect("inspect_ai.tool")

    def step(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Ask once."""
        from anyio.from_thread import run

        async def ask() -> Any:
            return await self._model.generate(
                [self._spelled(message) for message in messages], tools=[self._offered(tool) for tool in tools]
            )

        output = run(ask)
        if output.error or not output.choices:
            raise ModelError(f"{self._model}: {output.error or 'no reply'}")
        return _reply(output)

    def _spelled(self, message: Message) -> Any:
        types = self._types
        if message.answers is not None:
            call = message.answers
            return types.ChatMessageTool(content=message.text, tool_call_id=call.id, function=call.name)
        if message.role == "assistant":
            if message.carried:
                return types.ChatMessageAssistant.model_validate_json(message.carried)
            calls = [
                self._tools.ToolCall(id=call.id, function=call.name, arguments=object_of(call.arguments) or {})
                for call in message.calls
            ]
            return types.ChatMessageAssistant(content=message.text, tool_calls=calls or None)
        kind = types.ChatMessageSystem if message.role == "system" else types.ChatMessageUser
        return kind(content=message.text)

    def _offered(self, tool: ToolSpec) -> Any:
        parameters = self._tools.ToolParams.model_validate(_without_null(dict(tool.schema)))
        return self._tools.ToolInfo(name=tool.name, description=tool.description, parameters=parameters)


def _play(play: Named, agent: _Agent, setup: Setup, limits: PlayLimits, context: ContextWindow) -> PlayedInstance:
    """Play one instance, in a thread of its own."""
    timeline = play.timeline
    rows: list[Call] = []
    with opened(timeline, setup, play.beside) as setting:
        answers = tuple(answers_of(agent, timeline, setting, limits, context, rows.append))
    return PlayedInstance(timeline.name, 0, tuple(rows), answers)


def _reply(output: Any) -> Reply:
    """Say what Inspect's model replied in our words; broken arguments stay the text that they were."""
    message = output.choices[0].message
    calls = tuple(
        ToolCall(
            call.id,
            call.function,
            "{unreadable" if call.parse_error else json.dumps(call.arguments, ensure_ascii=False),
        )
        for call in message.tool_calls or ()
    )
    usage = output.usage
    tokens = Usage(usage.input_tokens, usage.output_tokens, Counted.PROVIDER) if usage else None
    finish = Finish.CALLS if calls else _FINISHES.get(output.stop_reason, Finish.REFUSAL)
    return Reply(
        message.text,
        finish,
        tokens or Usage(0, 0, Counted.ESTIMATE),
        calls=calls,
        carried=message.model_dump_json(),
    )


def _without_null(schema: Any) -> Any:
    """Leave out that a value may be null: Inspect's schemas have one type each, and optional is not required."""
    if isinstance(schema, dict):
        stripped_schema = {key: _without_null(value) for key, value in schema.items()}
        if isinstance(stripped_schema.get("type"), list):
            stripped_schema["type"] = next(kind for kind in stripped_schema["type"] if kind != "null")
        return stripped_schema
    return schema


def _inspect(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError("Inspect is not installed.", "Install it: pip install inspect-ai.") from error
