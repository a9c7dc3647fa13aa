"""A question in other words that mean the same: by fixed rules, or in words that somebody gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memgauge.errors import MalformedDataError
from memgauge.text.jsons import json_lines
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

GIVEN: Final = "given"
"""What rewordings of a file are called, beside those of rules."""
_WRITTEN_OUT: Final = {
    "can't": "cannot", "won't": "will not", "shan't": "shall not", "i'm": "I am", "let's": "let us",
    "what's": "what is", "where's": "where is", "who's": "who is", "when's": "when is", "how's": "how is",
    "that's": "that is", "it's": "it is", "there's": "there is", "here's": "here is",
}  # fmt: skip
_ENDINGS: Final = {"n't": " not", "'re": " are", "'ve": " have", "'ll": " will"}
_MEANT: Final = frozenset({"after", "before", "least", "more", "most", "no", "not", "since", "than"})
"""Function words without which something else would be asked."""
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_REMEDY: Final = 'Write lines such as {"query": "When is Miu fed?", "paraphrase": "At what time does Miu eat?"}.'


def _plain(text: str) -> str:
    """Write small, without marks, as somebody types who is in a hurry."""
    return " ".join(_WORD.findall(text.replace("\u2019", "'").lower()))


def _polite(text: str) -> str:
    """Ask for it, as people ask an assistant."""
    return f"Could you please tell me: {text}"


def _keywords(text: str) -> str:
    """Leave out what carries no content, as people type into a search box."""
    words = _WORD.findall(_written_out(text))
    content = [word for word in words if word.lower() not in FUNCTION_WORDS - _MEANT]
    return " ".join(content) if len(content) > 1 else text


def _written_out(text: str) -> str:
    """Write contractions out."""

    def whole(match: re.Match[str]) -> str:
        word = match[0]
        if (long_form := _WRITTEN_OUT.get(word.lower())) is not None:
            return long_form[0].upper() + long_form[1:] if word[0].isupper() else long_form
        ending = next((suffix for suffix in _ENDINGS if word.lower().endswith(suffix)), "")
        return word[: -len(ending)] + _ENDINGS[ending] if ending else word

    return _WORD.sub(whole, text.replace("\u2019", "'"))


RULES: Final[Mapping[str, Callable[[str], str]]] = {
    "small, no marks": _plain,
    "asked politely": _polite,
    "keywords": _keywords,
    "written out": _written_out,
}
"""Each changes how something is asked, and nothing of what is asked."""


def rewordings(text: str, paraphrases: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield (rule, text) for every rewording of a question that is another text.

    *paraphrases* are rewordings by question; where a file gives any, rules are left out.
    """
    if paraphrases:
        yield from ((GIVEN, rewording) for rewording in paraphrases.get(text, ()) if rewording != text)
        return
    yield from (
        (name, rewording) for name, rule in RULES.items() if (rewording := rule(text)) != text and rewording
    )


def read_paraphrases(path: Path) -> dict[str, tuple[str, ...]]:
    """Read rewordings that somebody wrote, by question.

    Raises:
        MalformedDataError: A line is none; its place is named.
        DataNotFoundError: There is no such file.
    """
    paraphrases: dict[str, tuple[str, ...]] = {}
    for number, line in json_lines(path, _REMEDY):
        data: Mapping[str, object] = line if isinstance(line, dict) else {}
        query, paraphrase = data.get("query"), data.get("paraphrase")
        if not isinstance(query, str) or not isinstance(paraphrase, str) or not paraphrase.strip():
            raise MalformedDataError(f"{path}:{number}: this is no paraphrase.", _REMEDY)
        paraphrases[query] = (*paraphrases.get(query, ()), paraphrase)
    return paraphrases
