"""Whose memory it is: ids that are read as they were not meant, and memories that reach the wrong reader."""

from __future__ import annotations

import html
import re
import zlib
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from hashlib import sha256
from posixpath import normpath
from typing import TYPE_CHECKING, Any
from unicodedata import combining, normalize
from urllib.parse import unquote

from memgauge.records import Hit, Memory, Ranking, Scope
from memgauge.studies.golden.breeding.operator import (
    BredFault,
    always,
    crowded,
    nth,
    operator,
    pick,
    second_user,
    when,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from memgauge.studies.golden.breeding.calls import Passing

READS = ("search", "dump", "context", "ask")
SCOPED = (*READS, "update", "delete", "erase", "history", "ingest")
_LOOKALIKES = str.maketrans("аеорсухіі", "aeopcyxii")  # noqa: RUF001 - the letters are the point

KEYS: Mapping[str, Callable[[str], str]] = {
    "in small letters": str.casefold,
    "without spaces around them": str.strip,
    "with any space as one": lambda user: " ".join(user.split()),
    "in compatible normal form": lambda user: normalize("NFKC", user),
    "in composed normal form": lambda user: normalize("NFC", user),
    "without accents": lambda user: "".join(c for c in normalize("NFD", user) if not combining(c)),
    "by their first 8 characters": lambda user: user[:8],
    "by their first 16 characters": lambda user: user[:16],
    "by their first 32 characters": lambda user: user[:32],
    "by their first 64 characters": lambda user: user[:64],
    "by their first 255 bytes": lambda user: user.encode("utf-8", "replace")[:255].decode("utf-8", "ignore"),
    "without what follows a plus": lambda user: re.sub(r"\+[^@]*", "", user),
    "without dots": lambda user: user.replace(".", ""),
    "without the domain of an address": lambda user: user.partition("@")[0],
    "up to a NUL": lambda user: user.partition("\0")[0],
    "up to the end of the line": lambda user: user.partition("\n")[0],
    "up to a semicolon": lambda user: user.partition(";")[0],
    "by 8 bits of a hash": lambda user: sha256(user.encode("utf-8", "replace")).hexdigest()[:2],
    "by 12 bits of a hash": lambda user: sha256(user.encode("utf-8", "replace")).hexdigest()[:3],
    "by 16 bits of a hash": lambda user: sha256(user.encode("utf-8", "replace")).hexdigest()[:4],
    "by 16 bits of a checksum": lambda user: str(zlib.crc32(user.encode("utf-8", "replace")) & 0xFFFF),
    "without what is not ASCII": lambda user: user.encode("ascii", "ignore").decode(),
    "without what lies beyond 16 bits": lambda user: "".join(c for c in user if ord(c) < 0x10000),
    "without quotes": lambda user: user.strip("'\""),
    "as numbers where they are": lambda user: str(int(user)) if user.isdecimal() else user,
    "after percent signs are resolved": unquote,
    "after entities are resolved": html.unescape,
    "without characters of no width": lambda user: re.sub("[\u200b-\u200f\u2060\ufeff]", "", user),
    "with hyphens as underscores": lambda user: user.replace("-", "_"),
    "as paths": lambda user: normpath(user) if user else user,
    "without a last dot": lambda user: user.rstrip("."),
    "without a prefix": lambda user: user.rpartition(":")[2],
    "by their letters and digits": lambda user: "".join(filter(str.isalnum, user)),
    "with letters that look alike as one": lambda user: user.translate(_LOOKALIKES),
    "in reverse of their parts": lambda user: "/".join(sorted(user.split("/"))),
}
"""How ids of users are told apart wrongly."""


def seen_as(call: Passing, owners: list[Scope]) -> Any:
    """Do a call for several owners at once, as if they were one."""
    results = [call.go(scope=owner) for owner in owners]
    if call.method == "search":
        hits = [hit for ranking in results for hit in ranking.hits]
        return Ranking(tuple(hits[: max(call.given["k"], 0)]))
    if call.method in {"dump", "history"}:
        return [each for listed in results for each in listed]
    if call.method == "context":
        return "".join(results)[: call.given["budget"]]
    if call.method == "ask":
        known = [text for text in results if text != "I do not know."]
        return " ".join(known or results[:1])
    return sum(results) if call.method == "delete" else results[0]


def _widened(method: str, how: str, alike: Callable[[Scope, Scope], bool]) -> BredFault:
    """Let one method, or all, take everybody who is alike for one."""

    def advice(call: Passing) -> Any:
        own = call.scope
        owners = [own, *(other for other in call.others(own) if alike(other, own))]
        if method == "everything" or call.method == "ingest":
            first = next((scope for scope in call.past.scopes if scope == own or alike(scope, own)), own)
            return call.go(scope=first)
        return seen_as(call, owners)

    where = (*SCOPED, "ingest_expiring") if method == "everything" else (method,)
    doing = "it" if method == "everything" else f"`{method}`"
    return BredFault(f"{doing} tells {how}", dict.fromkeys(where, advice))


@operator("widen-user", "identity", "given", *SCOPED, "everything")
def _(dice: Random, method: str) -> BredFault:
    how, key = pick(dice, KEYS)

    def alike(owner: Scope, reader: Scope) -> bool:
        return replace(owner, user=reader.user) == reader and key(owner.user) == key(reader.user)

    return _widened(method, f"ids of users apart {how}", alike)


@operator("widen-part", "identity", "given", *SCOPED, "everything")
def _(dice: Random, method: str) -> BredFault:
    part = dice.choice(("tenant", "agent", "session"))
    how = dice.choice(("not at all", "in small letters", "without spaces", "by 3 characters", "if given"))
    key: Callable[[str | None], str | None] = {
        "not at all": lambda text: None,  # noqa: ARG005 - one of several
        "in small letters": lambda text: text and text.casefold(),
        "without spaces": lambda text: text and text.strip(),
        "by 3 characters": lambda text: text and text[:3],
        "if given": lambda text: text or None,
    }[how]

    def alike(owner: Scope, reader: Scope) -> bool:
        theirs, own = getattr(owner, part), getattr(reader, part)
        same = key(theirs) == key(own) or (how == "if given" and not own)
        return replace(owner, **{part: own}) == reader and same

    return _widened(method, f"{part}s apart {how}", alike)


@operator("join-parts", "identity", "given", *READS, "erase", "everything")
def _(dice: Random, method: str) -> BredFault:
    sign = dice.choice((":", "/", "", "-", "_", "|", "."))

    def joined(scope: Scope) -> str:
        return sign.join(filter(None, (scope.tenant, scope.user, scope.agent, scope.session)))

    return _widened(
        method, f"scopes apart joined with {sign!r}", lambda owner, reader: joined(owner) == joined(reader)
    )


_PATTERNS: Mapping[str, Callable[[str, str], bool]] = {
    "a pattern of LIKE": lambda owner, reader: (
        re.fullmatch(
            "".join({"%": ".*", "_": "."}.get(c, re.escape(c)) for c in reader), owner, re.DOTALL | re.IGNORECASE
        )
        is not None
    ),
    "a pattern of a shell": fnmatchcase,
    "the beginning of an id": lambda owner, reader: bool(reader) and owner.startswith(reader),
    "the end of an id": lambda owner, reader: bool(reader) and owner.endswith(reader),
    "a part of an id": lambda owner, reader: bool(reader) and reader in owner,
    "everybody where it is empty": lambda owner, reader: not reader.strip(),  # noqa: ARG005 - one of several
    "everybody where it is a word for it": lambda owner, reader: (  # noqa: ARG005 - the same
        reader in {"*", "all", "any", "null", "None", "root", "admin"}
    ),
}


@operator("pattern", "identity", "given", *READS, "delete", "erase")
def _(dice: Random, method: str) -> BredFault:
    what, fits = pick(dice, _PATTERNS)

    def alike(owner: Scope, reader: Scope) -> bool:
        return replace(owner, user=reader.user) == reader and fits(owner.user, reader.user)

    fault = _widened(method, "", alike)
    return BredFault(f"`{method}` takes an id for {what}", fault.advice)


@operator("fallback", "identity", "returned", "search", "context", "ask", "dump", "history")
def _(dice: Random, method: str) -> BredFault:
    who = dice.choice(("the first", "the last", "the anonymous"))

    def advice(call: Passing) -> Any:
        result = call.go()
        empty = not (result.hits if isinstance(result, Ranking) else result) or result == "I do not know."
        others = list(call.others(call.scope))
        if who == "the anonymous":
            others = [scope for scope in others if scope.user in {"", "default", "anonymous"}]
        return call.go(scope=others[0 if who == "the first" else -1]) if empty and others else result

    return BredFault(f"`{method}` falls back on {who} user where it has nothing", {method: advice})


@operator("mix-up", "identity", "given", *READS, "update", "erase", "ingest")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, second_user, _sometimes)

    def advice(call: Passing) -> Any:
        others = list(call.others(call.scope))
        return call.go(scope=others[-1]) if others and condition.met(call) else call.go()

    return BredFault(f"`{method}` works on whoever wrote last{condition.says}", {method: advice})


