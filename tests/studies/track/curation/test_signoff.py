"""Sign-offs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MalformedDataError
from memgauge.studies.track.curation import bench
from memgauge.studies.track.curation.signoff import SIGNOFF, Signoff
from memgauge.studies.track.curation.solve import Playing
from memgauge.studies.track.play.plan import digest
from memgauge.studies.track.timeline.files import read_model, read_timeline
from support.track.curation import put_shipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OFF = Playing(sandbox="off")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an instance with its record, which nobody has signed."""
    folder = put_shipped(tmp_path / "one")
    (folder / SIGNOFF).unlink()
    return folder


def edit(folder: Path, change: Callable[[dict[str, list[dict[str, object]]]], object]) -> None:
    """Change the timeline as a person would."""
    path = folder / "timeline.json"
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def test_a_sign_off_says_who_stands_for_what(folder: Path) -> None:
    """It holds the digest, who made and who filtered the instance; it is read as it was written."""
    bench.check(folder, OFF)
    signed = bench.sign_off(folder, by=" Ada ", on="2026-02-03", note="Read twice.")
    assert read_model(folder / SIGNOFF, Signoff) == signed
    assert (signed.by, signed.made_by, signed.filtered_by) == ("Ada", ("by hand",), "search")
    assert signed.scores == {"oracle": 1, "random": 0, "search": 0.25}
    assert signed.digest == digest(read_timeline(folder / "timeline.json"))


def test_it_holds_for_these_bytes_alone(folder: Path) -> None:
    """After any edit it holds no more, and a new one needs a new check."""
    bench.check(folder, OFF)
    signed = bench.sign_off(folder, by="Ada", on="2026-02-03")
    edit(folder, lambda data: data["questions"][0].update(text="And now?"))
    assert signed.digest != digest(read_timeline(folder / "timeline.json"))
    with pytest.raises(ConfigError, match="not checked as it is now"):
        bench.sign_off(folder, by="Ada", on="2026-02-03")


def test_errors_cannot_be_signed_and_warnings_have_to_be_accepted(folder: Path) -> None:
    """A person answers for what rules doubt, one by one."""
    edit(folder, lambda data: data["questions"][2].update(hops=3))
    bench.check(folder, OFF)
    with pytest.raises(ConfigError, match="has warnings: guide-steps"):
        bench.sign_off(folder, by="Ada", on="2026-02-03")
    assert bench.sign_off(folder, by="Ada", on="2026-02-03", accept=["guide-steps"]).accepted == ("guide-steps",)
    edit(folder, lambda data: data["questions"][2].update(guide=""))
    bench.check(folder, OFF)
    with pytest.raises(ConfigError, match="has errors: no-guide"):
        bench.sign_off(folder, by="Ada", on="2026-02-03", accept=["no-guide"])


def test_somebody_has_to_sign(folder: Path) -> None:
    """A name is needed, and a file that is no sign-off is named."""
    with pytest.raises(ConfigError, match="Nobody signs"):
        bench.sign_off(folder, by=" ", on="2026-02-03")
    assert not (folder / SIGNOFF).exists()
    (folder / SIGNOFF).write_text('{"name": 1}', encoding="utf-8")
    with pytest.raises(MalformedDataError, match=r"signoff\.json, line 1: \$\.name"):
        read_model(folder / SIGNOFF, Signoff)
