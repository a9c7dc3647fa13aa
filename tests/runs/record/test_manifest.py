"""Who a run is."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, RunError, RunNotFoundError
from memgauge.runs.record import manifest
from memgauge.runs.record.manifest import FILE, Limits, Manifest, environment, limits
from support.handmade import planned, two_questions

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = planned(two_questions(), "support.systems:Minutes").cells[0].manifest


def test_a_manifest_comes_back_as_it_was_written(tmp_path: Path) -> None:
    """Reading gives the same identity, and the capabilities are all there."""
    MANIFEST.write(tmp_path)
    found = Manifest.read(tmp_path)
    assert found.identity == MANIFEST.identity
    assert found.system.capabilities["interventions"] == ["the clock is patched"]
    assert (found.system.name, found.system.label, found.system.version) == ("minutes", "Minutes", "1")


def test_a_system_is_called_by_one_line_and_keeps_what_it_was_called(tmp_path: Path) -> None:
    """What is shown breaks no sentence; the identity is that of what is written, and the file says it."""
    data = MANIFEST.model_dump()
    data["system"] |= {"label": "two\nlines", "name": "\x1bnamed", "version": ""}
    made = Manifest.model_validate(data)
    made.write(tmp_path)
    read = Manifest.read(tmp_path)
    for each in (made, read, read.model_copy(update={"sittings": 2})):
        assert (each.system.label, each.system.name, each.system.version) == ("two lines", "\ufffdnamed", "")
        assert each.model_dump()["system"]["label"] == "two lines"
        assert each.identity == made.identity
    assert made.identity != Manifest.model_validate(made.model_dump()).identity
    assert read.system.as_written().label == "two\nlines"
    assert json.loads((tmp_path / FILE).read_text("utf-8"))["system"]["name"] == "\x1bnamed"
    assert MANIFEST.system.as_written() is MANIFEST.system


def test_a_name_that_no_file_can_hold_is_written_as_far_as_one_can(tmp_path: Path) -> None:
    """Half a surrogate pair is a question mark, and the run can be read again."""
    data = MANIFEST.model_dump()
    data["system"] |= {"name": "half \udc80", "version": "\ud800"}
    made = Manifest.model_validate(data)
    made.write(tmp_path)
    assert (made.system.name, made.system.version) == ("half ?", "?")
    assert Manifest.read(tmp_path).identity == made.identity


@pytest.mark.parametrize("change", [{"seed": 1}, {"conversations": 1}, {"limits": Limits(k=5)}])
def test_everything_that_matters_is_in_the_identity(change: dict[str, object]) -> None:
    """Another seed, size or limit is another run."""
    assert MANIFEST.model_copy(update=change).identity != MANIFEST.identity


def test_the_environment_is_not_part_of_the_identity() -> None:
    """The same experiment on another machine is the same experiment."""
    other = MANIFEST.model_copy(update={"environment": environment()})
    assert other.identity == MANIFEST.identity
    assert set(other.environment) == {"memgauge", "python", "platform", "numpy", "scipy"}


def test_the_id_is_a_readable_folder_name() -> None:
    """Names come first, eight digits of the identity make it unique."""
    assert re.fullmatch(r"handmade-minutes-[0-9a-f]{8}", MANIFEST.id)


def test_a_missing_manifest_is_no_run(tmp_path: Path) -> None:
    """The error names the folder."""
    with pytest.raises(RunNotFoundError, match=r"No run at .*: manifest\.json is missing"):
        Manifest.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "where"),
    [("{", "the file itself"), ('{"seed": 0}', "dataset"), ('{"limits": {"k": 0}}', "limits.k")],
)
def test_a_broken_manifest_is_named_by_field(tmp_path: Path, text: str, where: str) -> None:
    """The first field that does not fit is in the message."""
    base = MANIFEST.model_dump(mode="json")
    if where == "limits.k":
        text = MANIFEST.model_validate(base).model_dump_json().replace('"k":60', '"k":0')
    (tmp_path / FILE).write_text(text)
    with pytest.raises(RunError, match=rf"manifest\.json: {where}: .*Restore it, or move its folder away"):
        Manifest.read(tmp_path)


@pytest.mark.parametrize("wrong", [{"k": 0}, {"timeout_s": float("inf")}, {"retries": -1}, {"attempts": 0}])
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    """A limit has bounds of its own."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits.model_validate(wrong)


def test_limits_said_by_a_user_are_refused_by_option() -> None:
    """The message names the option as it is typed; values that fit become limits."""
    with pytest.raises(ConfigError, match=r"^--timeout 0 does not fit: "):
        limits(timeout_s=0)
    assert limits(k=5, budget_tokens=None) == Limits(k=5)


def test_a_capability_that_says_nothing_leaves_an_older_run_its_name() -> None:
    """A field that a later version knows changes the identity only where it is not its default."""
    first = MANIFEST.identity
    promises = MANIFEST.system.capabilities

    def with_(**more: object) -> str:
        part = MANIFEST.system.model_copy(update={"capabilities": promises | more})
        return MANIFEST.model_copy(update={"system": part}).identity

    assert set(promises) == {*manifest._FIRST, "stand_ins", "models"}, (
        "a new capability: see that its default is left out, and extend here"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(manifest._PROMISES, "telepathic", False)  # noqa: FBT003 - a value, not a switch
        assert with_(telepathic=False) == first
        assert with_(telepathic=True) != first
    assert with_(role="floor") != first


@pytest.mark.parametrize(
    ("ref", "told"),
    [
        ("mem0:embedder=openai:bge@http://127.0.0.1:8000/v1,lane=raw", "mem0-embedder-openai-bge-lane-raw"),
        ("mem0:base_url=http://127.0.0.1:8000/v1,lane=raw", "mem0-base-url-lane-raw"),
        ("mem0:embedder=intfloat/v1", "mem0-embedder-intfloat-v1"),
        ("http://127.0.0.1:8000/v1", "http-127-0-0-1-8000"),
        ("bm25:store=/data/stores/obs.json,k1=2", "bm25-store-obs-json-k1-2"),
        ("./mine/notes.toml", "mine-notes-toml"),
        ("longmemeval:/data/s.json", "longmemeval-s-json"),
        ("bm25:k1=1.2,b=0.6", "bm25-k1-1-2-b-0-6"),
    ],
)
def test_a_folder_is_named_after_what_is_run(ref: str, told: str) -> None:
    """Of a path its last part is told; the address of an option is circumstance, and told nowhere."""
    assert manifest._slug(ref) == told


def test_no_run_names_a_command_that_lists_them(tmp_path: Path) -> None:
    """What is advised is a command that does something."""
    with pytest.raises(RunNotFoundError, match="`memgauge runs list FOLDER`"):
        Manifest.read(tmp_path)
