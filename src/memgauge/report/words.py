"""What a board says in words and figures, the same in every report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures import parse
from memgauge.records import (
    BOARD,
    Coverage,
    Credit,
    EvidencePolicy,
    Failures,
    Items,
    Target,
    Ties,
    Unlabelled,
    Witness,
)
from memgauge.records.contracts import RULE
from memgauge.runs.record.manifest import IMPORTED
from memgauge.show.numbers import listed, number, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.records import Contract
    from memgauge.scoring.board import Board, Entry, Score

FEW, SHOWN = 3, 6
"""Names in a sentence of the verdict, and in one of the notes."""

_TARGETS = {
    Target.RAW: "only the evidence turn itself, word for word, counts as found",
    Target.SOURCE: "any memory that descends from an evidence turn counts as found",
    Target.CANONICAL: "only a derived memory that descends from an evidence turn counts as found",
}
_CREDITS = {
    Credit.ANCHOR: "each turn once",
    Credit.ID: "each such memory anew",
    Credit.ANCHOR_CN: "each turn once, by the norm of all forms",
    Credit.SIZE_MATCHED: "each turn once, shared among its memories",
}
_COVERAGE = {Coverage.ANY: "", Coverage.ALL: "; only questions with such a memory of all their evidence"}
_TIES = {Ties.RETURNED: "", Ties.HASH: "equal scores are ordered by a hash"}
_EVIDENCE = {
    EvidencePolicy.STRICT: "malformed evidence is left out",
    EvidencePolicy.REPAIR: "malformed evidence is repaired",
}
_ITEMS = {Items.ALL: "doubted labels are kept", Items.CLEAN: "questions with doubted labels are left out"}
_FAILURES = {Failures.EXCLUDE: "failed calls are not scored", Failures.ZERO: "failed calls count as 0"}
_WITNESS = {
    Witness.NONE: "what systems claim of their sources is believed",
    Witness.WORDS: "a source counts only as far as the words of the returned text bear it",
    Witness.MODEL: "a source counts only where a model says that the returned text bears it",
}
_EVERYDAY = {
    "Recall": "Of what is needed to answer, {name} hands over {share} within {within}",
    "Hit": "For {share} of the questions, {name} hands over something that is needed within {within}",
    "Complete": "For {share} of the questions, {name} hands over all that is needed within {within}",
    "nDCG": "Of a perfect order, what is needed first, {name} reaches {share} within {within}",
    "MRR": "Of a perfect order, something needed first, {name} reaches {share} within {within}",
}
"""What is measured, as somebody says it who has heard of no measure."""
_UNLABELLED = {Unlabelled.EXCLUDE: "", Unlabelled.MISS: "questions without evidence count as misses"}


def interval(score: Score) -> str:
    """Write the 95 % interval in brackets, or nothing."""
    if score.low is None or score.high is None:
        return ""
    return f"[{score.low:.3f}, {score.high:.3f}]"


def contract_sentence(contract: Contract) -> str:
    """Say what a contract means, without its vocabulary."""
    parts = (
        f"{_target(contract.target)}, {_CREDITS[contract.credit]}" + _COVERAGE[contract.coverage],
        *([_TIES[contract.ties]] if _TIES[contract.ties] else []),
        _EVIDENCE[contract.evidence],
        _ITEMS[contract.items],
        _FAILURES[contract.failures],
        _WITNESS[contract.witness],
        *([_UNLABELLED[contract.unlabelled]] if _UNLABELLED[contract.unlabelled] else []),
    )
    return "; ".join(parts)


def contract_named(contract: Contract | str) -> str:
    """Name a contract in one line, by what it changes in the one that boards rank by."""
    changed = ",".join(item for item in str(contract).split(",") if item not in str(BOARD).split(","))
    return f"contract: the board's{f' but {changed}' if changed else ''} (--tables spells it out)."


def _target(target: Target | str) -> str:
    if isinstance(target, Target):
        return _TARGETS[target]
    named = target.removeprefix(RULE)
    kind = f"memories that the rule {named} marks" if target != named else f"memories of the form {named}"
    return f"only {kind} that descend from an evidence turn count as found"


def denominators(board: Board) -> str:
    """Say of how many questions the first measure is the mean; who differs from the rest is named."""
    groups: dict[str, list[str]] = {}
    for e in board.entries:
        groups.setdefault(str(e.scores[board.measures[0]].denominator), []).append(e.label)
    common = max(groups, key=lambda text: len(groups[text]), default="0/0")
    others = [f"{listed(labels)} {text}" for text, labels in groups.items() if text != common]
    return "; ".join([f"questions scored: {common}", *others])


def detectable(board: Board) -> str:
    """Say how small a difference this board would have noticed, or nothing."""
    if board.minimum_detectable is None:
        return ""
    first = board.measures[0]
    cut = _low(first, [e for e in board.entries if e.rank is not None and e.short_of])
    best = "the two best that k does not cut" if cut else "the two best"
    if board.minimum_detectable >= 1:
        return (
            f"{plural(board.conversations, 'conversation')} would show no difference of {best} in "
            f"{first} with 80 % chance, however large: measure more conversations."
        )
    return (
        f"Had {best} truly differed by {board.minimum_detectable:.3f} {first}, these "
        f"{plural(board.conversations, 'conversation')} would have shown it with 80 % chance{_corrected(board)}; "
        "half of it is mostly missed."
    )


def _corrected(board: Board) -> str:
    """Say of how many comparisons it is: one of every two ranked systems, by the first measure alone."""
    ranked = sum(entry.rank is not None for entry in board.entries)
    pairs = ranked * (ranked - 1) // 2
    return f", corrected for {pairs:,} pairs of systems" if pairs > 1 else ", by one comparison"


def places(entries: Sequence[Entry]) -> Mapping[str, str]:
    """Name the ranks that each entry may have; nothing for what is not ranked, or where nobody can know them."""
    return {e.label: _place(e) for e in entries}


def _place(entry: Entry) -> str:
    if entry.rank is None or entry.rank_low is None or entry.rank_high is None:
        return ""
    if entry.rank_low == entry.rank_high:
        return str(entry.rank)
    return f"{entry.rank_low}-{entry.rank_high}"


def verdict(board: Board) -> str:
    """Say who leads, who may be the best, and who is behind, of those that are ranked."""
    ranked = [e for e in board.entries if e.rank is not None]
    if not ranked:
        return " ".join(filter(None, (_nobody(board), _undefined(board))))
    return " ".join(filter(None, (_leading(board, ranked), *_rest(board, ranked), _undefined(board))))


def own_result(board: Board, tried: str) -> str:
    """Say what the memory that somebody tried reaches, and its rank; nothing where the verdict begins with it."""
    entry = next((e for e in board.entries if e.label == tried), None)
    ranked = [e for e in board.entries if e.rank is not None]
    if entry is None or (ranked and entry is _best(ranked)[0]):
        return ""
    place = "not ranked" if entry.rank is None else f"rank {places(board.entries)[tried]} of {len(ranked)}"
    return f"{in_words(board.measures[0], entry)}: {place}."


def _best(ranked: Sequence[Entry]) -> list[Entry]:
    return [e for e in ranked if e.rank_low == 1] or [ranked[0]]


def _nobody(board: Board) -> str:
    """Say why nobody is ranked."""
    if why := board.contract.why_no_ranks:
        return f"Nobody is ranked under this contract: {why}."
    if why := parse(board.measures[0]).why_no_ranks:
        return f"Nobody is ranked: {why}."
    if board.nothing:
        return f"Nobody is ranked: {board.nothing}."
    if all(e.role != "system" for e in board.entries):
        return "Nobody is ranked: here are floors and ceilings alone."
    if any(e.marks for e in board.entries if e.role == "system"):
        return "Nobody is ranked; the marks below the table say why."
    return f"No system has a defined {board.measures[0]}."


def _leading(board: Board, ranked: Sequence[Entry]) -> str:
    best = _best(ranked)
    reached, names = in_words(board.measures[0], best[0]), _few([e.label for e in best])
    if len(ranked) == 1:
        return f"{reached}. It is the only ranked system; there is nothing to compare it with."
    if best[0].rank_low is None:
        return f"{reached}. Nobody leads: one conversation cannot say anything about others."
    if len(best) > 1:
        return f"{reached}. {names} may each be the best: {', and '.join(_doubts(board, best))}."
    if best[0].no_lead:
        return f"{reached}. It is ahead, but nobody leads: it {best[0].no_lead}."
    return f"{reached}. It leads: no other ranked system may be the best."


def _doubts(board: Board, best: Sequence[Entry]) -> Iterator[str]:
    """Say why several may be the best: too few conversations, or lists of some that end at k."""
    low = _low(board.measures[0], best)
    cut = [e for e in best if e.label in low]
    if len(best) - len(cut) > 1 or not cut:
        yield f"{plural(board.conversations, 'conversation')} cannot tell them apart"
    if cut:
        before = min(budget for e in cut for budget in low[e.label])
        enough = max(e.short_of[budget] for e in cut for budget in low[e.label])
        yield (
            f"lists of {_few([e.label for e in cut])} end at k={board.k} before {before:,} tokens are full, and "
            f"more may lie below; play and score with --k {enough} or more"
        )


def ends_at_k(board: Board) -> Iterator[str]:
    """Say which measures are too low because lists end at k, and of whom; then that curves end there."""
    short = [e for e in board.entries if e.short_of]
    for name in board.measures:
        if low := _low(name, short):
            first = min(budget for missed in low.values() for budget in missed)
            ends = f"lists end at k={board.k} before {first:,} tokens are full"
            yield f"{name} is too low for {_few(list(low))}: {ends}."
    ends = f"Curves by tokens end where lists of {board.k} memories do"
    imported = [e for e in short if e.version == IMPORTED]
    if imported and all(e in imported for e in short if e.role == "system"):
        yield f"{ends}: what was imported holds no longer ones."
    elif short:
        enough = max(k for e in short if e not in imported for k in e.short_of.values())
        yield f"{ends}; with --k {enough} they would go on."


def _low(measure: str, entries: Sequence[Entry]) -> Mapping[str, list[int]]:
    """Return of a measure's budgets those that lists leave too empty because they end at k, by system."""
    low = {e.label: sorted(set(parse(measure).budgets).intersection(e.short_of)) for e in entries if e.short_of}
    return {label: budgets for label, budgets in low.items() if budgets}


