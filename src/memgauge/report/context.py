"""The context study in tables and sentences, for terminals and pages alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.show.numbers import number, percent
from memgauge.studies.context.assembled import FATES
from memgauge.studies.context.effective import LEAST_BASE, OWN, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.stats.bootstrap import Interval
    from memgauge.studies.context.assembled import AssemblyLane
    from memgauge.studies.context.predict import Calibration
    from memgauge.studies.context.profile import Profile
    from memgauge.studies.context.simulate import Fared
    from memgauge.studies.context.study import ModelStudy


@dataclass(frozen=True)
class Sheet:
    """A table: its title, its heads, its cells, and what has to be said under it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def around(interval: Interval, *, signed: bool = False) -> str:
    """Write a mean with its interval, or why there is none."""
    if interval.mean is None:
        return "undefined"
    write = (lambda value: f"{value:+.3f}") if signed else number
    if interval.low is None or interval.high is None:
        return write(interval.mean)
    return f"{write(interval.mean)} [{write(interval.low)}, {write(interval.high)}]"


def effective_sheet(study: ModelStudy) -> Sheet:
    """Show the effective context of every task under every rule that was asked enough for."""
    absolute = study.effective[0].threshold if study.effective else 0.0
    own_rules = (Rule.BOUND,) if study.adaptive else (Rule.BOUND, Rule.FIRST, Rule.PUBLISHED)
    absolute_rules = () if study.adaptive else (Rule.BOUND, Rule.PUBLISHED)
    rows = []
    for one in study.effective:
        own = {length.rule: str(length) for length in one.own}
        other = {length.rule: str(length) for length in one.absolute}
        lengths = [*(own.get(rule, "") for rule in own_rules), *(other.get(rule, "") for rule in absolute_rules)]
        if one.reason:
            lengths[0] = one.told
        rows.append((one.task, one.type, f"{one.base:.2f}", *lengths))
    base = f"Threshold: {OWN} of the own base, that is of the accuracy at {study.grid.lengths[0]:,} tokens"
    told = (
        f"{base}. The other rules, and the absolute {absolute:.3f}, need a full grid (--every)."
        if study.adaptive
        else f"{base}, then the absolute {absolute:.3f}. Go by the lower bound: on simulated models, the other "
        "rules claim too much in about a third of cases."
    )
    return Sheet(
        "Effective context",
        ("task", "type", "base", *map(str, own_rules), *(f"{rule}, {absolute:.3f}" for rule in absolute_rules)),
        tuple(rows),
        f"In tokens, counted by {study.grid.counter.name}. {told} A base below {LEAST_BASE} measures nothing. "
        "≥: the longest length passes; <: not even the shortest does.",
    )


def profile_sheet(study: ModelStudy) -> Sheet | None:
    """Show penalty, primacy, recency and the worst depth; ``None`` where no depths were asked for."""
    profiles = [profile for task in study.tasks for profile in task.profiles]
    if not profiles:
        return None
    rows = tuple(
        (
            profile.task,
            f"{profile.length:,}",
            f"{around(profile.penalty, signed=True)}{' (!)' if profile.warning else ''}",
            around(profile.primacy, signed=True),
            around(profile.recency, signed=True),
            "" if profile.worst is None else f"{profile.worst:.0%}",
            str(profile.least),
        )
        for profile in profiles
    )
    return Sheet(
        "Positional profile",
        ("task", "tokens", "penalty", "primacy", "recency", "worst depth", "n"),
        rows,
        " ".join([_PENALTY, *_warned(profiles)]),
    )


_PENALTY = (
    "Penalty: both edges minus middle, sample by sample; primacy: start minus middle; recency: end minus middle. "
    "95 % intervals over samples."
)


def _warned(profiles: Sequence[Profile]) -> list[str]:
    warnings = dict.fromkeys(profile.warning for profile in profiles if profile.warning)
    return [f"(!) {warning}." for warning in warnings]


