"""What in a text can name or reach a person, found by its form, and the stand-ins that replace it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.datasets.building.iban import is_iban

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class IdentifierKind(StrEnum):
    """What is replaced; where two forms fit, the first one wins."""

    URL = "url"
    EMAIL = "email"
    IBAN = "iban"
    CARD = "card"
    IP = "ip"
    PHONE = "phone"
    ID = "id"
    ADDRESS = "address"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class IdentifierSpan:
    """Where something stands in a text, and what it is under one spelling."""

    start: int
    end: int
    value: str
    """Equal for two spellings of one thing: ``+1 555 0100`` and ``+15550100``."""


# Stand-ins begin and end in a way that neither people nor machines have: reserved names, a country that does not
# exist, addresses that are routed nowhere, numbers too short for what they stand for.
STAND_INS = re.compile(
    r"person[0-9]+@example\.org"
    r"|https://site[0-9]+\.example\.org"
    r"|\+00 [0-9]{3} [0-9]{4}"
    r"|(?:CARD|IBAN|ID)-[0-9]{6}(?![0-9])"
    r"|2(?:4[0-9]|5[0-5])\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}"
    r"|2001:db8::[0-9a-f]{1,4}(?::[0-9a-f]{1,4})?"
    r"|[0-9]+ Example Street"
)
"""Every stand-in but made-up names; what looks like one is left alone."""

_TLDS = "com|org|net|edu|gov|info|biz|io|dev|app|co|de|fr|uk|nl|eu|ch|se|pl"
_URL = re.compile(
    rf"(?:https?|ftp)://[^\s<>\"']+|(?<![\w@.-])www\.[\w-]+\.[^\s<>\"']+"
    rf"|(?<![\w@.-])(?:[\w-]+\.)+(?:(?:{_TLDS})(?![\w.-]*@)(?![\w-])(?:/[^\s<>\"']*)?|[a-z]{{2,}}/[^\s<>\"']+)",
    re.IGNORECASE,
)
_URL_END = ".,;:!?)]}*`"
_EMAIL = re.compile(r"(?<![\w.+%'-])[\w.+%'-]+@[\w-]+(?:\.[\w-]+)+")
_IBAN = re.compile(r"(?<![^\W_])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,40}", re.IGNORECASE | re.ASCII)
_DIGIT_RUN = re.compile(r"\d+(?:[ -]?\d+){0,40}")
_DIGITS = re.compile(r"\d+")
_IPV4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)")
_IPV6 = re.compile(r"(?<![\w:])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])")
_PHONE = re.compile(
    r"(?:\+|(?<![\d.,/-])00)\s?\d(?:[\s().\-/]{0,2}\d){6,14}"  # with its country
    r"|(?<![\d.,/-])(?:1[-. ])?(?:\(\d{3}\)\s?|\d{3}[-. ])\d{3}[-. ]\d{4}(?!\d)"  # North America
    r"|(?<![\d.,/-])\d{3}-\d{4}(?![\d-])"
    r"|(?<![\d.,/:-])\(?0\d{1,5}\)?(?:[\s\-/.]{1,3}\d{2,}){1,5}(?!\d)"  # national, with its leading zero
)
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})(?!\d)|\d{4}-\d{2}-\d{2}")
_ID = re.compile(r"(?<!\d[.,])(?<!\d)(?:\d{8,}|\d{3}-\d{2}-\d{4}|\d{4}([ -])\d{4}\1\d{4}\1\d{4})(?!\d)")
_STREET = (
    r"Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Square|Terrace|Crescent|Way"
)
_ADDRESS = re.compile(
    rf"(?<!\w)\d{{1,5}}[A-Za-z]?[ \t]+(?:[A-Z][\w'\u2019.-]*[ \t]+){{1,4}}(?:{_STREET})(?!\w)"
    r"|(?<!\w)[A-ZÄÖÜ][\w-]*(?:straße|strasse|str\.|weg|platz|allee|gasse)[ \t]+\d{1,4}[a-z]?(?!\w)"
    r"|(?<!\w)\d{1,4},?[ \t]+(?:rue|avenue|boulevard|place)[ \t]+(?:[a-z]{1,4}[ \t]+){0,3}[A-Z][\w'\u2019-]*"
)


def found(kind: IdentifierKind, text: str) -> Iterator[IdentifierSpan]:
    """Yield what of one kind stands in *text*, in order and without overlap; names are not known here."""
    return _FINDERS[kind](text)


def stand_in(kind: IdentifierKind, number: int, value: str) -> str:
    """Return the stand-in with a number; *value* decides only whether an address has four bytes or sixteen."""
    if kind is IdentifierKind.IP:
        if ":" in value:
            return str(ipaddress.IPv6Address(int(ipaddress.IPv6Address("2001:db8::")) + number))
        return str(ipaddress.IPv4Address(int(ipaddress.IPv4Address("240.0.0.0")) + number))
    if kind is IdentifierKind.PHONE:
        return f"+00 {number // 10_000:03d} {number % 10_000:04d}"
    return {
        IdentifierKind.URL: f"https://site{number}.example.org",
        IdentifierKind.EMAIL: f"person{number}@example.org",
        IdentifierKind.ADDRESS: f"{number} Example Street",
    }.get(kind, f"{kind.upper()}-{number:06d}")


def luhn(digits: str) -> bool:
    """Whether the last digit checks the others, as on bank cards."""
    doubled = (int(digit) * (1 + position % 2) for position, digit in enumerate(reversed(digits)))
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0


def _urls(text: str) -> Iterator[IdentifierSpan]:
    for match in _URL.finditer(text):
        url = match[0].rstrip(_URL_END)
        yield IdentifierSpan(match.start(), match.start() + len(url), url)


def _emails(text: str) -> Iterator[IdentifierSpan]:
    return (IdentifierSpan(*match.span(), match[0].casefold()) for match in _EMAIL.finditer(text))


def _ibans(text: str) -> Iterator[IdentifierSpan]:
    for match in _IBAN.finditer(text):
        # What follows may look like more of it, so every end is tried, the longest first.
        for end in range(len(match[0]), 0, -1):
            plain = re.sub(r"[ -]", "", match[0][:end]).upper()
            if match[0][end - 1].isalnum() and not match[0][end : end + 1].isalnum() and is_iban(plain):
                yield IdentifierSpan(match.start(), match.start() + end, plain)
                break


def _cards(text: str) -> Iterator[IdentifierSpan]:
    for run in _DIGIT_RUN.finditer(text):
        groups = [group.span() for group in _DIGITS.finditer(text, *run.span())]
        first = 0
        while first < len(groups):
            last = _card_end(text, groups, first)
            if last is not None:
                start, end = groups[first][0], groups[last][1]
                yield IdentifierSpan(start, end, re.sub(r"[ -]", "", text[start:end]))
                first = last
            first += 1


def _card_end(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """Return the last of the groups of digits that form a card's number with the *first*."""
    digits, best = "", None
    for last in range(first, len(groups)):
        digits += text[slice(*groups[last])]
        if len(digits) > 19:
            break
        if len(digits) >= 13 and luhn(digits):
            best = last
    return best


