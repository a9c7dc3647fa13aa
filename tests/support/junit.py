"""What a build server reads of a JUnit document."""

from __future__ import annotations

from xml.etree import ElementTree as ET


def red(document: str) -> list[str]:
    """Name the red cases of a document, which has to be all that is given, with every case counted."""
    root = ET.fromstring(document)  # noqa: S314 - our own
    cases = list(root.iter("testcase"))
    assert cases
    assert root.get("tests") == str(len(cases))
    return [case.get("name", "") for case in cases if {"failure", "error"} & {child.tag for child in case}]
