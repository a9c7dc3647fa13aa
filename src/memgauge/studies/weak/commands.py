"""`memgauge study weak`: play products on a weak model, replay them without it, and write the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App

from memgauge.frame.console import aside, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import RUNS, Flag, Repeatable
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.studies.weak import PLACE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.weak.record import RecordedLane
    from memgauge.studies.weak.replay import ReplayedLane

app = App("weak", help="What happens when memories ask a weak real model: behaviour, never quality, and no rank.")

CHECKOUTS = Path("checkouts")


@app.command
def play(
    folder: Path = PLACE,
    *,
    lane: Annotated[tuple[str, ...], Repeatable] = (),
    checkouts: Path = CHECKOUTS,
    runs: Path = RUNS / "weak",
    shown: Printing = PLAIN,
) -> int:
    """Play every lane that has no record yet, one after the other, and record each request with its reply.

    The model is served on this machine, with the cap and the limit that `weak.toml` names. A lane that cannot be
    played is recorded with the reason in its own words.

    Example: memgauge study weak play --lane mem0-1 --lane answers

    Parameters
    ----------
    folder
        With `weak.toml`; records go there.
    lane
        Key of a lane, played again if it is recorded; all that are not recorded when none is named.
    checkouts
        Folder with clones of products that are no packages: `A-mem` and `MemoryOS`.
    runs
        What our own commands make goes there, and stays.
    """
    from functools import partial

    from memgauge.studies.weak.play import WeakPlay, serving
    from memgauge.studies.weak.spec import WeakSpec
    from memgauge.studies.weak.users import UsersPlay

    spec = WeakSpec.read(folder).naming(lane)
    serve = partial(serving, spec)
    lanes = [
        *WeakPlay(folder, spec, str(checkouts), aside).play(serve, lane),
        *UsersPlay(folder, runs, spec, aside).play(serve, lane),
    ]
    data = [
        {"lane": lane_played.key, "seconds": lane_played.seconds, "problem": lane_played.problem}
        for lane_played in lanes
    ]
    return present(told(data, *_said(lanes), "Next: memgauge study weak page"), shown)


def _said(lanes: Iterable[RecordedLane]) -> Iterable[str]:
    for lane in lanes:
        yield f"{lane.key}: {lane.problem or f'{lane.seconds:,.0f} s, {len(lane.exchanges)} requests'}"


@app.command
def replay(
    folder: Path = PLACE,
    *,
    lane: Annotated[tuple[str, ...], Repeatable] = (),
    checkouts: Path = CHECKOUTS,
    shown: Printing = PLAIN,
) -> int:
    """Play lanes again from recorded replies, without the model; exit with 1 where one goes otherwise.

    A product that asks otherwise than it did gets no reply, and that is said: one of another version, or one that
    was given a reply without what it quotes of a prompt, which is not recorded.

    Our own users of a model need nothing but the records; a product has to be installed.

    Example: memgauge study weak replay --lane mem0-1 --lane answers

    Parameters
    ----------
    folder
        With `weak.toml` and records.
    lane
        Key of a lane; all that were played when none is named.
    checkouts
        Folder with clones of products that are no packages: `A-mem` and `MemoryOS`.
    """
    from dataclasses import asdict
    from tempfile import TemporaryDirectory

    from memgauge.studies.weak.play import WeakPlay
    from memgauge.studies.weak.record import read_lanes
    from memgauge.studies.weak.replay import replay as play_again
    from memgauge.studies.weak.spec import WeakSpec
    from memgauge.studies.weak.users import UsersPlay

    spec = WeakSpec.read(folder).naming(lane)
    lanes = [entry for entry in read_lanes(folder, lane or spec.keys) if not entry.problem]
    products = WeakPlay(folder, spec, str(checkouts), aside)
    with TemporaryDirectory() as runs:
        replays = list(play_again(products, UsersPlay(folder, Path(runs), spec, aside), lanes))
    data = [{**asdict(entry), "same": entry.same} for entry in replays]
    code = OK if all(entry.same for entry in replays) else FAILED
    return present(told(data, *map(_replayed, replays)), shown, name="replay", code=code)


def _replayed(lane: ReplayedLane) -> str:
    if lane.problem:
        return f"{lane.key}: {lane.problem}"
    missed_note = f", {lane.missed} of them not in the record" if lane.missed else ""
    became = f"ended otherwise: {', '.join(lane.differ)}" if lane.differ else "all ended as it is recorded"
    return f"{lane.key}: {lane.requests} requests{missed_note}; {became}"


@app.command
def page(
    folder: Path = PLACE,
    *,
    write: Annotated[bool, Flag] = False,
    as_page: Path | None = None,
    output: Output = SHOWN,
) -> int:
    """Say what happened, from the records alone: no model and no product is needed.

    Example: memgauge study weak page --out weak.html

    Parameters
    ----------
    folder
        With `weak.toml` and records.
    write
        Also write `results.json` there, which `memgauge reproduce weak` compares with.
    as_page
        Markdown file of the documentation to write.
    """
    from memgauge.studies.checkout import publish_page
    from memgauge.studies.weak.published import publish
    from memgauge.studies.weak.show import document
    from memgauge.studies.weak.study import FILE, WEAK

    with working("reading the records"):
        study = publish(folder)
    body = document(study)
    publish_page(body, WEAK.of(study), results=folder / FILE if write else None, page=as_page)
    return present(body, output, name="weak")
