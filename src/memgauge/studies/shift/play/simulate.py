"""Play the protocol for the paper's policies, all burst lengths at once."""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.base import HasDescendants
from memgauge.errors import ConfigError
from memgauge.registry import require_known
from memgauge.retrieval.selection import SELECTIONS
from memgauge.studies.shift.play.outcomes import Outcomes, Routed, blank
from memgauge.studies.shift.play.player import ConversationPlayer
from memgauge.studies.shift.play.routing import ROUTERS, route
from memgauge.studies.shift.protocol.scene import ShiftScene, scenes
from memgauge.studies.shift.protocol.spec import Summaries
from memgauge.studies.shift.published import LEXICAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from memgauge.datasets.base import Dataset
    from memgauge.retrieval.embedders import Embedder
    from memgauge.studies.shift.protocol.spec import ShiftSpec

POLICIES = (*SELECTIONS, *ROUTERS)
"""What can be simulated."""
ARMS = ("flat", "dense", "hsr", "fusion")
"""What the paper's bandit chooses from; without sentence vectors dense is left out."""


@dataclass(frozen=True, eq=False)
class PlayedConversation:
    """One conversation and what each policy found in it."""

    scene: ShiftScene
    items: npt.NDArray[np.int32]
    """(policies, bursts, Q, k) items of the lane, best first, -1 where there are fewer."""
    routed: Mapping[str, Routed]

    @cached_property
    def hits(self) -> npt.NDArray[np.bool_]:
        """(policies, bursts, Q) whether an item is evidence."""
        hits = np.zeros(self.items.shape[:3], dtype=np.bool_)
        lane = self.scene.lane
        for number, question in enumerate(self.scene.line.questions):
            items = self.items[:, :, number]
            evidence = np.isin(lane.row[items], question.anchors) & (items >= 0)
            hits[:, :, number] = (evidence & lane.counts[items]).any(axis=-1)
        return hits


