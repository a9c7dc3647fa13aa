"""Replies without what they copy from a prompt: prompts are the products' words, and records hold ours alone."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

RUN: Final = 8
"""Words in a row from which on a reply quotes."""
_WORD: Final = re.compile(r"[^\W_]+")


def without_quotes(reply: str, prompt: str, own: Sequence[str] = ()) -> tuple[str, int]:
    """Take out of *reply* what it quotes of *prompt*, and return how many words went.

    Texts of our *own* in a prompt may be quoted. What went is counted in its place: ``[12 words of the prompt]``.
    """
    words = list(_WORD.finditer(reply))
    parts = re.split("|".join(map(re.escape, own)), prompt) if own else [prompt]
    foreign = set[tuple[str, ...]]().union(*map(_runs, parts))
    spelled = [word[0].casefold() for word in words]
    starts = [n for n in range(len(words) - RUN + 1) if tuple(spelled[n : n + RUN]) in foreign]
    quoted_places = sorted({n for start in starts for n in range(start, start + RUN)})
    for _, stretch in reversed(
        [(key, list(each)) for key, each in groupby(enumerate(quoted_places), lambda p: p[1] - p[0])]
    ):
        first_word, last_word = words[stretch[0][1]], words[stretch[-1][1]]
        reply = f"{reply[: first_word.start()]}[{len(stretch)} words of the prompt]{reply[last_word.end() :]}"
    return reply, len(quoted_places)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return {tuple(words[n : n + RUN]) for n in range(len(words) - RUN + 1)}
