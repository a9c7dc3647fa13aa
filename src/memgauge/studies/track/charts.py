"""Timelines and trajectories as lanes: what happened where, what was called where, and what each call revealed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.show.drawing import INK, SERIES, inline, layered, specification
from memgauge.show.figures import Drawing
from memgauge.show.numbers import plural
from memgauge.studies.track.scoring.efficiency import CLASSES
from memgauge.studies.track.scoring.redundancy import redundant
from memgauge.studies.track.timeline.models import EVENT_PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.track.play.played import PlayedInstance
    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.timeline.models import Timeline

LEFT = 72
LANE = 34
LANES = ("slack", "linear", "code", "memory", "unknown")
SEEN, MISSED, NEEDED, MISSING = "seen", "never seen", "evidence, seen", "evidence, never seen"
NEW, AGAIN, OTHER, FAILED = "revealed something new", "redundant", "no new event", "failed"
_EVENTS = {NEEDED: SERIES[0], MISSING: SERIES[1], SEEN: SERIES[2], MISSED: "var(--quiet,#808894)"}
_CALLS = {NEW: SERIES[0], AGAIN: SERIES[1], OTHER: "var(--quiet,#808894)", FAILED: SERIES[3]}
_SHAPES = {
    NEEDED: "diamond", MISSING: "diamond", SEEN: "circle", MISSED: "circle",
    NEW: "circle", AGAIN: "square", OTHER: "circle", FAILED: "cross",
}  # fmt: skip


def events_chart(timeline: Timeline, played: PlayedInstance) -> Drawing:
    """Draw the events of a timeline in their order, a lane a platform, by what became of each."""
    seen_ids = {name for call in played.calls for name in call.events}
    evidence_ids = {name for question in timeline.questions for name in question.evidence}
    rows = [
        {
            "at": number,
            "lane": str(event.platform),
            "what": _fate(event.id, seen_ids, evidence_ids),
        }
        for number, event in enumerate(timeline.events, 1)
    ]
    lanes = [str(lane) for lane in EVENT_PLATFORMS if any(row["lane"] == lane for row in rows)]
    revealed_count = sum(row["what"] in {SEEN, NEEDED} for row in rows)
    description = f"{revealed_count} of {plural(len(rows), 'event')} were revealed to the agent."
    return Drawing(_lanes(rows, lanes, _EVENTS, "event, in order of time"), description)


def calls_chart(played: PlayedInstance) -> Drawing:
    """Draw the calls in their order, a lane a place, with a line where a question was answered."""
    again = redundant(played.calls)
    known_ids: set[str] = set()
    rows = []
    for call in played.calls:
        brings_news = bool(set(call.events) - known_ids)
        known_ids |= set(call.events)
        rows.append(
            {"at": call.seq + 1, "lane": lane_of(call), "what": _kind(call, brings_news, call.seq in again)}
        )
    lanes = [lane for lane in LANES if any(row["lane"] == lane for row in rows)]
    counts = {kind: sum(row["what"] == kind for row in rows) for kind in _CALLS}
    description = "; ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "no call"
    ends = [answer.after + 0.5 for answer in played.answers]
    return Drawing(_lanes(rows, lanes, _CALLS, "call", ends), f"{description}.")


def lane_of(call: Call) -> str:
    """Name the lane of a call; tools that do not exist have one of their own."""
    return CLASSES[call.platform] if call.platform is not None else "unknown"


def _fate(event: str, seen_ids: set[str], evidence_ids: set[str]) -> str:
    if event in evidence_ids:
        return NEEDED if event in seen_ids else MISSING
    return SEEN if event in seen_ids else MISSED


def _kind(call: Call, brings_news: bool, again: bool) -> str:
    if not call.ok:
        return FAILED
    if again:
        return AGAIN
    return NEW if brings_news else OTHER


def _lanes(
    rows: Sequence[Mapping[str, Any]],
    lanes: Sequence[str],
    colours: Mapping[str, str],
    along: str,
    ends: Sequence[float] = (),
) -> dict[str, Any]:
    import altair as alt

    names = [name for name in colours if any(row["what"] == name for row in rows)]
    last_place = max((row["at"] for row in rows), default=1)
    axis = alt.Axis(tickMinStep=1, tickCount=min(last_place, 12), format="d", grid=False, labelPadding=8)
    x = alt.X("at:Q", title=along, scale=alt.Scale(domain=[0.5, last_place + 0.5], nice=False), axis=axis)
    legend = alt.Legend(title=None, orient="top", labelColor=INK, labelLimit=1000, symbolSize=70, columnPadding=56)
    lane_axis = alt.Axis(grid=True, labelPadding=8)
    marks = (
        alt.Chart(inline([dict(row) for row in rows]))
        .mark_point(filled=True, size=64, opacity=0.9)
        .encode(
            x=x,
            y=alt.Y("lane:N", title=None, sort=list(lanes), scale=alt.Scale(domain=list(lanes)), axis=lane_axis),
            color=alt.Color(
                "what:N", scale=alt.Scale(domain=names, range=[colours[n] for n in names]), legend=legend
            ),
            shape=alt.Shape(
                "what:N", scale=alt.Scale(domain=names, range=[_SHAPES[n] for n in names]), legend=legend
            ),
        )
    )
    layers = [marks]
    if ends:
        rules = alt.Chart(inline([{"at": end} for end in ends]))
        layers.insert(0, rules.mark_rule(color=INK, opacity=0.45, strokeDash=[3, 3]).encode(x=x))
    height = LANE * max(len(lanes), 1)
    return specification(layered(*layers), height=height, width=600, left=LEFT, top=44, bottom=44)
