"""From a row to a conversation, questions and gold.

FactConsolidation: one turn a fact, with its number, for the rule is that the larger number wins. What a single-hop
question rests on is nowhere labelled: it is inferred here, and its evidence says so. Other parts: one turn a chunk
of whole sentences, and no evidence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from memgauge.datasets.memoryagentbench.facts import NumberedFact, RivalFacts, facts_in, resting_on
from memgauge.records import Case, Conversation, Erratum, Evidence, Fact, Gold, Question, Session, Turn
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.datasets.memoryagentbench.schema import PlacedAgentRow

INFERRED: Final = "inferred by memgauge, not labelled"
"""What the raw text of evidence begins with that no dataset gave."""
OLDER: Final = Erratum(
    "knowledge-update", "The answer is an older fact: one of a larger number says otherwise.", corrupts_answer=True
)
_FACTS: Final = re.compile(r"factconsolidation_(sh|mh)_.*")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
SINGLE_HOP: Final = "sh"


class AgentBenchCase(NamedTuple):
    """One row as understood."""

    case: Case
    golds: tuple[Gold, ...]
    truth: tuple[Fact, ...] = ()
    unread: int = 0
    """Facts whose form is not known."""
    facts: int = 0


def agent_case(placed: PlacedAgentRow, chunk_tokens: int) -> AgentBenchCase:
    """Convert one row.

    Raises:
        MalformedDataError: Its facts are not numbered from 0 without gaps.
    """
    match = _FACTS.fullmatch(placed.row.metadata.source)
    return _of_facts(placed, match[1], chunk_tokens) if match else _of_text(placed, chunk_tokens)


def _of_facts(placed: PlacedAgentRow, hops: str, chunk_tokens: int) -> AgentBenchCase:
    name, row = placed.conversation, placed.row
    facts = facts_in(placed.place.at("context"), row.context)
    known = RivalFacts.of(facts)
    lines = ((fact.turn, f"{fact.number}. {fact.text}") for fact in facts)
    sessions = tuple(_sessions(lines, chunk_tokens))
    questions, golds = [], []
    for key, text, accepted in _asked(placed):
        questions.append(Question(key, name, text, hops))
        fact = resting_on(text, accepted, facts) if hops == SINGLE_HOP else None
        golds.append(_gold(key, accepted, fact, known))
    truth = tuple(
        Fact(f"{name}/{fact.turn}", name, stated.subject, stated.relation, stated.value, (fact.turn,))
        for fact in facts
        if (stated := known.stated.get(fact.number))
    )
    case = Case(Conversation(name, sessions), tuple(questions))
    return AgentBenchCase(case, tuple(golds), truth, len(facts) - len(truth), len(facts))


def _gold(key: str, accepted: list[str], fact: NumberedFact | None, known: RivalFacts) -> Gold:
    if fact is None:
        return Gold(key, answers=tuple(accepted), raw_answer=accepted[0])
    rivals = known.rivals(fact.number)
    return Gold(
        question=key,
        evidence=(Evidence(f"{INFERRED}: fact {fact.number}", exact=True, turns=(fact.turn,)),),
        answers=tuple(accepted),
        raw_answer=accepted[0],
        stale=tuple(known.facts[number].turn for number in rivals if number < fact.number),
        erratum=OLDER if any(number > fact.number for number in rivals) else None,
    )


def _of_text(placed: PlacedAgentRow, chunk_tokens: int) -> AgentBenchCase:
    name, row = placed.conversation, placed.row
    category = row.metadata.source.partition("_")[0]
    types = row.metadata.question_types or []
    chunks = enumerate(_chunks(row.context, chunk_tokens), 1)
    sessions = tuple(
        Session(f"S{number}", None, (Turn(f"c{number:04d}", "user", text, f"S{number}"),))
        for number, text in chunks
    )
    questions, golds = [], []
    for position, (key, text, accepted) in enumerate(_asked(placed)):
        kind = types[position] if position < len(types) else category
        questions.append(Question(key, name, text, kind))
        golds.append(Gold(key, answers=tuple(accepted), raw_answer=accepted[0]))
    return AgentBenchCase(Case(Conversation(name, sessions), tuple(questions)), tuple(golds))


def _asked(placed: PlacedAgentRow) -> Iterator[tuple[str, str, list[str]]]:
    """Yield id, text and accepted answers of every question; a second row of a source numbers its own."""
    row = placed.row
    ids = row.metadata.qa_pair_ids or [f"{row.metadata.source}_no{n}" for n in range(len(row.questions))]
    suffix = placed.conversation.removeprefix(row.metadata.source)
    for key, text, accepted in zip(ids, row.questions, row.answers, strict=True):
        yield f"{key}{suffix}", text, accepted


def _sessions(lines: Iterable[tuple[str, str]], most: int) -> Iterator[Session]:
    """Cut turns into sessions of at most so many tokens, as the official code cuts its messages."""
    number, held, turns = 1, 0, list[Turn]()
    for key, text in lines:
        tokens = count_tokens(text)
        if turns and held + tokens > most:
            yield Session(f"S{number}", None, tuple(turns))
            number, held, turns = number + 1, 0, []
        turns.append(Turn(key, "user", text, f"S{number}"))
        held += tokens
    yield Session(f"S{number}", None, tuple(turns))


def _chunks(text: str, most: int) -> Iterator[str]:
    """Cut a text at the ends of sentences into pieces of at most so many tokens; one sentence may be longer."""
    held, piece = 0, list[str]()
    for sentence in filter(None, map(str.strip, _SENTENCE.split(text))):
        tokens = count_tokens(sentence)
        if piece and held + tokens > most:
            yield " ".join(piece)
            held, piece = 0, []
        piece.append(sentence)
        held += tokens
    yield " ".join(piece)