def _ips(text: str) -> Iterator[IdentifierSpan]:
    matches = sorted((*_IPV4.finditer(text), *_IPV6.finditer(text)), key=re.Match.start)
    for match in matches:
        try:
            address = ipaddress.ip_address(match[0])
        except ValueError:
            continue
        if not address.is_unspecified:
            yield IdentifierSpan(*match.span(), address.compressed)


def _phones(text: str) -> Iterator[IdentifierSpan]:
    for match in _PHONE.finditer(text):
        digits = "".join(filter(str.isdigit, match[0]))
        if 7 <= len(digits) <= 17 and not _DATE.search(match[0]):
            yield IdentifierSpan(*match.span(), digits)


def _ids(text: str) -> Iterator[IdentifierSpan]:
    return (IdentifierSpan(*match.span(), re.sub(r"[ -]", "", match[0])) for match in _ID.finditer(text))


def _addresses(text: str) -> Iterator[IdentifierSpan]:
    return (
        IdentifierSpan(*match.span(), " ".join(match[0].casefold().split())) for match in _ADDRESS.finditer(text)
    )


_FINDERS: dict[IdentifierKind, Callable[[str], Iterator[IdentifierSpan]]] = {
    IdentifierKind.URL: _urls,
    IdentifierKind.EMAIL: _emails,
    IdentifierKind.IBAN: _ibans,
    IdentifierKind.CARD: _cards,
    IdentifierKind.IP: _ips,
    IdentifierKind.PHONE: _phones,
    IdentifierKind.ID: _ids,
    IdentifierKind.ADDRESS: _addresses,
}
FORMS: tuple[IdentifierKind, ...] = tuple(_FINDERS)
"""The kinds that are found by their form, in the order in which they are looked for."""


def kinds_in(text: str) -> tuple[IdentifierKind, ...]:
    """Return the kinds that stand in *text*, stand-ins aside."""
    pieces = STAND_INS.split(text)
    return tuple(kind for kind in FORMS if any(next(found(kind, piece), None) for piece in pieces))