def in_words(measure: str, entry: Entry) -> str:
    """Say what a measure of an entry means to somebody who has heard of none, without a full stop."""
    value, parsed, name = entry.scores[measure].value, parse(measure), entry.label
    if value is None or parsed.name not in _EVERYDAY or parsed.params:
        return f"{name} reaches {number(value)} on {measure}"
    within = "all that it returns" if parsed.cutoff is None else f"its first {plural(parsed.cutoff, 'hit')}"
    if parsed.budget is not None:
        within = f"the {parsed.budget:,} tokens that a reader pays for"
    return f"{_EVERYDAY[parsed.name].format(name=name, share=share(value), within=within)} ({measure})"


def share(value: float) -> str:
    """Write a share as it is said: without digits, but where it is so small that they matter."""
    return f"{value * 100:.0f} %" if value >= 0.1 or value == 0 else f"{value * 100:.1f} %"


def _rest(board: Board, ranked: Sequence[Entry]) -> Iterator[str]:
    """Say who is behind, and who is no better than a floor: in one breath where that is the same."""
    behind = [e.label for e in ranked if (e.rank_low or 1) > 1]
    floor, low = _beside_floors(board)
    be, do = ("is", "does") if len(behind) == 1 else ("are", "do")
    if behind and behind == low:
        yield f"{_few(behind)} {be} behind, and {do} not clearly rise above the floor {floor}."
        return
    if behind:
        yield f"{_few(behind)} {be} behind."
    if low:
        yield f"{_few(low)} {'does' if len(low) == 1 else 'do'} not clearly rise above the floor {floor}."
    elif floor:
        yield f"Every ranked system rises above the floor {floor}."


