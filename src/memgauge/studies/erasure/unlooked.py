"""What was not looked at, and why: never empty, because nobody can look everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.studies.erasure.plan import ErasureRequest
from memgauge.studies.erasure.record import UnlookedPart
from memgauge.studies.erasure.residue import HAS_ATTRIBUTES
from memgauge.systems.protocol import Answering, Assembling, Auditable, Durable, Expiring, implements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.studies.erasure.plan import ErasurePlan
    from memgauge.systems.protocol import MemorySystem

_ALWAYS: Final = (
    ("memory of processes", "what the system or another process still holds in memory is not read"),
    ("vectors", "an embedding cannot be read back as the text that it was made of, and may still say much of it"),
    (
        "files elsewhere",
        "what Python does not report and no process holds open is written unseen outside the store",
    ),
    ("names and extended attributes of folders", "files are looked through, with their names and attributes"),
    ("freed blocks of the file system and of the disk", "they are below files, which alone are read"),
    ("swap, core dumps and snapshots of the machine", "they belong to the machine, not to the system"),
    ("other scopes", "what other users, agents or sessions hold of the subject is seen in files alone"),
    ("getting by id", "the protocol lists and searches; ids are asked for in histories and in a second deletion"),
    ("words changed beyond case, spaces and marks", "a summary or a translation holds no value to look for"),
    ("values that are masked, encrypted or cut in pieces", "their bytes are others"),
    ("letters as pictures or glyphs", "a scan, or a PDF that numbers its glyphs, holds no letters"),
)
_OPTIONAL: Final[Mapping[type, tuple[str, str]]] = {
    Auditable: (
        "histories",
        "the system offers none through the protocol; of their files, what was named was read",
    ),
    Assembling: ("assembled contexts", "the system makes none"),
    Answering: ("answers", "the system does not answer by itself"),
    Expiring: ("sweeping or compaction", "the system offers no call for it through the protocol"),
}


def unlooked(
    system: MemorySystem, needs: Sequence[str], plan: ErasurePlan, declared: Mapping[str, str], *, is_ours: bool
) -> Iterator[UnlookedPart]:
    """Yield every part that no look reaches.

    *needs* is what the system declares to need, *declared* what its description says of its files; *is_ours* is
    whether the store was made for this audit.
    """
    lies_elsewhere = not is_ours and not implements(system, Durable)
    yield UnlookedPart("backups", _backups(plan, declared))
    if lies_elsewhere:
        elsewhere = "the memory runs elsewhere: its files, logs, backups and what it asks of others were not seen"
        yield UnlookedPart("whatever lies behind its address", elsewhere)
    elif not implements(system, Durable):
        yield UnlookedPart(
            "files of the store", "the system names none; what it wrote where this could see it was read"
        )
    if not HAS_ATTRIBUTES:
        yield UnlookedPart("extended attributes of files", "Python cannot read them on this machine")
    yield UnlookedPart("anything later than the last look", _later(plan))
    if plan.planted:
        yield UnlookedPart(
            "real people",
            "the subject is invented, which a system may notice: this shows what it does, not what it holds",
        )
        if not is_ours and plan.request is not ErasureRequest.NONE:
            yield UnlookedPart(
                "the twin that is never asked", "the store is not ours: no second one was made there"
            )
    else:
        yield UnlookedPart("the twin that is never asked", "a real subject cannot be had twice")
        yield UnlookedPart(
            "paraphrases, contexts, answers", "nobody has questions that a real person's texts answer"
        )
    if (needed := set(needs) & {"llm", "embedder", "server", "network"}) or not lies_elsewhere:
        yield _services(needed)
    for protocol, (name, reason) in _OPTIONAL.items():
        if not implements(system, protocol):
            yield UnlookedPart(name, reason)
    yield from (UnlookedPart(part, why) for part, why in _ALWAYS)


def _later(plan: ErasurePlan) -> str:
    waited = f"--wait {plan.wait_s:g} was all" if plan.wait_s else "nothing was waited for (--wait)"
    return f"{waited}; what is written back or deleted after that is not seen"


def _backups(plan: ErasurePlan, declared: Mapping[str, str]) -> str:
    own = [pattern for pattern, meaning in declared.items() if meaning.startswith("backup")]
    named = f"those that you named were read: {len(plan.also)}" if plan.also else "you named none with --also"
    return f"{'declared: ' + ', '.join(own) if own else 'the description of the product declares none'}; {named}"


def _services(needed: set[str]) -> UnlookedPart:
    if needed:
        asked = ", ".join(sorted(needed))
        return UnlookedPart("services that it asks", f"it needs {asked}: what they keep is out of reach")
    why = "it says that it asks none; what native code reaches for is not seen"
    return UnlookedPart("services of others", why)
