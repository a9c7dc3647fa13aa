"""A preflight reddens the row of a defect and no other, and everything that it says can be read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from chaos.aml.defects import DEFECTS
from chaos.aml.frozen import FROZEN
from chaos.aml.looking import look, own_face, reddened
from chaos.aml.servers import SmallServer, serving
from chaos.aml.unseen import unseen
from memgauge.errors import ConfigError
from memgauge.records import Verdict
from memgauge.systems.aml.client import AmlAddress, AmlClient
from memgauge.systems.aml.contract import CYCLES
from memgauge.systems.aml.preflight.bench import PreflightBench
from memgauge.systems.aml.preflight.rules import RULES
from memgauge.systems.aml.preflight.running import PROBES, preflight, restarting

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.systems.aml.preflight.report import PreflightRow

QUICK = ("open to whoever comes", "success is a text", "a replay stores again", "a bare array", "ignores top_k")
LATER = unseen()


def test_every_rule_is_looked_at_and_every_look_has_a_rule() -> None:
    """In one order."""
    assert sorted(PROBES) == sorted(RULES)
    assert all(1 <= rule.sure <= 3 for rule in RULES.values())


def test_our_own_face_is_green() -> None:
    """Restarted in between, from its journal; only deletion, which does not exist, is not tried."""
    report = own_face(at_once=(8, 16))
    assert report.green
    assert [row.key for row in report.rows if row.verdict is not Verdict.PASS] == ["deletion"]
    assert report.is_private
    assert next(row for row in report.rows if row.key == "isolation").figures == {
        "users": 40,
        "leaks": 0,
        "missing": 0,
    }


def test_a_sound_server_of_another_hand_is_green() -> None:
    """Nothing of ours is needed for it."""
    assert reddened(SmallServer()) == ()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in FROZEN]
)
def test_a_frozen_defect_reddens_its_row(name: str) -> None:
    """That one, and no other."""
    assert reddened(DEFECTS[name]()) == (FROZEN[name],)


@pytest.mark.slow
@pytest.mark.parametrize("name", LATER)
def test_a_defect_that_came_later_reddens_its_row(name: str) -> None:
    """Made by a rule when the preflight was done."""
    row, make = LATER[name]
    assert reddened(make()) == (row,)


def test_what_breaks_now_and_then_is_red_in_its_own_row() -> None:
    """A row that passed is revised when another one meets the break."""

    class Moody(SmallServer):
        """Says success otherwise when it has many users."""

        def acknowledgement(self, body: object) -> object:
            """Change its mind."""
            return {"ok": True} if len(self.stored) > 30 else super().acknowledgement(body)

    assert reddened(Moody()) == ("success",)


def test_without_a_restart_and_a_key_both_rows_are_not_tried() -> None:
    """What was not tried is no promise, and not red; each row is heard as it ends."""

    class Keyless(SmallServer):
        """Needs no key."""

        def allows(self, key: str) -> bool:
            """Let in."""
            return True

    heard: list[PreflightRow] = []
    with serving(Keyless()) as url:
        client = AmlClient(AmlAddress(url), 5)
        report = preflight(PreflightBench(client, CYCLES[1], "preflight:x", 2, 2), heard.append)
        client.close()
    assert report.green
    assert {row.key for row in report.rows if row.verdict is Verdict.VACUOUS} == {"key", "durable"}
    assert [row.key for row in heard] == list(PROBES)


def test_nobody_there_is_red_and_soon_over() -> None:
    """The first row says why."""
    report = look("http://127.0.0.1:9", lambda: None)
    assert not report.green
    assert "ConnectionRefusedError" in report.rows[0].detail


def test_a_restart_is_a_command(tmp_path: Path) -> None:
    """It is waited for; one that fails, or is none, is a sentence."""
    mark = tmp_path / "mark"
    restarting(f'{sys.executable} -c \'open("{mark}", "w").close()\'')()
    assert mark.exists()
    for command, words in (
        (f"{sys.executable} -c 'raise SystemExit(3)'", "ended with 3"),
        ("no-such-command", "cannot be run"),
    ):
        with pytest.raises(ConfigError, match=words):
            restarting(command)()
