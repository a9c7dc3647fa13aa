"""Names cut to the room at hand, none of them so that it reads as another."""

from __future__ import annotations

import re
from itertools import chain, count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_JOINT = re.compile(r"[:,]")
MORE = "\N{HORIZONTAL ELLIPSIS}"


def abridged(names: Iterable[str], room: int, cut: Callable[[str], str]) -> Mapping[str, str]:
    """Say how each of *names* is written: whole in *room* letters, else cut.

    Where *cut* leaves the same of several, the options that they share are left out instead; what then still reads
    as another is numbered.
    """
    whole = tuple(dict.fromkeys(names))
    shown = {name: name if len(name) <= room else cut(name) for name in whole}
    for name, text in _differing(whole, shown).items():
        shown[name] = text if len(text) <= room else cut(text)
    taken = set[str]()
    for name in sorted(whole, key=lambda name: shown[name] != name):  # what is whole keeps its name
        numbered = (f"{shown[name]} {number}" for number in count(2))
        shown[name] = next(text for text in chain((shown[name],), numbered) if text not in taken)
        taken.add(shown[name])
    return shown


def _differing(names: Iterable[str], shown: Mapping[str, str]) -> dict[str, str]:
    """Write the names that read alike by their first word and the options that not all of them share."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(shown[name], []).append(name)
    texts: dict[str, str] = {}
    for group in alike.values():
        parts = {name: _JOINT.split(name) for name in group}
        shared = set(parts[group[0]]).intersection(*parts.values())
        own = {name: ",".join(part for part in split[1:] if part not in shared) for name, split in parts.items()}
        if len(group) > 1 and any(own.values()):
            texts |= {name: f"{parts[name][0]}:{MORE}{own[name]}" for name in group}
    return texts
