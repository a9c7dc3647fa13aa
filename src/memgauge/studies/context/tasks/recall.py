"""Recall: one value under one name, among more and more that are like it, or among talk that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.names import word
from memgauge.datasets.synthetic.words import STATES
from memgauge.studies.context.sample import AnswerForm, Piece, Sample, Type
from memgauge.studies.context.tasks.draw import OWN, uuid

if TYPE_CHECKING:
    from memgauge.datasets.synthetic.dice import Dice
    from memgauge.studies.context.tasks.draw import Draw

_NEEDLE = "The number of the {k} locker is {v}."
_LURES = 3
_SEVEN = (1_000_000, 9_999_999)
"""Numbers of seven digits."""
_PERSONAL = tuple(state for state in STATES if state.pool not in {"day", "code"})
"""What can be said of a user with a name as its value."""


def kv(draw: Draw) -> Sample:
    """Retrieve the value of one key from records of random keys and values (Lost in the Middle's own task)."""
    dice = draw.dice
    pairs = [(uuid(dice), uuid(dice)) for _ in range(1 + _LURES)]
    texts = [f'"{key}": "{value}",' for key, value in pairs]
    return Sample(
        "kv",
        Type.RECALL,
        draw.key,
        f'What is the value of the key "{pairs[0][0]}"?',
        (pairs[0][1],),
        AnswerForm.CODE,
        (*draw.pieces(texts[:1]), *draw.pieces(texts[1:], evidence=False)),
        "own",
        tuple(value for _, value in pairs[1:]),
        line=_record,
    )


def needle_in_noise(draw: Draw) -> Sample:
    """Find one number in sentences that say nothing."""
    return _needle(draw, "needle-noise", "noise")


def needle_in_needles(draw: Draw) -> Sample:
    """Find one number among sentences that differ from its own in the name and the number only."""
    return _needle(draw, "needle-needles", "own")


def needle_in_talk(draw: Draw) -> Sample:
    """Find what a user said in the words of the question, in a conversation about other things."""
    return _said(draw, "needle-dialogue", "lex")


def latent(draw: Draw) -> Sample:
    """Find what only follows from what a user said: question and evidence share hardly a word."""
    return _said(draw, "latent", "latent")


def _record(dice: Dice, _: int) -> str:
    return f'"{uuid(dice)}": "{uuid(dice)}",'


def _needle(draw: Draw, task: str, filler: str) -> Sample:
    names = draw.some(1 + _LURES)
    values = draw.numbers(len(names), *_SEVEN)
    texts = [_NEEDLE.format(k=name, v=value) for name, value in zip(names, values, strict=True)]
    return Sample(
        task,
        Type.RECALL,
        draw.key,
        f"What is the number of the {names[0]} locker?",
        (values[0],),
        AnswerForm.CODE,
        (*draw.pieces(texts[:1]), *draw.pieces(texts[1:], evidence=False)),
        filler,
        tuple(values[1:]),
        line=lambda dice, place: _NEEDLE.format(k=word(draw.base, OWN + place), v=_seven(dice)),
    )


def _seven(dice: Dice) -> str:
    return str(dice.between(*_SEVEN))


def _said(draw: Draw, task: str, level: str) -> Sample:
    """Let a user say the value of one slot, and values of other slots at other places."""
    target, *lures = draw.dice.sample(_PERSONAL, 1 + _LURES)
    values = draw.some(1 + _LURES)
    lines = [draw.dice.pick(state.lines[level]) for state in (target, *lures)]
    texts = [_spoken(line.format(v=value)) for line, value in zip(lines, values, strict=True)]
    others_placed: tuple[Piece, ...] = draw.pieces(texts[1:], evidence=False)
    return Sample(
        task,
        Type.RECALL,
        draw.key,
        draw.dice.pick(target.lines["asks"]),
        (values[0],),
        AnswerForm.NAME,
        (*draw.pieces(texts[:1]), *others_placed),
        "dialogue",
        tuple(values[1:]),
    )


def _spoken(clause: str) -> str:
    return f"User: {clause[0].upper()}{clause[1:]}."
