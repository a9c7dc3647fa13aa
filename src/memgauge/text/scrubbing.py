"""Keys that went out must not come back in: what was handed to somebody is taken out of what they say.

A key is looked for as it is and as it may come back: in other case, parted, cut short, escaped, encoded. Where its
place cannot be told, all of the text goes. A word that any text may hold is no key, wherever it stands alone.
"""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

HIDDEN: Final = "***"
KEY_NAME: Final = re.compile(
    r"(^|_)((API_?|ACCESS_?|PRIVATE_?)?KEYS?(_ID)?|SECRET(_[A-Z]+)*|TOKENS?|PAT|AUTH|DSN|CREDENTIALS?)$"
    r"|(PASSWORD|PASSWD|PASSPHRASE)S?$|^SSH_AUTH_SOCK$",
    re.IGNORECASE,
)
"""How variables are called that hold what one pays with."""
KEY_SHAPES: Final = (
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bAKIA[0-9A-Z]{16}\b|\bxox[abprs]-[\w-]{10,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bAIza[\w-]{30,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}"
)
"""How keys of known issuers look, wherever they stand."""
_ISSUED: Final = re.compile(KEY_SHAPES)
_NAME_LIKE: Final = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH(?!OR)|SIGNATURE|\bSIG\b", re.IGNORECASE
)
"""Looser than :data:`KEY_NAME`: to take too much out of a message costs little."""
_SHORTEST: Final = 8
_ORDINARY: Final = 16
"""Letters alone that are shorter are words, and digits alone are numbers, which may stand in any text."""
_SELF_NAMED: Final = re.compile(r"\w[-_]?(secret|token|passw|key)|(secret|token|passw|key)[-_]", re.IGNORECASE)
"""Words that say of themselves what they are: ``supersecret``."""
_WORDLIKE: Final = 4
_PIECE: Final = 12
"""Characters of a key that betray it, where they are no words."""
_DEEP: Final = 3
_APART: Final = re.compile(r"[\W_]+")
_TOKEN: Final = re.compile(r"[^\s\"'<>(){}\[\],]+")
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/_-]{12,}")
_ESCAPED: Final = re.compile(
    r"%[0-9a-f]{2}|=[0-9a-f]{2}|=\r?\n|\\+u[0-9a-f]{4}|\\+x[0-9a-f]{2}|\\+[nrtbf]|&#x?[0-9a-f]+;|&[a-z]+;",
    re.IGNORECASE,
)
_LIKE_A_KEY: Final = re.compile(r"(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{6,}|\bsk-[\w*-]{6,}|(?<=//)[^/@\s]+(?=@)")


