"""What the record shows of every evidence turn that did not arrive: the trails that causes are read from."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.records import Form, Lineage, Outcome
from memgauge.runs.record.lineage import digest, spelled
from memgauge.scoring.causes import EvidenceClaim, EvidenceTrail, EvidenceWrite, SearchReach
from memgauge.scoring.conversation_record import conversation_records
from memgauge.scoring.targets import credited
from memgauge.text.tokens import tokenize
from memgauge.text.witness import holds, plain, words_of
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memgauge.measures import Measure
    from memgauge.records import Gold, Question, Turn
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.conversation_record import ConversationRecord
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.said import ConversationText

FIRST = 10
"""Ranks in which something that is no longer true stands in the place of evidence."""
Lost = tuple[EvidenceTrail, ...]


def trails(judged: JudgedRun, gold: GoldTable, measure: Measure, places: Sequence[int]) -> dict[int, Lost]:
    """Follow the evidence of the questions at *places* that did not arrive, turn by turn."""
    homes = defaultdict[str, list[int]](list)
    for place in places:
        homes[gold.questions[place].conversation].append(place)
    reading = RunReading(judged, gold, measure)
    followed: dict[int, Lost] = {}
    said = dict(gold.conversations.said(homes)) if len(homes) <= _HELD else {}
    for record in conversation_records(judged.run, list(homes)):
        spoken = said.get(record.name) or dict(gold.conversations.said([record.name])).get(record.name)
        story = ConversationReading(reading, record, spoken)
        followed |= {place: story.follow(place) for place in homes[record.name]}
    return followed


_HELD = 64
"""Conversations whose words are held at once."""
_MANY = 50_000
"""Turns above which nobody looks in which other conversation a text was said."""


@dataclass(frozen=True, eq=False)
class RunReading:
    """One run as causes are read from it."""

    judged: JudgedRun
    gold: GoldTable
    measure: Measure

    @cached_property
    def ended(self) -> Mapping[str, tuple[str, str]]:
        """Outcome and reason of every question."""
        columns = (self.judged.run.questions[name].tolist() for name in ("question", "outcome", "reason"))
        return {question: (outcome, reason or "") for question, outcome, reason in zip(*columns, strict=True)}

    @cached_property
    def budget(self) -> int | None:
        """The most tokens that the measure pays for."""
        return max(self.measure.budgets, default=None)

    @cached_property
    def credited(self) -> Any:
        """(M,) which memories the target credits; ``None`` where it credits all."""
        return credited(self.judged.run, self.judged.contract.target)

    @cached_property
    def shares(self) -> Mapping[int, Mapping[tuple[str, str], float]]:
        """How much of which evidence turn each memory bears in a form that the target credits, by its row."""
        names, lineage = list(self.gold.turn_number), self.judged.borne
        mask = self.credited
        memories = np.repeat(np.arange(len(lineage.indptr) - 1), np.diff(lineage.indptr))
        shares = np.ones(len(lineage.turns)) if lineage.share is None else lineage.share
        borne = defaultdict[int, dict[tuple[str, str], float]](dict)
        for memory, turn, share in zip(memories.tolist(), lineage.turns.tolist(), shares.tolist(), strict=True):
            if share > 0 and (mask is None or mask[memory]):
                borne[memory][names[turn]] = share
        return borne

    @cached_property
    def fits(self) -> Any:
        """(H,) which share of each hit the measure looks at."""
        return self.judged.spending.fits(self.budget)

    @cached_property
    def cap(self) -> int | None:
        """The length at which most lists end, where it is less than what was asked for."""
        questions = self.judged.run.questions
        valid = [Outcome(outcome).valid for outcome in questions["outcome"].tolist()]
        lengths = [int(n) for n, good in zip(questions["returned"].tolist(), valid, strict=True) if good]
        most = max(lengths, default=0)
        usual = lengths.count(most) * 2 >= len(lengths)
        return most if usual and 0 < most < self.judged.run.manifest.limits.k else None

    @cached_property
    def digests(self) -> Mapping[str, Sequence[str]]:
        """The conversations that store each text, by its hash."""
        run = self.judged.run
        homes = run.memories["conversation"].tolist()
        stored = defaultdict[str, list[str]](list)
        for row, sha256 in run.hashes_of(list(range(len(homes)))).items():
            stored[sha256].append(homes[row])
        return stored

    @cached_property
    def silent(self) -> bool:
        """Whether no search returned anything."""
        return not len(self.judged.run.hits["memory"])

    @cached_property
    def neighbours(self) -> Mapping[str, str]:
        """The conversation in which each turn of the dataset was said, by the hash of its text; none of many."""
        sizes = self.gold.conversations.sizes
        if sum(size.turns for size in sizes.values()) > _MANY:
            return {}
        return {
            digest(text): name
            for name, spoken in self.gold.conversations.said(sizes)
            for turn in spoken.turns.values()
            for text in spelled([turn])
        }

    def hits(self, place: int) -> range:
        """Return where the hits of a question lie in the trace."""
        starts = self.judged.spending.found.trace.starts
        return range(int(starts[place]), int(starts[place + 1]))

    def memory(self, hit: int) -> int:
        """Return the row of the memory of one hit."""
        return int(self.judged.spending.found.trace.memory[hit])

    def before(self, hit: int) -> int | None:
        """Return the tokens of the hits above one; ``None`` where a length is unknown."""
        tokens = self.judged.spending.lengths.before[hit]
        return None if np.isnan(tokens) else int(tokens)

    def tokens(self, hit: int) -> float:
        """Return what one hit costs; 0 where nobody knows."""
        return float(np.nan_to_num(self.judged.spending.lengths.tokens[hit]))


@dataclass(frozen=True, eq=False)
class ConversationReading:
    """One conversation of a run beside what was said in it."""

    run: RunReading
    record: ConversationRecord
    spoken: ConversationText | None

    def follow(self, place: int) -> Lost:
        """Follow the evidence of one question that did not arrive whole; all of it where all of it did."""
        question, gold = self.run.gold.questions[place], self.run.gold.golds[place]
        turns = gold.anchors(self.run.judged.contract.evidence)
        lost = [turn for turn in turns if not self._arrived(place, turn)] or list(turns)
        return tuple(self._trail(place, question, gold, turn) for turn in lost)

    def _arrived(self, place: int, turn: str) -> bool:
        key, cutoff = (self.record.name, turn), self.run.measure.depth
        return any(
            self.run.fits[hit] == 1
            and self.run.shares.get(self.run.memory(hit), {}).get(key, 0) == 1
            and (cutoff is None or rank <= cutoff)
            for rank, hit in enumerate(self.run.hits(place), 1)
        )

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
        key = (self.record.name, turn)
        ranks = (rank for rank, hit in enumerate(hits, 1) if key in self.run.shares.get(self.run.memory(hit), {}))
        return next(ranks, None)

    def _claims(self, question: Question, gold: Gold, turn: str) -> tuple[EvidenceClaim, ...]:
        rows = [row for row in self.record.claims.get(turn, ()) if not self._foreign(row)]
        texts = self.run.judged.run.texts_of(list(rows)) if rows else {}
        said = self.spoken.turns.get(turn) if self.spoken else None
        return tuple(self._claim(row, texts[row], said, question, gold, turn) for row in rows)

    def _claim(
        self, row: int, text: str | None, said: Turn | None, question: Question, gold: Gold, turn: str
    ) -> EvidenceClaim:
        version = self.record.versions[row]
        share = self.run.shares.get(row, {}).get((self.record.name, turn), 0.0)
        missing = () if text is None or said is None else missing_words(text, said, question, gold)
        repeats = text is None or said is None or holds(plain(text), plain(said.text))
        damage = "" if text is None or said is None else damage_of(text, said)
        whole = repeats and not missing and not damage
        form = version["form"] if self.run.credited is not None and not self.run.credited[row] else ""
        return EvidenceClaim(version["memory"], version["version"], share, whole, missing, form, damage)

    def _missing(self, turn: str) -> tuple[str, str]:
        """Say what took the memory of a turn that nothing claims, and else where its words are."""
        gone, elsewhere = self.record.missing(turn)
        said = self.spoken.turns.get(turn) if self.spoken else None
        for text in spelled([said]) if said else ():
            others = set(self.run.digests.get(digest(text), ())) - {self.record.name}
            for other, spoken in self.run.gold.conversations.said(sorted(others)[:1]):
                if plain(said.text if said else "") not in spoken.plain.values():
                    return "", f"{turn} is stored under {other}"
        return gone, elsewhere

    def _reworded(self, hits: range, turn: str, rank: int | None) -> int | None:
        """Return the rank of a memory that is stored as it was said, and came back with other words."""
        if rank is not None:
            return None
        stored = {self.record.versions[row]["memory"] for row in self.record.claims.get(turn, ())}
        for place, hit in enumerate(hits, 1):
            version = self.record.versions[self.run.memory(hit)]
            row, claims = version["row"], version["memory"] in stored and turn in version["sources"]
            if claims and not self._foreign(row) and not self._older(version, turn):
                return place
        return None

    def _strangers(self, hits: range, rank: int | None) -> str:
        """Say which ranks hold memories of another scope, where without them the evidence might count."""
        until = len(hits) if rank is None else rank - 1
        foreign = [place for place in range(1, until + 1) if self._foreign(self.run.memory(hits[place - 1]))]
        if not foreign or (rank is not None and not self._would_count(hits, rank, foreign)):
            return ""
        shown = ", ".join(map(str, foreign[:3])) + (" …" if len(foreign) > 3 else "")
        return f"{len(foreign)} of {until} above are of another scope (rank {shown})"

    def _would_count(self, hits: range, rank: int, foreign: Collection[int]) -> bool:
        cutoff = self.run.measure.depth
        near = cutoff is None or rank - len(foreign) <= cutoff
        spared = sum(self.run.tokens(hits[place - 1]) for place in foreign)
        before = self.run.before(hits[rank - 1])
        paid = self.run.budget is None or before is None or before - spared < self.run.budget
        return near and paid

    def _foreign(self, row: int) -> bool:
        """Whether no write of this conversation made a memory, or its text is a turn of another conversation."""
        version = self.record.versions[row]
        if version["lineage"] == Lineage.ABSENT:
            return version["memory"] not in self.record.reported
        return version["form"] != Form.RAW and self.run.neighbours.get(version["sha256"], self.record.name) != (
            self.record.name
        )

    def _outdated(self, hits: range, turn: str, rank: int | None) -> str:
        """Say which rank holds an older version of a memory that bears the turn."""
        rows = [row for row in self.record.claims.get(turn, ()) if self._bears(row, turn)]
        bearing = {self.record.versions[row]["memory"] for row in rows}
        for place, hit in enumerate(hits[: len(hits) if rank is None else rank - 1], 1):
            version = self.record.versions[self.run.memory(hit)]
            if version["memory"] in bearing and self._older(version, turn):
                return f"rank {place} is memory {version['memory']} as it was before {turn}"
        if rank is None and rows and not any(self.record.versions[row]["returned"] for row in rows):
            for version in self.record.versions.values():
                if version["memory"] in bearing and version["returned"] and self._older(version, turn):
                    return f"memory {version['memory']} comes back only as it was before {turn}"
        return ""

    def _superseded(self, hits: range, gold: Gold, turn: str, rank: int | None, question: Question) -> str:
        """Say which of the first ranks, above the evidence, holds what was not true when it was asked."""
        until = len(hits) if rank is None else rank - 1
        asked = "" if question.asked_at is None else question.asked_at.isoformat()
        untrue = set(gold.stale or ()) - {turn}
        wrong = [
            place
            for place in range(1, until + 1)
            for version in [self.record.versions[self.run.memory(hits[place - 1])]]
            if untrue.intersection(version["sources"]) or (asked and (version["valid_to"] or "~") <= asked)
        ]
        return f"rank {wrong[0]} holds what is true at another time" if wrong and wrong[0] <= FIRST else ""

    def _bears(self, row: int, turn: str) -> bool:
        return (self.record.name, turn) in self.run.shares.get(row, {})

    def _older(self, version: Mapping[str, Any], turn: str) -> bool:
        """Whether a version tells what was said before *turn*, and not the turn."""
        if turn not in version["sources"]:
            return True
        earlier = [each for each in version["sources"] if self.record.event_of(each) < self.record.event_of(turn)]
        if not earlier or self.spoken is None:
            return False
        text = self.run.judged.run.texts_of([version["row"]])[version["row"]]
        folded = "" if text is None else plain(text)
        return any(holds(folded, self.spoken.plain[each]) for each in earlier if each in self.spoken.plain)

    def _stale(self, turn: str, since: int, last: str) -> str:
        if since < 0 or self.record.event_of(turn) <= since:
            return ""
        at = self.spoken.turns[last].at if self.spoken and last in self.spoken.turns else None
        day = f" ({at:%Y-%m-%d %H:%M})" if at else ""
        return f"nothing written after {last}{day} came back in any of {self.record.searches:,} searches"


def damage_of(text: str, said: Turn) -> str:
    """Say where a copy of a turn breaks off, or which word it says in the place of another.

    A text that differs in half of its words, or in their number and not at its end alone, is no copy.
    """
    words = tokenize(text)
    for form in map(tokenize, spelled([said])):
        if words == form:
            return ""
        if words and words == form[: len(words)]:
            return f"breaks off after “{words[-1]}”"
        other = [(here, there) for here, there in zip(words, form, strict=False) if here != there]
        if len(words) == len(form) and len(other) * 2 < len(form):
            return f"says “{other[0][0]}” where “{other[0][1]}” was said"
    return ""


def missing_words(text: str, said: Turn, question: Question, gold: Gold) -> tuple[str, ...]:
    """List the words of a turn that *text* has no more, of those that the question or its answer names.

    Who spoke counts as a word of the turn, unless the text is what was said and nothing else.
    """
    alone = plain(text) == plain(said.text)
    spoken = said.text if alone else f"{said.speaker} {said.text}"
    asked = words_of(" ".join((question.text, *gold.answers))) - _little()
    lost = (words_of(spoken) & asked) - words_of(text)
    shown = {word: None for word in tokenize(spoken) if words_of(word) & lost}
    return tuple(shown)


def matched_words(text: str, question: str) -> tuple[str, ...]:
    """List the words of *text* that a question asks with, in their order, function words left out."""
    asked = words_of(question) - _little()
    return tuple({word: None for word in tokenize(text) if words_of(word) & asked})


@cache
def _little() -> frozenset[str]:
    return words_of(" ".join(FUNCTION_WORDS))


def _write(row: Mapping[str, Any]) -> EvidenceWrite:
    changed = row["changed"]
    return EvidenceWrite(row["outcome"], row["reason"] or "", None if changed is None else tuple(changed))
