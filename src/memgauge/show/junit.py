"""Checks of documents as JUnit XML, which build servers count."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from memgauge.show.document import CheckOutcome
from memgauge.show.safety import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.show.document import CountedCheck, Document

_ELEMENTS = {CheckOutcome.FAIL: "failure", CheckOutcome.ERROR: "error", CheckOutcome.SKIP: "skipped"}


def junit(documents: Iterable[Document]) -> str:
    """Write one test suite for each suite of checks, in their order."""
    root = ET.Element("testsuites", name="memgauge")
    for document in documents:
        for suite in dict.fromkeys(check.suite for check in document.checks):
            _suite(root, suite, document)
    _count(root)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, name: str, document: Document) -> None:
    suite = ET.SubElement(root, "testsuite", name=visible(name))
    _facts(suite, document.suites.get(name, {}))
    for check in document.checks:
        if check.suite == name:
            _case(suite, check)
    _count(suite)


def _case(suite: ET.Element, check: CountedCheck) -> None:
    case = ET.SubElement(suite, "testcase", classname=visible(check.group), name=visible(check.name))
    if any(check.place):
        case.set("file", visible(check.place[0]))
        case.set("line", visible(check.place[1]))
    _facts(case, check.facts)
    if tag := _ELEMENTS.get(check.outcome):
        node = ET.SubElement(case, tag, message=visible(check.message))
        if check.kind:
            node.set("type", visible(check.kind))
        node.text = visible(check.detail) or None
    if check.output:
        ET.SubElement(case, "system-out").text = visible(check.output)


def _facts(node: ET.Element, facts: Mapping[str, str]) -> None:
    if facts:
        properties = ET.SubElement(node, "properties")
        for key, value in facts.items():
            ET.SubElement(properties, "property", name=visible(key), value=visible(value))


def _count(node: ET.Element) -> None:
    cases = list(node.iter("testcase"))
    node.set("tests", str(len(cases)))
    for outcome, tag in _ELEMENTS.items():
        name = "skipped" if outcome is CheckOutcome.SKIP else f"{tag}s"
        node.set(name, str(sum(case.find(tag) is not None for case in cases)))