def _few(names: Sequence[str]) -> str:
    """Join names, and count those beyond the first few."""
    rest = len(names) - FEW
    return listed(names) if rest < 2 else f"{', '.join(names[:FEW])} and {rest} others"


def by_claims(board: Board) -> str:
    """Say where believing claims would change the order, or nothing."""
    first = board.measures[0]
    ranked = [e for e in board.entries if e.rank is not None]
    claimed = [(e.label, e.claimed.value or 0.0, e.scores[first].value or 0.0) for e in ranked if e.claimed]
    by_text = [label for label, _, _ in sorted(claimed, key=lambda row: (-row[2], row[0]))]
    by_claim = [label for label, _, _ in sorted(claimed, key=lambda row: (-row[1], -row[2], row[0]))]
    if by_text == by_claim:
        return ""
    shown = ", ".join(by_claim[:SHOWN]) + (", …" if len(by_claim) > SHOWN else "")
    return f"By what the systems claim of themselves the order would be {shown}."


def _beside_floors(board: Board) -> tuple[str, list[str]]:
    """Return the strongest floor, and who does not clearly rise above it; no floor where nothing can be said.

    Nothing can be where lists of a floor end at k, nor of a system below it whose own do: both may hold more.
    """
    first = board.measures[0]
    floors = [e for e in board.entries if e.role == "floor" and e.scores[first].high is not None]
    systems = [e for e in board.entries if e.rank is not None and e.scores[first].low is not None]
    if not floors or not systems:
        return "", []
    cut = _low(first, board.entries)
    floor = max(floors, key=lambda e: e.scores[first].high or 0.0)
    top = floor.scores[first].high or 0.0
    below = [e.label for e in systems if (e.scores[first].low or 0.0) <= top]
    if any(e.label in cut for e in floors) or (below and all(label in cut for label in below)):
        return "", []
    return floor.label, [label for label in below if label not in cut]


def _undefined(board: Board) -> str:
    first = board.measures[0]
    lacking = [e for e in board.entries if e.scores[first].value is None and not e.marks]
    return " ".join(f"{e.label} has no {first}: {e.scores[first].reason}." for e in lacking)
