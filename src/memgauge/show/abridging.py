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
    full_names = tuple(dict.fromkeys(names))
    short_names = {name: name if len(name) <= room else cut(name) for name in full_names}
    for name, text in _differing(full_names, short_names).items():
        short_names[name] = text if len(text) <= room else cut(text)
    taken_texts = set[str]()
    for name in sorted(full_names, key=lambda name: short_names[name] != name):  # what is whole keeps its name
        numbered = (f"{short_names[name]} {number}" for number in count(2))
        short_names[name] = next(text for text in chain((short_names[name],), numbered) if text not in taken_texts)
        taken_texts.add(short_names[name])
    return short_names


def _differing(names: Iterable[str], shown: Mapping[str, str]) -> dict[str, str]:
    """Write the names that read alike by their first word and the options that not all of them share."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(shown[name], []).append(name)
    texts: dict[str, str] = {}
    for group in alike.values():
        parts = {name: _JOINT.split(name) for name in group}
        shared_parts = set(parts[group[0]]).intersection(*parts.values())
        own_parts = {
            name: ",".join(part for part in split[1:] if part not in shared_parts) for name, split in parts.items()
        }
        if len(group) > 1 and any(own_parts.values()):
            texts |= {name: f"{parts[name][0]}:{MORE}{own_parts[name]}" for name in group}
    return texts
