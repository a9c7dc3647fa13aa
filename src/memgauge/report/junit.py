"""Boards as JUnit XML: what a build server needs to stop a change that loses quality.

A test case is one measure of one system. It fails where a gate asks for more than its value, or where a gated
score is undefined; an undefined score without a gate is skipped. Calls that failed or timed out are an error of a
test case of their own, ``outcomes``, so that they never hide behind a good mean nor blame a measure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from memgauge.errors import ConfigError
from memgauge.registry import unknown_name
from memgauge.report.words import interval
from memgauge.show.numbers import number
from memgauge.show.safety import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.scoring.board import Board, Entry, Score

_FAULTS = ("error", "timeout")


def render_junit(boards: Sequence[Board], *, gates: Mapping[str, float] | None = None) -> str:
    """Render one test suite a board.

    Args:
        boards: The suites.
        gates: The least value by ``label/measure``; holds on every board that has that score.

    Raises:
        ConfigError: A gate that is not a number.
        UnknownNameError: A gate on a score that no board has.
    """
    gates = gates or {}
    known = {f"{e.label}/{m}" for board in boards for e in board.entries for m in board.measures}
    for name, least in gates.items():
        if name not in known:
            raise unknown_name("gate", name, known)
        if least != least:  # noqa: PLR0124 - the definition of not-a-number
            raise ConfigError(f"Gate {name!r} is not a number.", "Give the least value that passes, such as 0.5.")
    root = ET.Element("testsuites", name="memgauge")
    for board in boards:
        _suite(root, board, gates)
    _count(root, root.iter("testcase"))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, board: Board, gates: Mapping[str, float]) -> None:
    name = clean(f"{board.dataset.ref} {board.contract}")
    suite = ET.SubElement(root, "testsuite", name=name)
    facts = {
        "dataset": board.dataset.ref,
        "sha256": board.dataset.sha256,
        "contract": str(board.contract),
        "k": str(board.k),
    }
    properties = ET.SubElement(suite, "properties")
    for key, value in facts.items():
        ET.SubElement(properties, "property", name=key, value=clean(value))
    for entry in board.entries:
        group = clean(f"{board.dataset.ref}.{entry.label}")
        for measure in board.measures:
            case = ET.SubElement(suite, "testcase", classname=group, name=clean(measure))
            _judge(case, entry.scores[measure], gates.get(f"{entry.label}/{measure}"))
        _outcomes(ET.SubElement(suite, "testcase", classname=group, name="outcomes"), entry)
    _count(suite, suite.iter("testcase"))


def _judge(case: ET.Element, score: Score, least: float | None) -> None:
    figure = clean(f"{number(score.value)} {interval(score)}".rstrip() + f", n={score.denominator}")
    if score.value is None:
        if least is None:
            ET.SubElement(case, "skipped", message=clean(score.reason))
            return
        ET.SubElement(case, "failure", message=clean(f"undefined, gate {least:g}: {score.reason}"), type="gate")
    elif least is not None and score.value < least:
        ET.SubElement(case, "failure", message=f"below gate {least:g}: {figure}", type="gate")
    ET.SubElement(case, "system-out").text = figure


def _outcomes(case: ET.Element, entry: Entry) -> None:
    faults = {kind: entry.outcomes.get(kind, 0) for kind in _FAULTS}
    if any(faults.values()):
        said = ", ".join(f"{n} {kind}" for kind, n in faults.items() if n)
        ET.SubElement(case, "error", message=f"questions lost: {said}", type="outcomes")


def _count(node: ET.Element, cases: Iterable[ET.Element]) -> None:
    listed = list(cases)
    node.set("tests", str(len(listed)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        node.set(attribute, str(sum(case.find(tag) is not None for case in listed)))
