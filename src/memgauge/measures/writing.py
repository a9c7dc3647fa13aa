"""What a store took down, against the facts that it should hold: one stored item accounts for one fact.

Source: "Measuring What the System Remembers", family two, where one item may match every fact.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.errors import ConfigError
from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    Matrix = NDArray[np.bool_]

ASPECTS = ("subject", "slot", "value", "scope", "time")
"""What is compared, the worst error first: an item that nearly states several facts gets the mildest one."""


@dataclass(frozen=True, slots=True)
class Stated:
    """One thing said of somebody, stored or true; ``None`` in one place equals only ``None`` in the other."""

    subject: str
    slot: str
    """What it is about: ``home city``."""
    value: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    scope: str | None = None
    """Whose memory it lies in."""

    @property
    def key(self) -> tuple[Hashable, ...]:
        """Return what makes two of them say the same, in the order of ``ASPECTS``; case and spaces do not."""
        times = (_instant(self.valid_from), _instant(self.valid_to))
        return plain(self.subject), plain(self.slot), plain(self.value), self.scope, times


@dataclass(frozen=True)
class WriteSide:
    """How a store was written: every stored item ends in exactly one way; a share of nothing is ``None``."""

    write_precision: float | None
    """Share of stored items that state a fact in full, each fact counted once."""
    write_recall: float | None
    """Share of facts that are stated in full."""
    value_error: float | None
    """Share of stored items that state a fact but for this one aspect; so the four below."""
    slot_error: float | None
    time_error: float | None
    """``valid_from`` or ``valid_to``."""
    subject_error: float | None
    scope_error: float | None
    junk_rate: float | None
    """Share that is no fact, or wrong in two aspects, or a wrong version of what another item states better."""
    duplicate_rate: float | None
    """Share that says again what another item says."""
    counts: Mapping[str, int]
    """``stored``, ``gold``, ``missed`` (facts that no item was matched with), and how many items ended how."""


def match_writes(stored: Sequence[Stated], gold: Sequence[Stated]) -> WriteSide:
    """Match stored items and facts one to one, in full where that can be, then but for one aspect.

    Repetitions are set aside first. What a store does not keep, or nobody labelled, has to be left out on both
    sides: with validity in *gold* alone, every item has the wrong time.
    """
    copies, gold_counts = Counter(item.key for item in stored), Counter(fact.key for fact in gold)
    distinct = Counter({key: min(n, max(1, gold_counts[key])) for key, n in copies.items()})
    # In an order of their own, so that among equally good matchings the choice does not depend on the order given.
    items, facts = sorted(distinct.elements(), key=repr), sorted(gold_counts.elements(), key=repr)
    pairs = one_to_one(_weights(items, facts))
    endings = Counter(_ending(items[item], facts[fact]) for item, fact in pairs)
    endings += Counter(duplicate=len(stored) - len(items), junk=len(items) - len(pairs))

    def share(of: str) -> float | None:
        return endings[of] / len(stored) if stored else None

    return WriteSide(
        write_precision=share("correct"),
        write_recall=endings["correct"] / len(gold) if gold else None,
        value_error=share("value"),
        slot_error=share("slot"),
        time_error=share("time"),
        subject_error=share("subject"),
        scope_error=share("scope"),
        junk_rate=share("junk"),
        duplicate_rate=share("duplicate"),
        counts={
            "stored": len(stored),
            "gold": len(gold),
            "missed": len(gold) - len(pairs),
            **{ending: endings[ending] for ending in ("correct", *ASPECTS, "junk", "duplicate")},
        },
    )


def fits(items: Sequence[Any], facts: Sequence[Any], matches: Callable[[Any, Any], bool] | None) -> Matrix:
    """Return which of *items* (rows) states which of *facts* (columns), of whatever type they are.

    Without *matches*, of a fact and an item, they are compared by the attributes of :class:`Stated`, or as texts.

    Raises:
        ConfigError: Something has neither these attributes nor ``text`` or ``content``, and is no text.
    """
    if matches:
        table = [[bool(matches(fact, item)) for fact in facts] for item in items]
    else:
        gold_said = [_said(fact) for fact in facts]
        table = [[item_said == fact for fact in gold_said] for item_said in map(_said, items)]
    return np.array(table, dtype=np.bool_).reshape(len(items), len(facts))


def accounted(table: Matrix, right: Sequence[bool]) -> tuple[int, int]:
    """Return how many items are precise and how many facts are stated, where one item accounts for one fact.

    Precise is what is *right* and accounts for a fact or states none of them: a repetition is not. Of the items
    that state one fact, a right one is preferred.
    """
    pairs = one_to_one(table * (min(table.shape) + 1.0 + np.array(right, dtype=np.float64)[:, None]))
    paired_items = {item for item, _ in pairs}
    precise = sum(ok and (item in paired_items or not table[item].any()) for item, ok in enumerate(right))
    return precise, len(pairs)


def plain(text: str) -> str:
    """Ignore case, white space and the width of letters; keep punctuation, or 1.5 would be 15."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def one_to_one(weights: NDArray[np.float64]) -> tuple[tuple[int, int], ...]:
    """Pair rows with columns so that the sum of (rows, columns) *weights* is largest; 0 is no pair.

    Source: the assignment problem, as solved by ``scipy.optimize.linear_sum_assignment``.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(weights, maximize=True)
    assignment = zip(rows.tolist(), columns.tolist(), strict=True)
    return tuple((row, column) for row, column in assignment if weights[row, column] > 0)


def _weights(items: Sequence[tuple[Hashable, ...]], facts: Sequence[tuple[Hashable, ...]]) -> NDArray[np.float64]:
    """Weigh pairs so that nothing outweighs one more in full, and no choice of errors one more pair."""
    errors = np.zeros((len(items), len(facts)), dtype=np.int64)
    mildness = np.zeros_like(errors)
    for place in range(len(ASPECTS)):
        codes: dict[Hashable, int] = {}
        item_codes = np.array([codes.setdefault(item[place], len(codes)) for item in items], dtype=np.int64)
        fact_codes = np.array([codes.setdefault(fact[place], len(codes)) for fact in facts], dtype=np.int64)
        differs = item_codes[:, None] != fact_codes[None, :]
        errors += differs
        mildness += place * differs
    most_pairs = min(errors.shape)
    pair = len(ASPECTS) * most_pairs + 1
    exact_weight = most_pairs * (pair + len(ASPECTS)) + 1
    return np.where(errors == 0, exact_weight, np.where(errors == 1, pair + mildness, 0)).astype(np.float64)


def _ending(item: tuple[Hashable, ...], fact: tuple[Hashable, ...]) -> str:
    """Name the aspect in which two keys differ."""
    return next((name for name, a, b in zip(ASPECTS, item, fact, strict=True) if a != b), "correct")


def _instant(time: datetime | None) -> datetime | None:
    """Write one instant in one way, whatever its zone."""
    return time if time is None or time.tzinfo is None else time.astimezone(UTC)


def _said(thing: Any) -> Hashable:
    """Return what an item or a fact says."""
    if all(hasattr(thing, name) for name in ("subject", "slot", "value")):
        scope_parts = (getattr(thing, name, None) for name in ("valid_from", "valid_to", "scope"))
        return Stated(thing.subject, thing.slot, str(thing.value), *scope_parts).key
    text = next((getattr(thing, name) for name in ("text", "content") if hasattr(thing, name)), thing)
    if not isinstance(text, str):
        raise ConfigError(
            f"Cannot tell what a {type(thing).__name__} says.", "Hand in matches=, of a fact and an item."
        )
    return plain(text)


def _of_writes(share: str, says: str, *, lower: bool = True) -> Formula:
    def compute(stored: Sequence[Stated], gold: Sequence[Stated]) -> float | None:
        value: float | None = getattr(match_writes(stored, gold), share)
        return value

    return Formula(
        compute,
        cutoff=None,
        reads=Reads.HANDED,
        lower=lower,
        undefined="nothing was stored, or there is nothing to store",
        source="Measuring What the System Remembers, family two, one item for one fact",
        says=says,
    )


def _of_error(aspect: str) -> Formula:
    return _of_writes(
        f"{aspect}_error", f"Return the share of stored items that state a fact but for its {aspect}."
    )


WRITE_PRECISION = _of_writes(
    "write_precision", "Return the share of stored items that state a fact in full.", lower=False
)
WRITE_RECALL = _of_writes("write_recall", "Return the share of facts that are stated in full.", lower=False)
VALUE_ERROR, SLOT_ERROR, TIME_ERROR = map(_of_error, ("value", "slot", "time"))
SUBJECT_ERROR, SCOPE_ERROR = map(_of_error, ("subject", "scope"))
JUNK = _of_writes("junk_rate", "Return the share of stored items that are no fact.")
DUPLICATES = _of_writes("duplicate_rate", "Return the share of stored items that say again what another says.")