class Scrubber:
    """Takes the keys that it knows out of texts and of JSON."""

    def __init__(self, keys: Iterable[str]) -> None:
        trimmed_keys = {key.strip() for key in keys}
        self._keys = sorted((key for key in trimmed_keys if is_telling(key)), key=len, reverse=True)
        self._words = sorted(key for key in trimmed_keys if key and not is_telling(key))
        self._short = sorted(filter(_is_mixed, self._words), key=len, reverse=True)

    def __bool__(self) -> bool:
        return bool(self._keys or self._words)

    @cached_property
    def _windows(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(window for key in self._keys for window in _windows(key)))

    @cached_property
    def _plainly(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self._keys)) or r"(?!)", re.IGNORECASE)

    @cached_property
    def _alone(self) -> re.Pattern[str]:
        """Match a key that is short, and no word, where nothing stands beside it."""
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, self._short)) or '(?!)'})(?!\w)")

    @cached_property
    def _in_errors(self) -> re.Pattern[str]:
        """Match a key that is a word, where a message is about it and no memory."""
        words = [re.escape(word) for word in self._words if len(word) > _WORDLIKE + 1]
        return re.compile(rf"(?<!\w)(?:{'|'.join(words) or '(?!)'})(?!\w)", re.IGNORECASE)

    @cached_property
    def _shown_as_key(self) -> re.Pattern[str]:
        """Match a word only where it is called a key."""
        words = "|".join(map(re.escape, self._words)) or r"(?!)"
        introduction = (
            r"bearer\s+|basic\s+|(?:key|token|secret|passw\w+|auth\w*|credentials?)[\"']?\s*[:=]\s*[\"']?"
        )
        return re.compile(rf"(?<![a-z])({introduction})(?:{words})(?!\w)", re.IGNORECASE)

    def text(self, text: str) -> str:
        """Return *text* without keys."""
        if self._words:
            text = self._alone.sub(HIDDEN, self._shown_as_key.sub(rf"\1{HIDDEN}", text))
        if not self._keys or not self.is_in(text):
            return text
        text = self._plainly.sub(HIDDEN, text)
        text = _TOKEN.sub(lambda token: HIDDEN if self.is_in(token[0]) else token[0], text)
        return HIDDEN if self.is_in(text) else text

    def error(self, text: str) -> str:
        """Return the words of an error without keys, also where one is a word."""
        return self.text(self._in_errors.sub(HIDDEN, text) if self._words else text)

    def message(self, value: Any, raw: str) -> Any:
        """Return JSON without keys that was read from *raw*, which is looked at first as a whole."""
        if not (self._words or (self._keys and self.is_in(raw))):
            return value
        clean_value = self.value(value)
        if isinstance(clean_value, dict) and "error" in clean_value:
            clean_value["error"] = self._mapped(clean_value["error"], self.error)
        return clean_value

    def value(self, value: Any) -> Any:
        """Return JSON without keys, in its texts and in its names."""
        return self._mapped(value, self.text)

    def _mapped(self, value: Any, clean: Callable[[str], str]) -> Any:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, list):
            return [self._mapped(item, clean) for item in value]
        if isinstance(value, dict):
            return {clean(str(name)): self._held(str(name), item, clean) for name, item in value.items()}
        if isinstance(value, int | float) and not isinstance(value, bool) and self.is_in(str(value)):
            return HIDDEN
        return value

    def _held(self, name: str, value: Any, clean: Callable[[str], str]) -> Any:
        is_key = isinstance(value, str) and value in self._words and _NAME_LIKE.search(name)
        return HIDDEN if is_key else self._mapped(value, clean)

    def is_in(self, text: str, depth: int = 0) -> bool:
        """Whether a key stands in *text*, however it is written."""
        if len(text) < _SHORTEST:
            return False
        packed_text = _packed(text)
        if any(window in packed_text for window in self._windows) or any(key in text for key in self._keys):
            return True
        return depth < _DEEP and any(self.is_in(form, depth + 1) for form in _decoded(text))


def scrubbed_error(text: str, keys: Iterable[str]) -> str:
    """Return an error's words without keys, and without what only looks like one."""
    return _LIKE_A_KEY.sub(HIDDEN, Scrubber(keys).error(text))


def is_telling(value: str) -> bool:
    """Whether *value* is found in a text for no other reason than that it was put there."""
    if len(value) < _SHORTEST:
        return False
    letters = [character for character in value if character.isalpha()]
    digits = sum(map(str.isdigit, value))
    if not letters:
        return digits >= _PIECE
    turns = sum(a.islower() and b.isupper() for a, b in pairwise(value))
    return len(value) >= _ORDINARY or digits > 0 or turns > 0 or bool(_SELF_NAMED.search(value))


def keys_of(variables: Mapping[str, str], handed: Iterable[str] = ()) -> frozenset[str]:
    """Return the values of *variables* that are called keys, and of those *handed* on what looks like one."""
    keys = {value for name, value in variables.items() if _NAME_LIKE.search(name) and not _is_place(value)}
    keys |= {variables[name] for name in handed if name in variables and _is_random(variables[name])}
    return frozenset(keys.union(*map(keys_in_url, variables.values())))


def keys_in_url(url: str) -> frozenset[str]:
    """Return the password of an address, and the values of its query that are called keys."""
    try:
        parts = urlsplit(url)
        password = parts.password or ""
    except ValueError:
        return frozenset()
    if not parts.netloc:
        return frozenset()
    candidates = [value for name, value in parse_qsl(parts.query) if _NAME_LIKE.search(name) or _is_random(value)]
    candidates += filter(_is_random, parts.path.split("/"))
    pair = unquote(parts.netloc.rpartition("@")[0])
    return frozenset(filter(None, (*candidates, password, unquote(password), pair if password else "")))


def keys_in_arguments(arguments: Sequence[str]) -> frozenset[str]:
    """Return the values of a command's options that are called keys, those of its addresses, and what looks so."""
    keys: set[str] = set()
    for previous, argument in pairwise(("", *arguments)):
        name, sign, value = argument.partition("=")
        if sign and _NAME_LIKE.search(name) and not _is_place(value):
            keys.add(value)
        elif (
            previous.startswith("-")
            and "=" not in previous
            and _NAME_LIKE.search(previous)
            and not _is_place(argument)
        ):
            keys.add(argument)
        keys |= keys_in_url(argument)
        keys |= {shape[0] for shape in _ISSUED.finditer(argument) if not _is_name(shape[0])}
    return frozenset(keys)


