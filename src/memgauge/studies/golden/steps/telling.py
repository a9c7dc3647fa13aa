"""Steps that tell: something is said, said again, or what is stored is given other words."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed
from memgauge.records import Turn
from memgauge.records.statements import Act, Statement
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.receipts import false_change
from memgauge.studies.golden.scenario import Reingest, Say, Update
from memgauge.studies.golden.scene import (
    TICK,
    HandedTurn,
    Scene,
    Unsupported,
    ValidityEnd,
    end_of,
    names_of,
    span,
    start_of,
)
from memgauge.studies.golden.tokens import places
from memgauge.text.escapes import unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from memgauge.records import Receipt, Scope

_TRUSTED = frozenset({"user"})
_PROSE = (
    "The weather kept changing and nobody minded much.",
    "We talked for a while about trains and how slowly they go.",
    "Then the kettle was on and the window stood open.",
    "It was one of those evenings on which little is decided.",
    "Somebody laughed next door, and the radio went on playing.",
)
"""Small talk that states nothing."""


def _say(step: Say, scene: Scene) -> None:
    copies = [str(copy) if step.times > 1 else "" for copy in range(step.times)]
    if step.together or step.imported:
        before = _of_session(scene, scene.session) if step.imported == "again" else []
        batch = [*before, *(_said(step, scene, copy)[0] for copy in copies)]
        _import(_among_blanks(batch) if step.imported == "with blanks" else batch, scene)
    else:
        for copy in copies:
            handed, end = _said(step, scene, copy)
            for _ in range(2 if scene.twice else 1):
                _hand_over(handed, scene, end.moment if step.expires or step.expires_in else None)
            scene.twice = False
    scene.accepted |= names_of(scene.scope)
    scene.settle(flush=step.flush)


def _import(batch: Sequence[HandedTurn], scene: Scene) -> None:
    """Hand over several turns in one call.

    Raises:
        Unsupported: The memory refuses turns without a word.
    """
    turns = [(handed.turn, handed.meaning, handed.trusted) for handed in batch]
    words = " ".join(handed.turn.text for handed in batch)
    for handed in batch:
        if not handed.turn.text:
            scene.ledger.hear(handed.scope, handed.turn)  # what is kept of it has a source like any other
    try:
        _with_receipt(scene, scene.scope, lambda: scene.driver.write_all(turns, scene.scope), words)
    except CallFailed as error:
        if all(handed.turn.text for handed in batch):
            raise
        raise Unsupported(f"step {scene.step} needs a memory that takes turns without a word") from error


def _among_blanks(batch: Sequence[HandedTurn]) -> list[HandedTurn]:
    """Put turns without a word before every turn and behind the last."""
    ends = [
        (replace(handed, turn=replace(handed.turn, id=f"{handed.turn.id}-blank", text=""), meaning=()), handed)
        for handed in batch
    ]
    last = replace(batch[-1], turn=replace(batch[-1].turn, id=f"{batch[-1].turn.id}-end", text=""), meaning=())
    return [*(handed for pair in ends for handed in pair), last]


def _of_session(scene: Scene, session: str) -> list[HandedTurn]:
    """Return what whoever speaks has said in a session, where it was said."""
    return [
        handed
        for handed in scene.turns
        if handed.session == session and replace(handed.scope, session=scene.scope.session) == scene.scope
    ]


def _said(step: Say, scene: Scene, copy: str) -> tuple[HandedTurn, ValidityEnd]:
    """Make a turn of what is said, and write down what it means."""
    scene.changed()
    if not step.same_minute:
        scene.tick()
    copy = ".".join(filter(None, (scene.round, copy)))
    spoken_at = scene.now + span(step.at)
    key = step.id or f"t{scene.step}{f'-{copy}' if copy else ''}-{len(scene.turns)}"
    trusted = step.channel in _TRUSTED
    role = "user" if step.channel == "user" else step.channel
    text = _padded(scene.filled(step.say, spoken_at, copy), step.pad, key)
    turn = Turn(key, scene.scope.user if trusted else step.channel, text, scene.session, spoken_at, role)
    end = end_of(step, spoken_at)
    meaning = tuple(_meaning(step, scene, copy, spoken_at, end))
    if trusted:
        for slot in step.forgets:
            scene.forget(slot)
    scene.ledger.hear(scene.scope, turn)
    scene.note(step, copy, turn, end)
    handed = HandedTurn(scene.session, scene.scope, turn, meaning, trusted)
    scene.turns.append(handed)
    return handed, end


def _hand_over(handed: HandedTurn, scene: Scene, expires_at: datetime | None = None) -> None:
    _with_receipt(
        scene,
        handed.scope,
        lambda: scene.driver.write(
            handed.turn, handed.scope, handed.meaning, expires_at=expires_at, trusted=handed.trusted
        ),
        handed.turn.text,
    )


def _with_value(text: str, old: str, new: str) -> str:
    """Put another value in the place of one, however that is written."""
    text = text if places(text, old) else unescaped(text)
    for start, end in sorted(set(places(text, old)), reverse=True):  # a day is found in more than one spelling
        text = text[:start] + new + text[end:]
    return text


def _with_receipt(scene: Scene, scope: Scope, write: Callable[[], Receipt], text: str, asked: str = "") -> None:
    """Write *text*, and where the scenario asks for it hold the receipt against what is stored before and after.

    What is new and bears other values alone came to be by itself, as time went by, and not by this write.
    """
    if not scene.scenario.receipts:
        write()
        return
    scene.driver.witness = None  # the ledger knows already what this write is to forget
    before = scene.driver.listed(scope)
    scene.driver.witness = scene.expose
    receipt = write()
    scene.driver.flush(scope)
    after, find = scene.driver.listed(scope), scene.ledger.tokens.found
    scene.checks += bool(after)
    by_itself = {memory.id for memory in after if find(memory.text) and not find(memory.text) & find(text)}
    wrong = false_change(receipt, before, after, by_itself=by_itself, asked=asked)
    # Where ids are new at every look, a receipt can name nothing that a list will show.
    if wrong and {memory.id for memory in after} == {memory.id for memory in scene.driver.listed(scope)}:
        scene.wrong(Anomaly.MISCOUNT, f"The receipt of step {scene.step} is wrong: {wrong}.")


def _padded(text: str, pad: tuple[int, int], key: str) -> str:
    """Put *text* between so many characters of small talk, other talk for every turn."""
    start = blake2b(key.encode(), digest_size=1).digest()[0]
    before, after = (" ".join(_talk(length, start)) for length in pad)
    return " ".join(filter(None, (before, text, after)))


def _talk(length: int, start: int) -> Iterable[str]:
    while length > 0:
        sentence = _PROSE[start % len(_PROSE)]
        yield sentence
        start, length = start + 1, length - len(sentence) - 1


def _meaning(step: Say, scene: Scene, copy: str, spoken_at: datetime, end: ValidityEnd) -> Iterable[Statement]:
    """Say what a turn means, for a memory that is taught."""
    for slot in step.forgets:
        yield _about(slot, act=Act.ERASE)
    until = end.day.date() if end.day else None
    since = start_of(step, spoken_at).date() if step.starts else None
    for slot, name in {**step.sets, **step.plants}.items():
        yield _about(slot, scene.value(name, copy), since=since, until=until)
    for slot, name in step.adds.items():
        yield _about(slot, scene.value(name, copy), functional=False, since=since, until=until)
    for slot, name in step.was.items():
        yield _about(slot, scene.value(name, copy), until=until, over=True)
    for slot, name in step.removes.items():
        yield _about(slot, scene.value(name, copy), act=Act.END, functional=False)
    for slot in step.ends:
        yield _about(slot, act=Act.END)


def _about(slot: str, value: str = "", **more: Any) -> Statement:
    """State something of a slot; "Lena's doctor" is the doctor of Lena, and of nobody else who has one."""
    whose, of, thing = slot.partition("'s ")
    return Statement(thing, value, whose, **more) if of and thing else Statement(slot, value, **more)


def _reingest(step: Reingest, scene: Scene) -> None:
    """Write a session of whoever speaks again, where it was written: in itself, where it keeps to itself."""
    again = _of_session(scene, step.reingest)
    for handed in again:
        _hand_over(handed, scene)
    for scope in dict.fromkeys(handed.scope for handed in again):
        scene.driver.flush(scope)
    scene.happened("revivals")


def _update(step: Update, scene: Scene) -> None:
    """Put another value into the words of what is stored, through the memory's own method."""
    scene.need("mutable")
    scene.changed()
    scene.now += TICK
    new = scene.value(step.to)
    for old in scene.ledger.holding(scene.scope, step.update, scene.now):
        memories = scene.bearing({old.token})
        if memories:
            scene.ledger.restate(scene.step, old, new)
        for memory in memories:
            text = _with_value(memory.text, old.token, new)
            change = partial(scene.driver.update, memory.id, text, scene.scope)
            _with_receipt(scene, scene.scope, change, text, memory.id)
    scene.settle(flush=step.flush)


PLAYED: Mapping[Any, Callable[[Any, Scene], None]] = {Say: _say, Reingest: _reingest, Update: _update}