@dataclass(frozen=True, eq=False)
class Simulation:
    """The outcomes of all conversations, and what they rest on."""

    outcomes: Outcomes
    played: tuple[PlayedConversation, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What went in besides dataset and spec, by name: the fingerprint of an embedder, the hash of summaries."""
    embedder: Embedder | None = None

    def sees_vectors(self, policy: str) -> bool:
        """Whether what *policy* found rests on sentence vectors."""
        routed = self.outcomes.routed.get(policy)
        return self.embedder is not None and (policy == "dense" or (routed is not None and "dense" in routed.arms))


def run_shift(dataset: Dataset, spec: ShiftSpec, policies: Sequence[str] = LEXICAL) -> Outcomes:
    """Play the protocol over a dataset and return who found what; see :func:`simulate`."""
    return simulate(dataset, spec, policies).outcomes


def simulate(
    dataset: Dataset,
    spec: ShiftSpec,
    policies: Sequence[str] = LEXICAL,
    *,
    laid: Sequence[ShiftScene] | None = None,
    summaries: Mapping[str, Mapping[str, str]] | None = None,
    embedder: Embedder | None = None,
) -> Simulation:
    """Play the protocol over a dataset.

    *laid* is the dataset laid out by the same spec, where that was done already; *summaries* are supplied by
    conversation and session; the dense policy takes the *embedder*.

    Raises:
        UnknownNameError: A policy that does not exist.
        ConfigError: The dataset has nothing to ask after a session boundary, or something else is missing.
    """
    require_known("policy", policies, POLICIES)
    if "dense" in policies and embedder is None:
        raise ConfigError("The dense policy needs sentence vectors.", "Name an embedder.")
    seconds: defaultdict[str, float] = defaultdict(float)
    start = time.process_time()
    laid = scenes(dataset, spec) if laid is None else laid
    texts = _summaries(dataset, laid, spec, summaries)
    seconds["stream"] += time.process_time() - start
    players = [
        ConversationPlayer(scene, spec, scene_summaries, seconds, embedder)
        for scene, scene_summaries in zip(laid, texts, strict=True)
    ]
    conversations = tuple(_play(player, policies) for player in players)
    blank_outcomes = blank([scene.line for scene in laid], spec)
    return Simulation(
        _joined(blank_outcomes, conversations, policies, seconds),
        conversations,
        _inputs(summaries, embedder),
        embedder,
    )


def _inputs(summaries: Mapping[str, Mapping[str, str]] | None, embedder: Embedder | None) -> dict[str, str]:
    inputs = {} if embedder is None else {"embedder": embedder.fingerprint}
    if summaries is not None:
        inputs["supplied"] = hashlib.sha256(json.dumps(summaries, sort_keys=True).encode()).hexdigest()
    return inputs


def _play(player: ConversationPlayer, policies: Sequence[str]) -> PlayedConversation:
    """Play selections, and then the routers that choose among them."""
    routers = [name for name in policies if name in ROUTERS]
    arms = [arm for arm in ARMS if arm != "dense" or player.embedder is not None] if routers else []
    policies_played = list(dict.fromkeys([*(name for name in policies if name not in ROUTERS), *arms]))
    conversation = PlayedConversation(player.scene, player.play(policies_played), {})
    pool = [policies_played.index(arm) for arm in arms]
    items, routed = [], {}
    for name in policies:
        if name not in ROUTERS:
            items.append(conversation.items[policies_played.index(name)])
            continue
        routed[name] = route(name, arms, player.scene, player.spec, conversation.hits[pool])
        choice = routed[name].choice
        bursts, questions = np.indices(choice.shape)
        items.append(conversation.items[pool][choice, bursts, questions])
    return replace(conversation, items=np.stack(items), routed=routed)


def _joined(
    blank_outcomes: Outcomes,
    conversations: Sequence[PlayedConversation],
    policies: Sequence[str],
    seconds: Mapping[str, float],
) -> Outcomes:
    routed = {name: _routed([part.routed[name] for part in conversations]) for name in conversations[0].routed}
    hits = np.concatenate([part.hits for part in conversations], axis=2)
    return replace(blank_outcomes, policies=tuple(policies), hits=hits, routed=routed, seconds=dict(seconds))


def _routed(parts: Sequence[Routed]) -> Routed:
    choice = np.concatenate([part.choice for part in parts], axis=1)
    hits = np.concatenate([part.hits for part in parts if part.hits is not None], axis=2)
    return Routed(parts[0].arms, choice, hits)


def _summaries(
    dataset: Dataset,
    scene_list: Sequence[ShiftScene],
    spec: ShiftSpec,
    supplied: Mapping[str, Mapping[str, str]] | None,
) -> list[Mapping[int, str]]:
    """Return the summaries of each conversation by session; empty where extracts are wanted.

    Raises:
        ConfigError: A conversation has none.
    """
    if spec.summaries is Summaries.EXTRACTIVE:
        return [{} for _ in scene_list]
    is_supplied = spec.summaries is Summaries.SUPPLIED
    texts = (supplied or {}) if is_supplied else session_summaries(dataset)
    by_scene: list[Mapping[int, str]] = []
    for scene in scene_list:
        conversation_summaries = texts.get(scene.line.conversation, {})
        by_scene.append(
            {
                number: conversation_summaries[name]
                for number, name in enumerate(scene.line.sessions)
                if name in conversation_summaries
            }
        )
    if not all(by_scene):
        bare_conversation = scene_list[by_scene.index({})].line.conversation
        source = "What was supplied" if is_supplied else dataset.identity.ref
        raise ConfigError(
            f"{source} has no summaries of the sessions of {bare_conversation}.", "Use --summaries extractive."
        )
    return by_scene


def session_summaries(dataset: Dataset) -> dict[str, dict[str, str]]:
    """Return the dataset's own summaries, by conversation and session; empty where it has none."""
    if not isinstance(dataset, HasDescendants):
        return {}
    texts: dict[str, dict[str, str]] = {}
    for case in dataset.cases():
        session = {turn.id: turn.session for turn in case.conversation.turns()}
        summaries = dataset.descendants(case.conversation.id).get("summary", ())
        texts[case.conversation.id] = {session[memory.sources[0]]: memory.text for memory in summaries}
    return texts
