"""The commands, as whoever hands a report to an auditor uses them."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from memgauge.frame.exits import FAILED, OK, PARTIAL, UNPROVEN, WRONG_USE
from memgauge.records import Scope, Turn
from support import forgetting
from support.junit import red

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

STUDY = ("study", "erasure")
CLEAN, LEAVING = "support.forgetting:Forgetful", "support.forgetting:Archiving"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Make a key, and a file that allows it."""
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    public = path.with_suffix(".pub").read_text("utf-8").split()
    (tmp_path / "allowed").write_text(f"auditor@example {public[0]} {public[1]}\n", "utf-8")
    return path


def test_a_report_is_written_signed_and_checked(memgauge: Callable[..., Said], tmp_path: Path, key: Path) -> None:
    """Page, text, data, statement and signature; whoever allows the key is told who signed."""
    folder = tmp_path / "report"
    shown = memgauge(*STUDY, "report", CLEAN, "--out", folder, "--key", key)
    assert shown.code == OK
    assert "Nothing was found in what was looked at" in shown.out
    assert "What was not looked at" in (folder / "erasure.html").read_text("utf-8")
    names = {path.name for path in folder.iterdir()}
    assert names == {"erasure.json", "erasure.html", "erasure.md", "statement.txt", "statement.txt.sig"}
    assert names <= set(re.split("[ ,\n]+", shown.out))
    checked = memgauge(*STUDY, "check", folder, "--signers", tmp_path / "allowed")
    assert (checked.code, "signed by auditor@example" in " ".join(checked.out.split())) == (OK, True)
    assert memgauge(*STUDY, "check", folder).code == UNPROVEN


@pytest.mark.parametrize("name", ["erasure.json", "erasure.html", "erasure.md", "statement.txt"])
def test_a_report_that_was_changed_is_found_out(
    name: str, memgauge: Callable[..., Said], tmp_path: Path, key: Path
) -> None:
    """One letter of any file is enough."""
    folder = tmp_path / "report"
    memgauge(*STUDY, "report", LEAVING, "--out", folder, "--key", key)
    text = (folder / name).read_text("utf-8")
    (folder / name).write_text(re.sub("(?i)left in files", "kept", text, count=1), "utf-8")
    assert (folder / name).read_text("utf-8") != text
    assert memgauge(*STUDY, "check", folder, "--signers", tmp_path / "allowed").code == FAILED


def test_a_verdict_that_its_rows_do_not_bear_is_found_out_though_all_digests_fit(
    memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """Whoever writes all digests anew has no signature, and rows that say something else."""
    folder = tmp_path / "report"
    memgauge(*STUDY, "report", LEAVING, "--out", folder)
    data = json.loads((folder / "erasure.json").read_text("utf-8"))
    data["value"]["finding"] = "nothing found in what was looked at"
    from memgauge.studies.erasure.commands import pages_of
    from memgauge.studies.erasure.kinds import ERASURE
    from memgauge.studies.erasure.sealing import seal

    forged = ERASURE.read(data)
    seal(forged, pages_of(forged), folder, None)
    checked = memgauge(*STUDY, "check", folder)
    assert checked.code == FAILED
    assert "the rows say “left in files”" in checked.out.replace("\n", " ")


def test_the_exit_code_says_what_a_build_server_needs(memgauge: Callable[..., Said]) -> None:
    """Something left; nothing that shows anything; a mistake."""
    assert memgauge(*STUDY, "report", LEAVING).code == FAILED
    assert memgauge(*STUDY, "report", "support.forgetting:Silent").code == PARTIAL
    refused = memgauge(*STUDY, "report", "qdrunt")
    assert refused.code == WRONG_USE
    assert "qdrunt" in refused.err


def test_every_value_that_is_left_is_a_failed_check(memgauge: Callable[..., Said]) -> None:
    """A build server is told value by value; where nothing was seen at all, that it shows nothing."""
    left = memgauge(*STUDY, "report", LEAVING, "--format", "junit")
    assert left.code == FAILED
    assert red(left.out)
    assert all(name.endswith(" is gone") for name in red(left.out))
    clean = memgauge(*STUDY, "report", CLEAN, "--format", "junit")
    assert (clean.code, red(clean.out)) == (OK, [])
    blind = memgauge(*STUDY, "report", "support.forgetting:Silent", "--format", "junit")
    assert (blind.code, red(blind.out)) == (PARTIAL, ["erasure"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--key", "nowhere"), "A signature needs a folder"),
        (("--control", "bob"), "--subject"),
        (("--also", "nowhere"), "nowhere"),
        (("--subject", "ada", "--texts", "nowhere"), "nowhere"),
        (("--subject", "ada", "--control", "ada"), "who shall be forgotten"),
        (("--subject", "ada", "--wait", "-1"), "--wait"),
        (("--subject", "ada", "--wait", "nan"), "--wait"),
        (("--subject", "ada", "--timeout", "0"), "--timeout"),
        (("--subject", "ada", "--out", "report.zzz"), "ending"),
    ],
)
def test_mistakes_are_told_before_anything_is_asked(
    given: tuple[str, ...], said: str, memgauge: Callable[..., Said]
) -> None:
    """In words, and without a traceback."""
    refused = memgauge(*STUDY, "report", CLEAN, *given)
    assert refused.code == WRONG_USE
    assert said in refused.err
    assert "Traceback" not in refused.err


def test_a_folder_that_is_no_report_is_told(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """With what to name instead."""
    refused = memgauge(*STUDY, "check", tmp_path)
    assert refused.code == WRONG_USE
    assert "statement.txt" in refused.err


def test_a_control_of_whom_nothing_is_seen_is_told_before_anybody_is_forgotten(
    memgauge: Callable[..., Said], tmp_path: Path
) -> None:
    """A name with a slip in it would leave nothing known of what others lost; without a control all goes on."""
    store = forgetting.Forgetful(str(tmp_path / "own"))
    store.ingest([Turn("t1", "ada", "Ada's bank is Quillback.", "s1")], Scope("ada"))
    system = tmp_path / "own.toml"
    system.write_text(f'system = "{CLEAN}"\n[parameters]\npath = "{tmp_path / "own"}"\n', encoding="utf-8")
    refused = memgauge(*STUDY, "report", system, "--subject", "ada", "--control", "ghost")
    assert refused.code == WRONG_USE
    assert "Nothing was seen of the control ghost" in refused.err
    store.reopen()
    assert list(store.rows) == ["ada"]
    asked_before = memgauge(
        *STUDY, "report", system, "--subject", "ada", "--control", "ghost", "--request", "none"
    )
    assert asked_before.code == FAILED  # it may have been deleted too much long ago; ada is still returned
    assert memgauge(*STUDY, "report", system, "--subject", "ada").code == OK
    store.reopen()
    assert store.rows == {}


class Untouchable:
    """A memory that no mistake may open, for what it holds would be deleted."""

    def __init__(self) -> None:
        raise AssertionError("it was opened")


def test_nobody_is_forgotten_without_a_report(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """A key that is none, and a place that cannot be written to, are told before the memory is opened."""
    (tmp_path / "file").write_text("x", "utf-8")
    about = ("report", f"{__name__}:Untouchable", "--subject", "ada")
    for more in (("--out", tmp_path / "out", "--key", tmp_path / "nokey"), ("--out", tmp_path / "file" / "out")):
        refused = memgauge(*STUDY, *about, *more)
        assert refused.code == WRONG_USE
        assert "nokey" in refused.err or "file" in refused.err
