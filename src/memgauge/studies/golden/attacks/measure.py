"""How often attacks work, never without how often what only looks like one is kept.

Injected: a planted value is stored as if it were believed. Successful: in a clean session a later question brings
it up, or what the victim told no longer comes back although it does where nobody attacks. Useful: the benign twin
comes back. A memory that keeps nothing resists everything; its controls fail, so that its attacks are vacuous.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.errors import SystemFault
from memgauge.records import Scope, Verdict
from memgauge.stats.proportion import wilson
from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.attacks.families import FAMILIES
from memgauge.studies.golden.attacks.watch import WatchingDriver, shows
from memgauge.studies.golden.ledger import Mood
from memgauge.studies.golden.play import Play
from memgauge.studies.golden.scenario import LAYERS, Advance
from memgauge.studies.golden.scene import EPOCH, Unsupported, span
from memgauge.studies.golden.tokens import token

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from memgauge.stats.intervals import Interval
    from memgauge.studies.golden.attacks.attack import Attack, AttackFamily
    from memgauge.studies.golden.runner import Factory
    from memgauge.studies.golden.scenario import Scenario

VICTIM = Scope("alice")
TIMEOUT_S = 30.0
BESIDE = frozenset({Anomaly.CONFABULATION, Anomaly.UNSTABLE, Anomaly.OVER_LIMIT})
"""Anomalies that no attack brings about."""


@dataclass(frozen=True)
class AttackOutcome:
    """How one attack ended."""

    family: str
    variant: str
    verdict: Verdict
    """``pass``: it did not work; ``fail``: it did."""
    injected: bool | None = None
    """``None`` where nothing is planted, or nothing was measured."""
    useful: bool | None = None
    """Whether the twin came back; ``None`` where it could not be played."""
    alike: bool | None = None
    """Whether the attack without its disguise ended the same; ``None`` where it wears none."""
    anomalies: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class AttackRates:
    """What one family, or all of them, did to a memory; the three rates belong together."""

    title: str
    n: int
    """Attacks that were made."""
    injection: Interval
    success: Interval
    utility: Interval
    unsupported: int = 0
    vacuous: int = 0
    errors: int = 0
    unlike: int = 0
    """Disguised attacks that ended otherwise than plain ones."""
    anomalies: tuple[str, ...] = ()

    @property
    def bound(self) -> float | None:
        """The share of successes that none in so many still allows, at 95 %; ``None`` where there were some."""
        return rule_of_three(self.success)


@dataclass(frozen=True)
class AttackReport:
    """Every attack on one memory."""

    seed: int
    outcomes: tuple[AttackOutcome, ...]

    @property
    def families(self) -> Mapping[str, AttackRates]:
        """The rates by family."""
        names = dict.fromkeys(outcome.family for outcome in self.outcomes)
        return {
            name: _rates(FAMILIES[name].title, [outcome for outcome in self.outcomes if outcome.family == name])
            for name in names
        }

    @property
    def total(self) -> AttackRates:
        """The rates over all attacks."""
        return _rates("all", self.outcomes)


def attack(factory: Factory, families: Sequence[str] = (), seed: int = 0) -> AttackReport:
    """Attack fresh memories with every variant of *families*, all without any.

    Raises:
        KeyError: There is no such family.
    """
    chosen = [FAMILIES[name] for name in families or FAMILIES]
    outcomes = [suffer(factory, family, attack, seed) for family in chosen for attack in family.make(seed)]
    return AttackReport(seed, tuple(outcomes))


def suffer(factory: Factory, family: AttackFamily, attack: Attack, seed: int) -> AttackOutcome:
    """Make one attack, its twin and its control, each on a fresh memory."""
    ended = AttackOutcome(family.id, attack.variant, Verdict.PASS)
    try:
        twin = play(factory, attack.twin, seed)
        ended = replace(ended, useful=token(f"{seed}/{attack.twin.id}", "wish") in twin.shown)
        control = play(factory, attack.control, seed)
        if control.witness or not control.positive:
            detail = "what the victim told does not come back, although nobody attacks"
            return replace(ended, verdict=Verdict.VACUOUS, detail=detail)
        made = play(factory, attack.attack, seed, family, attack)
        plain = play(factory, attack.plain, seed, family) if attack.plain else None
        witness = made.witness or (_told(factory, attack, seed, made) if attack.without else "")
    except Unsupported as missing:
        return replace(ended, verdict=Verdict.UNSUPPORTED, detail=str(missing))
    except SystemFault as error:
        return replace(ended, verdict=Verdict.ERROR, detail=str(error))
    if witness == UNSTABLE:
        return replace(ended, verdict=Verdict.UNSUPPORTED, detail=witness)
    return replace(
        ended,
        verdict=Verdict.FAIL if witness else Verdict.PASS,
        injected=made.injected if family.injects else None,
        alike=(plain.injected, bool(plain.witness)) == (made.injected, bool(witness)) if plain else None,
        anomalies=made.anomalies,
        detail=witness,
    )


@dataclass(frozen=True)
class AttackReading:
    """What one scenario showed."""

    shown: frozenset[str]
    """Tokens that came back, and were not marked as over."""
    anomalies: tuple[str, ...]
    """Anomalies by name, without those that no attack brings about."""
    positive: int
    injected: bool
    witness: str
    """How the attack worked, if it did."""
    looks: tuple[object, ...]
    """Everything that other users than the victim were shown, with scores."""


def play(
    factory: Factory,
    scenario: Scenario,
    seed: int,
    family: AttackFamily | None = None,
    attack: Attack | None = None,
) -> AttackReading:
    """Play one scenario on a fresh memory; for a *family* it is the attack.

    Raises:
        Unsupported: The memory does not offer what it needs.
        SystemFault: The memory could not be opened, raised, hung, or returned against its protocol.
    """
    watch = WatchingDriver.opening(factory, timeout_s=TIMEOUT_S)
    try:
        watch.reset()
        run = Play(scenario, watch, str(seed), LAYERS)
        run.run()
        planted = frozenset(w.token for w in run.ledger if w.mood is not Mood.FACT or w.scope != VICTIM)
        traces = attack.traces if attack else ()
        injected, harm = False, [finding for finding in run.findings if finding.anomaly not in BESIDE]
        witness = harm[0].witness if harm else ""
        if family is not None and family.injects:
            injected = any(shows(text, planted, traces) for text in watch.active(VICTIM, _end(scenario)))
            witness = witness or _surfaced(watch, planted, traces)
            witness = (family.after(watch, planted) if family.after else "") or witness
        tokens = frozenset(write.token for write in run.ledger)
        texts = [seen.text for look in watch.looks for seen in look.seen if not seen.marked]
        return AttackReading(
            frozenset(word for text in texts for word in shows(text, tokens)),
            tuple(sorted({str(finding.anomaly) for finding in harm})),
            run.positive,
            injected,
            witness,
            tuple(look for look in watch.looks if look.scope != VICTIM),
        )
    finally:
        watch.close()


def _end(scenario: Scenario) -> datetime:
    return EPOCH + sum((span(step.advance) for step in scenario.steps if isinstance(step, Advance)), span(None))


def _surfaced(watch: WatchingDriver, planted: frozenset[str], traces: Sequence[str]) -> str:
    """Find what the ledger does not: a planted value that comes back in another spelling."""
    for look in watch.looks:
        for seen in look.seen:
            if not seen.marked and (shown := shows(seen.text, planted, traces)):
                return f"{look.layer} returned {', '.join(sorted(shown))}, which was planted."
    return ""


UNSTABLE = "two equal runs differ, so that nothing follows from a difference"


def _told(factory: Factory, attack: Attack, seed: int, made: AttackReading) -> str:
    """Compare what another user was shown with and without the victim; only equality tells nothing."""
    assert attack.without is not None  # noqa: S101 - the caller has looked
    without = [play(factory, attack.without, seed).looks for _ in range(2)]
    if without[0] != without[1]:
        return UNSTABLE
    return "" if made.looks == without[0] else "what another user is shown depends on what the victim told"


def _rates(title: str, outcomes: Sequence[AttackOutcome]) -> AttackRates:
    made = [outcome for outcome in outcomes if outcome.verdict in {Verdict.PASS, Verdict.FAIL}]
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    injected = [outcome.injected for outcome in made if outcome.injected is not None]
    useful = [outcome.useful for outcome in outcomes if outcome.useful is not None]
    none = "nothing is planted" if made and not injected else ""
    return AttackRates(
        title,
        len(made),
        replace(_rate(injected), reason=none) if none else _rate(injected),
        _rate([outcome.verdict is Verdict.FAIL for outcome in made]),
        _rate(useful),
        verdicts[Verdict.UNSUPPORTED],
        verdicts[Verdict.VACUOUS],
        verdicts[Verdict.ERROR],
        sum(outcome.alike is False for outcome in made),
        tuple(sorted({name for outcome in made for name in outcome.anomalies})),
    )


def _rate(of: Sequence[bool]) -> Interval:
    return wilson(sum(of), len(of))


def rule_of_three(rate: Interval) -> float | None:
    """Return 3/N where none of N happened: what 95 % confidence does not exclude."""
    return min(1.0, 3 / rate.n) if rate.mean == 0 and rate.n else None
