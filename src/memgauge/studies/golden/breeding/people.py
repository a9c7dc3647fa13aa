"""Ids of users that differ in one way alone: what the protocol lets anybody be called."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_VARIANTS: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.title,
    lambda name: f" {name}",
    lambda name: f"{name} ",
    lambda name: f"{name}\t",
    lambda name: f"{name}.",
    lambda name: f"{name}+work",
    lambda name: f"{name}\0x",
    lambda name: f"{name}\n",
    lambda name: f"{name};x",
    lambda name: f"'{name}'",
    lambda name: f"{name}\u200b",
    lambda name: f"user:{name}",
    lambda name: f"{name}/../{name}",
    lambda name: f"./{name}",
    lambda name: f"x/{name}",
    lambda name: f"{name}/x",
    lambda name: f"{name}é",
    lambda name: f"{name}🙂",
    lambda name: f"{name[0]}%{ord(name[1]):x}{name[2:]}",
    lambda name: f"{name[0]}&#{ord(name[1])};{name[2:]}",
    lambda name: f"{name[0]}.{name[1:]}",
    lambda name: f"{name[0]} {name[1:]}",
    lambda name: f"{name[0]}  {name[1:]}",
    lambda name: f"{name[0]}-{name[1:]}",
    lambda name: f"{name[0]}_{name[1:]}",
    lambda name: f"{name[0]}%",
    lambda name: f"{name[0]}*",
    lambda name: name[:2],
    lambda name: name[-2:],
    lambda name: name.translate(str.maketrans("aeopcxy", "аеорсху")),  # noqa: RUF001 - the letters are the point
    lambda name: name.translate({ord(c): ord(c) + 0xFEE0 for c in "abcdefghijklmnopqrstuvwxyz"}),
    lambda name: normalize("NFD", f"{name}é"),
    lambda name: f"{name}@a.example",
    lambda name: f"{name}@b.example",
    lambda name: f"{name}.x@a.example",
    lambda name: f"{name}+x@a.example",
)
_APART = ("alpha", "bravo", "delta", "7", "007", "", "*", "all", "admin", "default", "null", "%")


def people(dice: Random, count: int) -> list[str]:
    """Draw users: one, some that are nearly that one, long ones with one beginning, and some that are unlike."""
    base = dice.choice(("carla", "peter", "aexop"))
    long = "x" * dice.choice((7, 15, 31, 63, 254)) + dice.choice(("", "yz"))
    near = [variant(base) for variant in dice.sample(_VARIANTS, min(count, len(_VARIANTS)))]
    pool = dict.fromkeys((base, *near[: count // 2 + 1], f"{long}1", f"{long}2", *dice.sample(_APART, 6)))
    names = list(pool)[: max(count, 1)]
    return names + [f"guest{number}" for number in range(count - len(names))]
