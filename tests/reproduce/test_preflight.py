"""The claims about the preflight are those that can be computed in a checkout, and skipped elsewhere."""

from __future__ import annotations

from memgauge.reproduce import sections


def test_the_section_claims_what_was_frozen() -> None:
    """As many defects as the list has, and all of them in their row."""
    from chaos.aml.frozen import FROZEN
    from chaos.aml.unseen import unseen

    (section,) = (each for each in sections() if each.name == "preflight")
    claimed = {figure.name: figure.expected for figure in section.figures}
    assert claimed["defects"] == claimed["defects_in_the_right_row"] == len(FROZEN) >= 12
    assert claimed["later_defects"] == len(unseen())
    assert claimed["own_face_green"] == 1