def _sometimes(dice: Random) -> Any:
    return dice.choice((nth, crowded, always))(dice)


@operator("unscoped", "identity", "given", "update", "delete", "history")
def _(dice: Random, method: str) -> BredFault:
    order = dice.choice((1, -1))

    def advice(call: Passing) -> Any:
        named = call.given.get("memories") or [call.given.get("memory")]
        owners = list(call.past.scopes)[::order]
        owner = next((o for o in owners if any(m.id in named for m in call.stored(o))), call.scope)
        owners = [o for o in owners if any(m.id in named for m in call.stored(o))] or [owner]
        return seen_as(call, owners if method == "delete" else owners[:1])

    return BredFault(
        f"`{method}` looks for an id among everybody's{' from the last' * (order < 0)}", {method: advice}
    )


@operator("leak-in-hits", "identity", "returned", "search", "dump", "context", "ask")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, _sometimes)
    ended = dice.choice((True, False))

    def foreign(call: Passing) -> Memory | None:
        everything = [memory for other in call.others(call.scope) for memory in call.stored(other)]
        return everything[-1] if everything else None

    def advice(call: Passing) -> Any:
        result, memory = call.go(), foreign(call)
        if memory is None or not condition.met(call):
            return result
        return _beside(call, result, memory, ended=ended)

    past = " as if it had ended" if ended and method in {"search", "dump"} else ""
    return BredFault(f"`{method}` shows one memory of somebody else{past}{condition.says}", {method: advice})


def _beside(call: Passing, result: Any, memory: Memory, *, ended: bool) -> Any:
    if ended:
        memory = replace(memory, valid_to=datetime(2000, 1, 1))  # noqa: DTZ001 - naive like every time of a scenario
    if isinstance(result, Ranking):
        return replace(result, hits=(*result.hits, Hit(memory))[: max(call.given["k"], 0)])
    return f"{result}\n{memory.text}" if isinstance(result, str) else [*result, memory]
