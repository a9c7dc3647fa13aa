"""A run of the golden suite as JUnit XML: what a build server needs to stop a change, and to say why."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from memgauge.records import Verdict
from memgauge.report.golden import ended, visible, where, witnesses

if TYPE_CHECKING:
    from memgauge.studies.golden.summary import GoldenReport, PlayedScenario

_SKIPPED = {"unsupported", "xfail"}


def golden_junit(report: GoldenReport) -> str:
    """Render a suite a file and a case a scenario; a soft gate that is missed is skipped, and says so."""
    root = ET.Element("testsuites", name="memgauge golden")
    for suite in report.suites:
        node = ET.SubElement(root, "testsuite", name=str(suite))
        _properties(
            node, {"system": report.system.ref, "sha256": suite.sha256, "seed": report.seed, "path": suite.path}
        )
        for one in report.played:
            if one.suite == suite.id:
                _case(node, one)
        _count(node)
    if report.broken:
        node = ET.SubElement(root, "testsuite", name="not readable")
        for problem in report.broken:
            case = ET.SubElement(node, "testcase", classname="not readable", name=problem.split(": ")[0])
            ET.SubElement(case, "error", message=problem, type="broken")
        _count(node)
    _count(root)
    for part in root.iter():
        part.attrib.update({name: visible(value) for name, value in part.attrib.items()})
        part.text = visible(part.text) if part.text else None
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def properties(one: PlayedScenario) -> dict[str, str]:
    """Return what a build server is told of a case besides its verdict."""
    result = one.result
    return {
        "anomaly": ",".join(result.anomalies),
        "layer": result.layer,
        "family": result.family,
        "severity": result.severity,
        "gate": result.gate,
        "provenance": one.provenance,
    }


def _case(suite: ET.Element, one: PlayedScenario) -> None:
    named = {"classname": f"{one.suite}.{one.result.family}", "name": one.result.scenario}
    case = ET.SubElement(suite, "testcase", {**named, "file": one.path, "line": str(one.line)})
    _properties(case, properties(one))
    said = {"message": f"{ended(one)}: {one.result.detail}".removesuffix(": ")}
    if one.result.blocks:
        tag = "error" if one.result.verdict == Verdict.ERROR else "failure"
        kind = ",".join(one.result.anomalies) or one.result.verdict
        ET.SubElement(case, tag, {**said, "type": kind}).text = "\n".join([*witnesses(one), where(one)])
    elif one.result.verdict != Verdict.PASS:
        soft = {} if one.result.verdict in _SKIPPED else {"message": f"soft gate: {said['message']}"}
        ET.SubElement(case, "skipped", {**said, **soft})


def _properties(node: ET.Element, named: dict[str, str]) -> None:
    listed_here = ET.SubElement(node, "properties")
    for name, value in named.items():
        ET.SubElement(listed_here, "property", name=name, value=value)


def _count(node: ET.Element) -> None:
    cases = list(node.iter("testcase"))
    node.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        node.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
