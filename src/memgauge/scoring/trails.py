"""What the record shows of every evidence turn that did not arrive: the trails that causes are read from."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from memgauge.records import Form, Lineage
from memgauge.runs.record.lineage import digest, spelled
from memgauge.scoring.causes import EvidenceClaim, EvidenceTrail, EvidenceWrite, SearchReach
from memgauge.scoring.conversation_record import AT_ONCE, conversation_records
from memgauge.scoring.run_reading import RunReading
from memgauge.scoring.turn_words import damage_of, has_words, is_copy, missing_words
from memgauge.text.witness import holds, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memgauge.measures import Measure
    from memgauge.records import Gold, Question, Turn
    from memgauge.runs.record.stored import StoredVersion
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.conversation_record import ConversationRecord
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.said import ConversationText

FIRST = 10
"""Ranks in which something that is no longer true stands in the place of evidence."""
Lost = tuple[EvidenceTrail, ...]


def trails(judged: JudgedRun, gold: GoldTable, measure: Measure, places: Sequence[int]) -> dict[int, Lost]:
    """Follow the evidence of the questions at *places* that did not arrive, turn by turn."""
    return followed(RunReading(judged, gold, measure), places)


def followed(reading: RunReading, places: Sequence[int]) -> dict[int, Lost]:
    """Do the same for a run that is read already."""
    judged, gold = reading.judged, reading.gold
    homes = defaultdict[str, list[int]](list)
    for place in places:
        homes[gold.questions[place].conversation].append(place)
    lost: dict[int, Lost] = {}
    texts = dict(gold.conversations.said(homes)) if len(homes) <= _HELD else {}
    every = conversation_records(judged.run, list(homes))
    while records := list(islice(every, AT_ONCE)):
        claimed = _claimed(reading, records, homes)
        for record in records:
            spoken = texts.get(record.name) or dict(gold.conversations.said([record.name])).get(record.name)
            story = ConversationReading(reading, record, spoken, claimed)
            lost |= {place: story.follow(place) for place in homes[record.name]}
    return lost


def _claimed(
    reading: RunReading, records: Sequence[ConversationRecord], homes: Mapping[str, Sequence[int]]
) -> Mapping[int, str | None]:
    """Return the texts of all memories that claim evidence of these questions, in one go: a run is slow to ask."""
    policy, rows = reading.judged.contract.evidence, set[int]()
    for record in records:
        turns = {turn for place in homes[record.name] for turn in reading.gold.golds[place].anchors(policy)}
        rows.update(row for turn in turns for row in record.claims.get(turn, ()))
    return reading.judged.run.texts_of(sorted(rows))


_HELD = 64
"""Conversations whose words are held at once."""


@dataclass(frozen=True, eq=False)
class ConversationReading:
    """One conversation of a run beside what was said in it."""

    run: RunReading
    record: ConversationRecord
    spoken: ConversationText | None
    texts: Mapping[int, str | None]
    """Of the memories that claim evidence, by row."""

    def follow(self, place: int) -> Lost:
        """Follow the evidence of one question that did not arrive whole; all of it where all of it did."""
        question, gold = self.run.gold.questions[place], self.run.gold.golds[place]
        turns = gold.anchors(self.run.judged.contract.evidence)
        lost = [turn for turn in turns if not self.run.arrived(place, turn)] or list(turns)
        return tuple(self._trail(place, question, gold, turn) for turn in lost)

    def _trail(self, place: int, question: Question, gold: Gold, turn: str) -> EvidenceTrail:
        outcome, reason = self.run.ended[question.id]
        hits, claims = self.run.hits(place), self._claims(question, gold, turn)
        rank = self._rank(hits, turn)
        gone, elsewhere = ("", "") if claims else self._missing(turn)
        write = self.record.handed.get(turn)
        limits = self.run.judged.run.manifest.limits
        since, last = self.record.behind
        return EvidenceTrail(
            turn,
            outcome,
            reason,
            tried=not reason.startswith("not asked"),
            untold=self.record.untold,
            write=None if write is None else _write(write),
            claims=claims,
            gone=gone,
            elsewhere=elsewhere,
            reach=SearchReach(
                len(hits), limits.k, self.run.measure.depth, self.run.budget, self.run.cap, self.run.silent
            ),
            rank=rank,
            tokens=None if rank is None else self.run.before(hits[rank - 1]),
            within=rank is not None and bool(self.run.fits[hits[rank - 1]] == 1),
            reworded=self._reworded(hits, turn, rank),
            strangers=self._strangers(hits, rank),
            outdated=self._outdated(hits, turn, rank),
            superseded=self._superseded(hits, gold, turn, rank, question),
            stale=self._stale(turn, since, last),
        )

    def _rank(self, hits: range, turn: str) -> int | None:
        ranks = self.run.ranks(hits, self.run.bearers.get((self.record.name, turn), ()))
        return ranks[0] if ranks else None

    def _claims(self, question: Question, gold: Gold, turn: str) -> tuple[EvidenceClaim, ...]:
        rows = [row for row in self.record.claims.get(turn, ()) if row not in self.foreign]
        utterance = self.spoken.turns.get(turn) if self.spoken else None
        return tuple(self._claim(row, self.texts[row], utterance, question, gold, turn) for row in rows)

    def _claim(
        self, row: int, text: str | None, utterance: Turn | None, question: Question, gold: Gold, turn: str
    ) -> EvidenceClaim:
        version = self.record.versions[row]
        share = self.run.shares.get(row, {}).get((self.record.name, turn), 0.0)
        missing, damage, whole = tuple[str, ...](), "", True
        if text is not None and utterance is not None and is_copy(text, utterance):
            whole = has_words(utterance)
        elif text is not None and utterance is not None:
            missing = missing_words(text, utterance, question, gold)
            damage = damage_of(text, utterance)
            whole = holds(plain(text), plain(utterance.text)) and not missing and not damage
        form = version.form if self.run.credited is not None and not self.run.credited[row] else ""
        return EvidenceClaim(version.memory, version.version, share, whole, missing, form, damage)

    def _missing(self, turn: str) -> tuple[str, str]:
        """Say what took the memory of a turn that nothing claims, and else where its words are."""
        gone, elsewhere = self.record.missing(turn)
        utterance = self.spoken.turns.get(turn) if self.spoken else None
        for text in spelled([utterance]) if utterance else ():
            others = set(self.run.digests.get(digest(text), ())) - {self.record.name}
            for other, spoken in self.run.gold.conversations.said(sorted(others)[:1]):
                if plain(utterance.text if utterance else "") not in spoken.plain.values():
                    return "", f"{turn} is stored under {other}"
        return gone, elsewhere

    def _reworded(self, hits: range, turn: str, rank: int | None) -> int | None:
        """Return the rank of a memory that is stored as it was said, and came back with other words."""
        if rank is not None:
            return None
        for place in self.run.ranks(hits, self.record.claims.get(turn, ())):
            row = self.run.memory(hits[place - 1])
            if row not in self.foreign and not self._older(self.record.versions[row], turn):
                return place
        return None

    def _strangers(self, hits: range, rank: int | None) -> str:
        """Say which ranks hold memories of another scope, where without them the evidence might count."""
        until = len(hits) if rank is None else rank - 1
        foreign = self.run.ranks(hits[:until], self.foreign) if self.foreign else []
        if not foreign or (rank is not None and not self._would_count(hits, rank, foreign)):
            return ""
        shown = ", ".join(map(str, foreign[:3])) + (" …" if len(foreign) > 3 else "")
        versions = [self.record.versions[self.run.memory(hits[place - 1])] for place in foreign]
        whose = "of another scope" if all(map(self._said_elsewhere, versions)) else "from no write of this scope"
        return f"{len(foreign)} of {until} above are {whose} (rank {shown})"

    def _would_count(self, hits: range, rank: int, foreign: Collection[int]) -> bool:
        cutoff = self.run.measure.depth
        near = cutoff is None or rank - len(foreign) <= cutoff
        spared = sum(self.run.tokens(hits[place - 1]) for place in foreign)
        before = self.run.before(hits[rank - 1])
        paid = self.run.budget is None or before is None or before - spared < self.run.budget
        return near and paid

    @cached_property
    def foreign(self) -> frozenset[int]:
        """The memories that no write of this conversation made, or whose text is a turn of another one, by row."""
        return frozenset(
            [
                row
                for row, version in self.record.versions.items()
                if (version.form != Form.RAW or version.lineage == Lineage.ABSENT) and self._strange(version)
            ]
        )

    def _strange(self, version: StoredVersion) -> bool:
        if version.lineage == Lineage.ABSENT:
            return version.memory not in self.record.reported
        return version.form != Form.RAW and self._said_elsewhere(version)

    def _said_elsewhere(self, version: StoredVersion) -> bool:
        """Whether the text of a memory is a turn of another conversation."""
        return self.run.neighbours.get(version.sha256, self.record.name) != self.record.name

    def _outdated(self, hits: range, turn: str, rank: int | None) -> str:
        """Say which rank holds an older version of a memory that bears the turn."""
        rows = [row for row in self.record.claims.get(turn, ()) if self._bears(row, turn)]
        bearing = {self.record.versions[row].memory for row in rows}
        if not bearing:
            return ""
        known = [row for memory in bearing for row in self.record.rows[memory]]
        for place in self.run.ranks(hits if rank is None else hits[: rank - 1], known):
            version = self.record.versions[self.run.memory(hits[place - 1])]
            if self._older(version, turn):
                return f"rank {place} is memory {version.memory} as it was before {turn}"
        if rank is None and rows and not any(self.record.versions[row].returned for row in rows):
            for version in map(self.record.versions.__getitem__, sorted(known)):
                if version.returned and self._older(version, turn):
                    return f"memory {version.memory} comes back only as it was before {turn}"
        return ""

    def _superseded(self, hits: range, gold: Gold, turn: str, rank: int | None, question: Question) -> str:
        """Say which of the first ranks, above the evidence, holds what was not true when it was asked."""
        until = min(FIRST, len(hits) if rank is None else rank - 1)
        asked = "" if question.asked_at is None else question.asked_at.isoformat()
        untrue = set(gold.stale or ()) - {turn}
        if not untrue and not (asked and self.record.ends):
            return ""
        wrong = [
            place
            for place in range(1, until + 1)
            for version in [self.record.versions[self.run.memory(hits[place - 1])]]
            if untrue.intersection(version.sources) or (asked and (version.valid_to or "~") <= asked)
        ]
        return f"rank {wrong[0]} holds what is true at another time" if wrong else ""

    def _bears(self, row: int, turn: str) -> bool:
        return (self.record.name, turn) in self.run.shares.get(row, {})

    def _older(self, version: StoredVersion, turn: str) -> bool:
        """Whether a version tells what was said before *turn*, and not the turn."""
        if turn not in version.sources:
            return True
        earlier = [each for each in version.sources if self.record.event_of(each) < self.record.event_of(turn)]
        if not earlier or self.spoken is None:
            return False
        text = self.run.judged.run.texts_of([version.row])[version.row]
        folded = "" if text is None else plain(text)
        return any(holds(folded, self.spoken.plain[each]) for each in earlier if each in self.spoken.plain)

    def _stale(self, turn: str, since: int, last: str) -> str:
        if since < 0 or self.record.event_of(turn) <= since:
            return ""
        at = self.spoken.turns[last].at if self.spoken and last in self.spoken.turns else None
        day = f" ({at:%Y-%m-%d %H:%M})" if at else ""
        return f"nothing written after {last}{day} came back in any of {self.record.searches:,} searches"


def _write(row: Mapping[str, Any]) -> EvidenceWrite:
    changed = row["changed"]
    return EvidenceWrite(row["outcome"], row["reason"] or "", None if changed is None else tuple(changed))