def matcher_sheet(study: ModelStudy) -> Sheet:
    """Show our score beside the published one, task by task."""
    rows = []
    for task in study.tasks:
        f1 = [value for value in task.f1 if value is not None]
        published = [value for value in task.published if value is not None]
        rows.append(
            (
                task.task,
                task.type,
                f"{task.overlap:.2f}",
                number(sum(f1) / len(f1)) if f1 else "undefined",
                number(sum(published) / len(published)) if published else "undefined",
                str(task.dumped),
                str(task.failed),
            )
        )
    return Sheet(
        "The same answers under two scorers",
        ("task", "type", "overlap", "set F1, dumps are 0", "string match all", "dumps", "failed"),
        tuple(rows),
        "Overlap: share of the question's content words that the evidence shares. String match all is RULER's: "
        "whoever echoes the whole text is right.",
    )


def lane_sheet(lanes: Sequence[AssemblyLane], predictions: Mapping[int, Interval] | None = None) -> Sheet:
    """Show what the prompts of one memory keep, one column a way of assembly."""
    several = len({lane.budget for lane in lanes}) > 1
    heads = tuple(f"{lane.policy}, {lane.budget:,}" if several else lane.policy for lane in lanes)
    rows = []
    for name in FATES:
        found = [lane.measures[name] for lane in lanes]
        write = (lambda value: f"{value:,.0f}") if name == "tokens" else number
        cells = ["undefined" if one.mean is None else write(one.mean) for one in found]
        rows.append((name, *cells, str(max(one.n for one in found))))
    if predictions:
        cells = [number(predictions[place].mean) for place in range(len(lanes))]
        rows.append(("predicted accuracy", *cells, str(len(lanes[0].fates))))
    first = lanes[0]
    budgets = ", ".join(f"{n:,}" for n in dict.fromkeys(lane.budget for lane in lanes))
    return Sheet(
        f"{first.run}: prompts of {budgets} tokens",
        ("measure", *heads, "n"),
        tuple(rows),
        f"Means over the questions of {first.dataset} that have evidence; n: for how many a measure is defined. "
        f"Tokens are counted by {first.counter}; what gives way: {_GIVES[first.cut]}.",
    )


_GIVES = {"whole": "whole memories, the worst first", "end": "the end of the text", "start": "its start"}


def stale_sentences(lanes: Sequence[AssemblyLane]) -> list[str]:
    """Say for every memory what recall does not."""
    said = []
    for lane in {lane.run: lane for lane in reversed(lanes)}.values():
        beside = lane.measures["stale beside evidence"]
        if beside.mean is None:
            said.append(
                f"{lane.run}: the data do not say what is stale, so that only retrieval and survival show."
            )
        else:
            said.append(
                f"{lane.run}: {beside.n} questions about what changed have evidence in the prompt. Their recall@k "
                f"is {number(_recall_there(lane))}; in {percent(beside.mean)} of the prompts, a version that does "
                "not hold stands beside the evidence."
            )
    return said[::-1]


def _recall_there(lane: AssemblyLane) -> float:
    """Return recall over the questions for which staleness is defined, so that both speak of the same ones."""
    recalled = [fate.recall for fate in lane.fates if fate.beside is not None]
    return sum(recalled) / len(recalled)


def calibration_sheet(found: Sequence[Calibration]) -> Sheet:
    """Show predictions beside answers, bin by bin."""
    rows = []
    for one in found:
        for part in one.bins:
            between = f"{part.low:.1f} to {part.high:.1f}"
            cells = (f"{part.predicted:.3f}", around(part.observed), str(part.observed.n))
            rows.append((one.run, between, *cells))
    note = "; ".join(f"{one.run} beside {one.answers}: Brier {one.brier:.3f}, gap {one.gap:.3f}" for one in found)
    return Sheet("Calibration", ("run", "bin", "predicted", "observed", "n"), tuple(rows), f"{note}.")


def rules_sheet(found: Sequence[Fared]) -> Sheet:
    """Show how rules fare on models whose effective length is known."""
    rows = tuple(
        (one.rule, str(one.n), percent(one.over), percent(one.exact), percent(one.under), f"{one.calls:,.0f}")
        for one in found
    )
    return Sheet(
        "Rules on simulated models of known effective length",
        ("rule", "n", "claims more", "exact", "claims less", "calls"),
        rows,
    )