def _is_name(text: str) -> bool:
    """Whether what has the shape of a key is made of words, as names of files are."""
    return not any(len(part) >= _PIECE and _is_mixed(part) for part in _APART.split(text))


def without_keys(url: str) -> str:
    """Show an address without what it holds beside a place."""
    return Scrubber(keys_in_url(url)).text(_LIKE_A_KEY.sub(HIDDEN, url))


def _is_mixed(value: str) -> bool:
    """Whether it is of letters and digits, and long enough to be nothing else."""
    return len(value) > _WORDLIKE and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_random(value: str) -> bool:
    return len(value) >= _ORDINARY and _is_mixed(value) and not _is_place(value) and not re.search(r"\s", value)


def _is_place(value: str) -> bool:
    """Whether it says where something is."""
    return "://" in value or value.startswith(("/", "./", "~"))


def _packed(text: str) -> str:
    normal = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _APART.sub("", normal).casefold()


def _windows(key: str) -> Iterator[str]:
    """Yield pieces of which at least one stands in every text that holds the key or much of it."""
    packed_key = _packed(key)
    if len(packed_key) >= _SHORTEST:
        yield from (packed_key, packed_key[::-1])
        joined_key = _APART.sub("", key)
        yield from (
            _packed(joined_key[at : at + _PIECE])
            for at in range(len(joined_key) - _PIECE)
            if any(map(str.isdigit, joined_key[at : at + _PIECE]))
        )
    for spell in _SPELLINGS:
        form = _packed(spell(key))
        if len(form) >= _SHORTEST and form != packed_key:
            step = range(0, len(form) - 2 * _PIECE + 1, _PIECE)
            yield from ((form[at : at + 2 * _PIECE] for at in step) if step else (form,))


def _base64(ahead: int) -> Callable[[str], str]:
    """Spell in base64 behind so many bytes, without what the neighbours change."""

    def spell(key: str) -> str:
        padded = b"\0" * ahead + key.encode()
        return base64.b64encode(padded[: len(padded) // 3 * 3]).decode()[4 if ahead else 0 :]

    return spell


def _base32(ahead: int) -> Callable[[str], str]:
    def spell(key: str) -> str:
        padded = b"\0" * ahead + key.encode()
        return base64.b32encode(padded[: len(padded) // 5 * 5]).decode()[8 if ahead else 0 :]

    return spell


def _each(form: str) -> Callable[[str], str]:
    return lambda key: " ".join(form.format(ord(character)) for character in key)


_SPELLINGS: Final[tuple[Callable[[str], str], ...]] = (
    lambda key: quote(key, safe=""),
    lambda key: quote(quote(key, safe=""), safe=""),
    json.dumps,
    html.escape,
    lambda key: base64.b85encode(key.encode()).decode(),
    lambda key: base64.a85encode(key.encode()).decode(),
    *map(_base64, range(3)),
    *map(_base32, range(5)),
    *map(_each, ("{:02x}", "x{:02x}", "u{:04x}", "{:d}", "25{:02x}", "{:08b}", "{:o}")),
)


def _decoded(text: str) -> Iterator[str]:
    """Yield what a text says once its escapes and its encoded parts are read."""
    if _ESCAPED.search(text):
        yield _ESCAPED.sub(_unescaped, text)
    for encoded_part in _ENCODED.findall(text):
        if encoded_part.islower() and encoded_part.isalpha():
            continue  # a word
        for ahead in range(4):
            part = encoded_part[ahead:].translate(_URL_SAFE)
            with_pad = part[: len(part) // 4 * 4]
            yield base64.b64decode(with_pad).decode("latin-1")
        if not re.search(r"[^0-9a-fA-F]", encoded_part):
            yield bytes.fromhex(encoded_part[: len(encoded_part) // 2 * 2]).decode("latin-1")


_URL_SAFE: Final = str.maketrans("-_", "+/")


def _unescaped(match: re.Match[str]) -> str:
    escape = match[0]
    if escape[0] in "%=":
        return chr(int(escape[1:], 16)) if escape[1:].strip() else ""
    if escape[0] == "&":
        return html.unescape(escape)
    code = escape.lstrip("\\")
    return chr(int(code[1:], 16)) if len(code) > 1 else " "
