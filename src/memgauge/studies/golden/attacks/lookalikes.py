"""Texts that look like another text, or are made like it by what a program does to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from memgauge.records import Scope
from memgauge.text.disguises import (
    GRAPHEME_JOINER,
    RLO,
    SHY,
    VS16,
    ZWNJ,
    ZWSP,
    fullwidth,
    homoglyphs,
    mirrored,
    tags,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Pair:
    """Two users who are not one, although a program may take them for one."""

    kind: str
    owner: Scope
    reader: Scope
    disguise: bool = False
    """Whether only what nobody sees tells them apart: no canonicaliser may make them one."""


def pairs(owner: str) -> tuple[Pair, ...]:
    """Return everybody who could be taken for *owner*, or for somebody whose name begins like it.

    No reader is an owner, so that what readers do to themselves never concerns an owner.
    """
    home = Scope(owner)
    made = [Pair(kind, home, Scope(name)) for kind, name in _spellings(owner)]
    made += [Pair(kind, home, Scope(name), disguise=True) for kind, name in _hidden(owner)]
    made += [
        Pair(kind, Scope(f"{owner}{n}-{a}"), Scope(f"{owner}{n}-{b}")) for n, (kind, a, b) in enumerate(_TWINS, 1)
    ]
    made += [Pair(kind, Scope(a), Scope(b)) for kind, a, b in _NUMBERS]
    for size in (32, 64, 128, 255, 1024):
        long = owner.ljust(size, "x")
        made += [
            Pair(f"cut at {size}", Scope(long), Scope(f"{long}b")),
            Pair(f"cut at {size}, both longer", Scope(f"{long}c"), Scope(f"{long}d")),
        ]
    for mark in (":", "/", "|", "#", "_", "-", "\0", "::"):
        a, b = Scope("c", f"{owner}{mark}b"), Scope(f"b{mark}c", owner)
        made += [
            Pair(f"joined by {mark!r}", a, b),
            Pair(f"agent joined by {mark!r}", Scope(owner, agent="b"), Scope(f"{owner}{mark}b")),
        ]
    made += [
        Pair("other tenant", home, Scope(owner, "other")),
        Pair("other agent", home, Scope(owner, agent="other")),
        Pair("empty agent", home, Scope(owner, agent="")),
        Pair("other session", home, Scope(owner, session="other")),
        Pair("empty session", home, Scope(owner, session="")),
        Pair("session like an agent", Scope(owner, agent="b"), Scope(owner, session="b")),
        Pair("no id", home, Scope(cast("str", None))),
    ]
    owners = {pair.owner for pair in made}
    first = {(pair.owner, pair.reader): pair for pair in reversed(made) if pair.reader not in owners}
    return tuple(reversed(first.values()))


def spelled(scope: Scope) -> str:
    """Name a scope with everything odd in it spelled out: the id alone where nothing else is particular."""
    if scope == Scope(scope.user):
        return ascii(scope.user)
    parts = scope.tenant, scope.user, scope.agent
    return ascii(parts if scope.session is None else (*parts, scope.session))


def _spellings(owner: str) -> Iterator[tuple[str, str]]:
    """Yield ids that a normaliser, a path, a query language or a parser of values takes for another."""
    yield from (("upper case", owner.upper()), ("capital", owner.capitalize()), ("swapped case", owner.swapcase()))
    yield from (("fullwidth", fullwidth(owner)), ("wide capitals", fullwidth(owner.upper())))
    blanks = {
        "space": " ",
        "no-break space": "\xa0",
        "wide space": "\u3000",
        "tab": "\t",
        "line": "\n",
        "return": "\r",
    }
    for kind, blank in blanks.items():
        yield from ((f"trailing {kind}", owner + blank), (f"leading {kind}", blank + owner))
    first = f"%{ord(owner[0]):02x}{owner[1:]}"
    yield from (
        ("percent-encoded", first),
        ("encoded twice", first.replace("%", "%25")),
        ("encoded NUL", f"{owner}%00"),
    )
    yield from ((f"path {path}", path.replace("@", owner)) for path in _PATHS)
    yield from (("NUL", f"{owner}\0"), ("NUL and more", f"{owner}\0x"), ("NUL before", f"\0{owner}"))
    yield from ((f"SQL {text}", text.replace("@", owner)) for text in _SQL)
    yield from (
        (f"LIKE {text}", text) for text in ("%", "_" * len(owner), f"{owner[0]}%", f"%{owner[1:]}", f"{owner}%")
    )
    yield from (
        (f"GLOB {text}", text) for text in ("*", "?" * len(owner), f"{owner[0]}*", "[a-z]*", f"{owner}*", "**")
    )
    yield from ((f"regex {text}", text.replace("@", owner)) for text in (".*", "^@$", "@|bob", "(?i)@"))
    yield from ((f"typed {text}", text.replace("@", owner)) for text in _TYPED)
    yield from ((f"named {text or 'nothing'}", text) for text in _NAMES)
    yield ("lone surrogate", f"{owner}\ud800")


_PATHS = (
    *("./@", "@/.", "@/", "/@", "//@", "../@", "..\\@", ".\\@", "@\\", "x/../@", "x\\..\\@", "@/../bob", "@/../@"),
    *("..%2f@", "%2e%2e%2f@", "..%5c@", "%252e%252e%252f@", "....//@", "~/@", "file:///@", "C:\\@", "..", "."),
)
_SQL = (
    *("' or '1'='1", "@' or '1'='1", "@' --", "@'/*", "@';--", "x' or user='@"),
    "' union select * from memories --",
    *('") or true or ("', '@"', '" or ""="', "@`", "1 or 1=1", "@) or (1=1"),
)
_TYPED = (
    *('{"$ne":null}', '{"$gt":""}', '{"$regex":".*"}', '["@"]', '"@"', "[]", "{}", "true", "True", "0", "1", "-1"),
    *("NaN", "{user}", "${user}", "{{7*7}}", "%s", "@:*", "@,bob", "@;bob", "user:@", "@@x"),
)
_UNNAMED = "None null NULL undefined default all global public system admin anonymous - _"
_NAMES = ("", *_UNNAMED.split())
_TWINS = (
    ("sharp s", "stra\xdfe", "strasse"),
    ("capital sharp s", "stra\u1e9ee", "stra\xdfe"),
    ("Kelvin", "kate", "\u212aate"),
    ("dotted I", "\u0130van", "i\u0307van"),
    ("dotless i", "ali", "al\u0131"),
    ("final sigma", "\u03b1\u03c3", "\u03b1\u03c2"),
    ("composed", "jos\xe9", "jose\u0301"),
    ("no accent", "jos\xe9", "jose"),
    ("ligature", "office", "o\ufb03ce"),
    ("modifier letters", "bigbird", "\u1d2e\u1d35\u1d33\u1d2e\u1d35\u1d3f\u1d30"),
    ("modifier letters and capitals", "BIGBIRD", "\u1d2e\u1d35\u1d33\u1d2e\u1d35\u1d3f\u1d30"),
    ("superscript", "r2", "r\xb2"),
    ("Angstrom", "\xc5sa", "\u212bsa"),
    ("dash and line", "al-ice", "al_ice"),
    ("dash and blank", "al-ice", "al ice"),
    ("dash and nothing", "al-ice", "alice"),
    ("dot and nothing", "al.ice", "alice"),
    ("plus", "al", "al+tag"),
    ("plus and blank", "al+ice", "al ice"),
    ("two blanks", "al ice", "al  ice"),
)
_NUMBERS = (
    *(("leading zero", "7", "07"), ("blank before", "7", " 7"), ("fraction", "7", "7.0"), ("sign", "7", "+7")),
    *(("exponent", "7", "7e0"), ("hexadecimal", "7", "0x7")),
    *(("Arabic digit", "7", "\u0667"), ("wide digit", "7", "\uff17")),
    *(("grouped", "7000", "7_000"), ("rounded", "9007199254740993", "9007199254740992")),
)


def _hidden(owner: str) -> Iterator[tuple[str, str]]:
    """Yield ids that look like *owner*."""
    half = len(owner) // 2
    for kind, mark in _MARKS.items():
        yield (f"{kind} inside", owner[:half] + mark + owner[half:])
        yield (f"{kind} behind", owner + mark)
    yield ("tag characters behind", owner + tags("x"))
    yield ("written backwards", mirrored(owner))
    yield ("homoglyphs", homoglyphs(owner))
    yield ("one homoglyph", homoglyphs(owner[0]) + owner[1:])


_MARKS = {
    "zero width space": ZWSP,
    "zero width non-joiner": ZWNJ,
    "zero width joiner": "\u200d",
    "word joiner": "\u2060",
    "soft hyphen": SHY,
    "byte order mark": "\ufeff",
    "left-to-right mark": "\u200e",
    "override": RLO,
    "isolate": "\u2066",
    "variation selector": VS16,
    "grapheme joiner": GRAPHEME_JOINER,
}
